/*
 * Copyright (c) 2026 amux contributors
 *
 * Permission to use, copy, modify, and distribute this software for any
 * purpose with or without fee is hereby granted, provided that the above
 * copyright notice and this permission notice appear in all copies.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
 * WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
 * MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
 * ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
 * WHATSOEVER RESULTING FROM LOSS OF MIND, USE, DATA OR PROFITS, WHETHER
 * IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING
 * OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
 */

#include <sys/types.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tmux.h"
#include "amux-hooks.h"
#include "amux-audit.h"
#include "amux-input.h"

/*
 * Writes bytes to a pane's terminal as they are.
 */

/* Longest line a canonical terminal takes, with its newline (Linux n_tty). */
#define CMD_WRITE_PANE_CANONICAL 4096

/* Most bytes that may wait in our queue towards a pane. */
#define CMD_WRITE_PANE_QUEUE (16 * 1024 * 1024)

#define CMD_WRITE_PANE_PASTE_START "\033[200~"
#define CMD_WRITE_PANE_PASTE_END "\033[201~"

static enum cmd_retval	cmd_write_pane_exec(struct cmd *, struct cmdq_item *);

const struct cmd_entry cmd_write_pane_entry = {
	.name = "write-pane",
	.alias = "writep",

	.args = { "b:ef:inPt:T:w", 0, -1, NULL },
	.usage = "[-einPw] [-b base64-data] [-f file] [-T timeout] "
		 CMD_TARGET_PANE_USAGE " [data ...]",

	.target = { 't', CMD_FIND_PANE, 0 },

	.flags = 0,
	.exec = cmd_write_pane_exec
};

struct cmd_write_pane_data {
	u_int		 pane;

	int		 submit;	/* -e */
	int		 never;		/* -n */
	int		 idle;		/* -i */
	int		 wait;		/* -w */
	int		 print;		/* -P */
	uint64_t	 timeout;

	char		*data;
	size_t		 size;
	int		 error;		/* errno of the file */
	char		*path;
};

static void
cmd_write_pane_free(void *arg)
{
	struct cmd_write_pane_data	*cdata = arg;

	/* What is written may be a secret. */
	if (cdata->data != NULL)
		memset(cdata->data, 0, cdata->size);
	free(cdata->data);
	free(cdata->path);
	free(cdata);
}

/* Join the arguments with blanks. */
static void
cmd_write_pane_join(struct cmd_write_pane_data *cdata, struct args *args)
{
	const char	*s;
	u_int		 i;
	size_t		 len;

	cdata->data = xmalloc(1);
	for (i = 0; i < args_count(args); i++) {
		s = args_string(args, i);
		len = strlen(s);
		cdata->data = xrealloc(cdata->data, cdata->size + len + 1);
		if (i != 0)
			cdata->data[cdata->size++] = ' ';
		memcpy(cdata->data + cdata->size, s, len);
		cdata->size += len;
	}
}

static int
cmd_write_pane_base64_value(u_char ch)
{
	if (ch >= 'A' && ch <= 'Z')
		return (ch - 'A');
	if (ch >= 'a' && ch <= 'z')
		return (ch - 'a' + 26);
	if (ch >= '0' && ch <= '9')
		return (ch - '0' + 52);
	if (ch == '+')
		return (62);
	if (ch == '/')
		return (63);
	return (-1);
}

/*
 * Decode base64 (RFC 4648, section 4), with padding and without white space.
 * The library's b64_pton is lax about both.
 */
static int
cmd_write_pane_base64(struct cmd_write_pane_data *cdata, const char *s)
{
	size_t		 len = strlen(s), i, pad = 0;
	int		 value;
	uint32_t	 bits = 0;
	u_char		*out;

	if (len % 4 != 0)
		return (-1);
	while (pad < 2 && pad < len && s[len - 1 - pad] == '=')
		pad++;
	out = xmalloc(len / 4 * 3 + 1);
	for (i = 0; i < len; i++) {
		if (i >= len - pad)
			value = 0;
		else if ((value = cmd_write_pane_base64_value(s[i])) == -1)
			goto fail;
		bits = (bits << 6) | value;
		if (i % 4 != 3)
			continue;
		out[cdata->size++] = bits >> 16;
		out[cdata->size++] = bits >> 8;
		out[cdata->size++] = bits;
		bits = 0;
	}
	/* Bits that the padding leaves over must be zero. */
	for (i = 0; i < pad; i++) {
		if (out[--cdata->size] != 0)
			goto fail;
	}
	cdata->data = (char *)out;
	return (0);

fail:
	free(out);
	cdata->size = 0;
	return (-1);
}

/* Is there a line that a canonical terminal would cut? */
static int
cmd_write_pane_line_too_long(const char *data, size_t size)
{
	const char	*end = data + size, *nl;
	size_t		 len;

	while (data != end) {
		for (nl = data; nl != end; nl++) {
			if (*nl == '\n' || *nl == '\r')
				break;
		}
		len = nl - data;
		if (len >= CMD_WRITE_PANE_CANONICAL)
			return (1);
		if (nl == end)
			break;
		data = nl + 1;
	}
	return (0);
}

/* How many lines can a shell read from this? */
static u_int
cmd_write_pane_lines(const char *data, size_t size)
{
	u_int	lines = 0;
	size_t	i;

	for (i = 0; i < size; i++) {
		if (data[i] == '\n' || data[i] == '\r')
			lines++;
	}
	return (lines == 0 ? 1 : lines);
}

/* Does the payload end a bracketed paste by itself? */
static int
cmd_write_pane_ends_paste(const char *data, size_t size)
{
	const char	*cp = data, *end = data + size;
	size_t		 len = strlen(CMD_WRITE_PANE_PASTE_END);

	while ((cp = memchr(cp, '\033', end - cp)) != NULL) {
		if ((size_t)(end - cp) < len)
			return (0);
		if (memcmp(cp, CMD_WRITE_PANE_PASTE_END, len) == 0)
			return (1);
		cp++;
	}
	return (0);
}

/*
 * Give bytes to the terminal: at once as many as it takes, the rest through
 * the pane's queue. Returns 1 if all went out in one write.
 */
static int
cmd_write_pane_send(struct window_pane *wp, const char *data, size_t size)
{
	ssize_t	n = 0;

	if (size == 0)
		return (1);
	if (EVBUFFER_LENGTH(wp->event->output) == 0) {
		n = write(wp->fd, data, size);
		if (n < 0)
			n = 0;
	}
	if ((size_t)n == size)
		return (1);
	bufferevent_write(wp->event, data + n, size - n);
	return (0);
}

/* Refuse what cannot be written whole, before a byte of it is. */
static int
cmd_write_pane_check(struct cmdq_item *item, struct cmd_write_pane_data *cdata,
    struct amux_pane *ap, int paste)
{
	struct window_pane	*wp = ap->wp;
	char			*name;

	if (amux_state_dead(ap)) {
		cmdq_error(item, "pane is dead");
		return (-1);
	}
	if (wp->flags & PANE_INPUTOFF) {
		cmdq_error(item, "pane input is off");
		return (-1);
	}
	if (cdata->idle && !amux_state_at_empty_prompt(ap)) {
		/* A shell that starts may have begun to read keys just now. */
		if (amux_state_get(ap) == AMUX_IDLE &&
		    (pane_stream_phase(ap->stream) != PANE_STREAM_NO_MARKS ||
		    !amux_state_settles(ap))) {
			cmdq_error(item, "prompt is not empty");
			return (-1);
		}
		name = amux_state_foreground(ap);
		cmdq_error(item, "pane is not idle: %s", name);
		free(name);
		return (-1);
	}
	if (cdata->idle && cdata->submit && !paste &&
	    memchr(cdata->data, '\n', cdata->size) != NULL) {
		/* Line by line, what runs would read the lines behind it. */
		cmdq_error(item, "no bracketed paste");
		return (-1);
	}
	if (amux_state_canonical(ap) &&
	    cmd_write_pane_line_too_long(cdata->data, cdata->size)) {
		cmdq_error(item, "line too long for the terminal");
		return (-1);
	}
	if (paste && cmd_write_pane_ends_paste(cdata->data, cdata->size)) {
		cmdq_error(item, "paste would end early");
		return (-1);
	}
	if (EVBUFFER_LENGTH(wp->event->output) + cdata->size >
	    CMD_WRITE_PANE_QUEUE) {
		cmdq_error(item, "too much unsent input");
		return (-1);
	}
	return (0);
}

/* Write what has been collected. Returns 0, or -1 with an error shown. */
static int
cmd_write_pane_write(struct cmdq_item *item, struct cmd_write_pane_data *cdata)
{
	struct amux_pane	*ap = amux_pane_find(cdata->pane);
	struct evbuffer		*evb;
	uint64_t		 id = 0;
	int			 paste, submits, several, exact = 0, hides;
	u_int			 lines;
	char			 flags[64];

	if (ap == NULL) {
		cmdq_error(item, "pane has gone");
		return (-1);
	}
	amux_pane_update(ap);

	/* With -e one newline at the end is the Enter that comes anyway. */
	if (cdata->submit && cdata->size != 0 &&
	    cdata->data[cdata->size - 1] == '\n') {
		cdata->size--;
		if (cdata->size != 0 && cdata->data[cdata->size - 1] == '\r')
			cdata->size--;
	}
	several = (memchr(cdata->data, '\n', cdata->size) != NULL);

	/*
	 * A single line goes as a paste as well: typed, a tab would complete,
	 * and keys that the user has bound would do what they are bound to. Not
	 * to what reads lines: that the mode was left may not have been read yet.
	 */
	paste = (cdata->submit && cdata->size != 0 &&
	    (ap->wp->base.mode & MODE_BRACKETPASTE) &&
	    !amux_state_canonical(ap));
	submits = cdata->submit;
	if (!submits && !cdata->never && cdata->size != 0)
		submits = (strchr("\n\r", cdata->data[cdata->size - 1]) != NULL);
	if (paste)
		lines = 1;
	else
		lines = cmd_write_pane_lines(cdata->data, cdata->size) +
		    (cdata->submit && several);

	if (cmd_write_pane_check(item, cdata, ap, paste) != 0)
		return (-1);

	hides = amux_audit_hides(ap);
	if (submits) {
		if (amux_state_at_empty_prompt(ap))
			exact = several ? PANE_STREAM_EXACT :
			    PANE_STREAM_EXACT_LINE;
		else if (lines == 1 && ap->exact && ap->input == ap->clean &&
		    pane_stream_pending(ap->stream) != 0) {
			/*
			 * Typed ahead, behind nothing but lines of ours: each
			 * gets the next prompt but one.
			 */
			exact = PANE_STREAM_EXACT_LINE;
		}
		id = pane_stream_submit(ap->stream, lines, exact,
		    amux_pane_now());
		if (id == 0) {
			cmdq_error(item, "too many commands wait");
			return (-1);
		}
	} else
		pane_stream_set_mark(ap->stream);

	ap->written = amux_pane_now();
	evb = evbuffer_new();
	if (evb == NULL)
		fatalx("out of memory");
	if (paste)
		evbuffer_add(evb, CMD_WRITE_PANE_PASTE_START,
		    strlen(CMD_WRITE_PANE_PASTE_START));
	evbuffer_add(evb, cdata->data, cdata->size);
	if (paste)
		evbuffer_add(evb, CMD_WRITE_PANE_PASTE_END,
		    strlen(CMD_WRITE_PANE_PASTE_END));
	if (cdata->submit)
		evbuffer_add(evb, "\r", 1);
	if (!cmd_write_pane_send(ap->wp, (char *)EVBUFFER_DATA(evb),
	    EVBUFFER_LENGTH(evb)) && id != 0)
		ap->slow_id = id;
	ap->exact = exact;
	if (exact)
		ap->clean = ap->input;
	else
		ap->input++;
	evbuffer_free(evb);

	xsnprintf(flags, sizeof flags, "%s%s%s", submits ? "submit" : "",
	    cdata->submit ? ",enter" : "", paste ? ",paste" : "");
	amux_audit_write(item, ap, id, flags, cdata->data, cdata->size, hides);

	if (id != 0) {
		ap->last_id = id;
		cmdq_add_format(cmdq_get_state(item), "write_pane_id", "%llu",
		    (unsigned long long)id);
		if (cdata->print)
			cmdq_print(item, "%llu", (unsigned long long)id);
		/* Where there are no marks, silence has to be waited for. */
		amux_pane_check_soon(ap);
	}
	return (0);
}

/* The pane is idle, or a wait for that has ended otherwise. */
static int
cmd_write_pane_woken(struct cmdq_item *item, enum amux_woken why, void *arg)
{
	struct cmd_write_pane_data	*cdata = arg;
	struct client			*c = cmdq_get_client(item);
	struct amux_pane		*ap = amux_pane_find(cdata->pane);
	char				*name;

	switch (why) {
	case AMUX_WOKEN_TIMEOUT:
		if (!cdata->wait)
			return (cmd_write_pane_write(item, cdata));
		name = ap == NULL ? xstrdup("") : amux_state_foreground(ap);
		cmdq_error(item, "timed out: %s", name);
		free(name);
		c->retval = AMUX_EXIT_TIMEOUT;
		return (-1);
	case AMUX_WOKEN_PANE_GONE:
		cmdq_error(item, "pane has gone");
		return (-1);
	case AMUX_WOKEN_SERVER_EXIT:
		cmdq_error(item, "server exited");
		return (-1);
	default:
		return (cmd_write_pane_write(item, cdata));
	}
}

/*
 * Write now, or wait until the pane is idle. Returns what a wait's callback
 * does.
 */
static int
cmd_write_pane_start(struct cmdq_item *item, struct cmd_write_pane_data *cdata,
    int *waits)
{
	struct amux_pane	*ap = amux_pane_find(cdata->pane);

	*waits = 0;
	if (ap == NULL || (!cdata->wait && !cdata->idle) ||
	    amux_state_dead(ap))
		return (cmd_write_pane_write(item, cdata));
	amux_pane_update(ap);
	if (amux_state_at_empty_prompt(ap))
		return (cmd_write_pane_write(item, cdata));

	/*
	 * -i refuses what runs, but a command that has ended is not refused
	 * for the moment that the shell takes to be back.
	 */
	if (!cdata->wait) {
		if (!amux_state_settles(ap) || !amux_wait_possible(item))
			return (cmd_write_pane_write(item, cdata));
		cdata->timeout = AMUX_SETTLE_LIMIT;
	}
	*waits = 1;
	amux_wait_pane(item, ap, 0, cdata->timeout, cmd_write_pane_woken,
	    cmd_write_pane_free, cdata);
	return (1);
}

/* The file has been read, or its wait has ended otherwise. */
static int
cmd_write_pane_read(struct cmdq_item *item, enum amux_woken why, void *arg)
{
	struct cmd_write_pane_data	*cdata = arg, *copy;
	int				 waits, result;

	if (why == AMUX_WOKEN_SERVER_EXIT) {
		cmdq_error(item, "server exited");
		return (-1);
	}
	if (cdata->error != 0) {
		cmdq_error(item, "%s: %s", cdata->path,
		    strerror(cdata->error));
		return (-1);
	}

	/* This wait frees its data; the next one needs its own. */
	copy = xmalloc(sizeof *copy);
	*copy = *cdata;
	cdata->data = cdata->path = NULL;
	cdata->size = 0;
	result = cmd_write_pane_start(item, copy, &waits);
	if (!waits)
		cmd_write_pane_free(copy);
	return (result);
}

static void
cmd_write_pane_done(__unused struct client *c, const char *path, int error,
    int closed, struct evbuffer *buffer, void *token)
{
	struct cmd_write_pane_data	*cdata;

	/*
	 * Nothing is kept for a command that has ended: a client is not let go
	 * while its file holds bytes.
	 */
	if ((cdata = amux_wait_file_data(token)) == NULL) {
		evbuffer_drain(buffer, EVBUFFER_LENGTH(buffer));
		return;
	}
	if (!closed) {
		if (EVBUFFER_LENGTH(buffer) <= CMD_WRITE_PANE_QUEUE)
			return;
		evbuffer_drain(buffer, EVBUFFER_LENGTH(buffer));
		error = EFBIG;
	}

	cdata->error = error;
	cdata->path = xstrdup(path);
	cdata->size = EVBUFFER_LENGTH(buffer);
	cdata->data = xmalloc(cdata->size + 1);
	if (cdata->size != 0)
		memcpy(cdata->data, EVBUFFER_DATA(buffer), cdata->size);
	evbuffer_drain(buffer, cdata->size);
	amux_wait_file_done(token);
}

static enum cmd_retval
cmd_write_pane_exec(struct cmd *self, struct cmdq_item *item)
{
	struct args			*args = cmd_get_args(self);
	struct client			*c = cmdq_get_client(item);
	struct window_pane		*wp = cmdq_get_target(item)->wp;
	const char			*base64 = args_get(args, 'b');
	const char			*path = args_get(args, 'f');
	struct cmd_write_pane_data	*cdata;
	uint64_t			 timeout;
	int				 waits, result;

	if (amux_client_refused(item))
		return (CMD_RETURN_ERROR);
	if (args_has(args, 'e') && args_has(args, 'n')) {
		cmdq_error(item, "-e and -n do not go together");
		return (CMD_RETURN_ERROR);
	}
	if ((base64 != NULL) + (path != NULL) + (args_count(args) != 0) > 1) {
		cmdq_error(item, "only one of -b, -f and data may be given");
		return (CMD_RETURN_ERROR);
	}
	if (base64 == NULL && path == NULL && args_count(args) == 0 &&
	    !args_has(args, 'e')) {
		cmdq_error(item, "nothing to write");
		return (CMD_RETURN_ERROR);
	}
	if (amux_wait_timeout(item, args, 'T', &timeout) != 0)
		return (CMD_RETURN_ERROR);
	if (args_has(args, 'w') && !amux_wait_allowed(item))
		return (CMD_RETURN_ERROR);

	/*
	 * The server itself opens the files of such clients, with its own
	 * rights and blocking.
	 */
	if (path != NULL && (c == NULL || c->session != NULL ||
	    (c->flags & CLIENT_CONTROL) || cmdq_running(NULL) == item)) {
		cmdq_error(item, "the server does not open files");
		return (CMD_RETURN_ERROR);
	}

	cdata = xcalloc(1, sizeof *cdata);
	cdata->pane = wp->id;
	cdata->submit = args_has(args, 'e');
	cdata->never = args_has(args, 'n');
	cdata->idle = args_has(args, 'i');
	cdata->wait = args_has(args, 'w');
	cdata->print = args_has(args, 'P');
	cdata->timeout = timeout;
	amux_pane_get(wp);

	if (path != NULL) {
		if (strcmp(path, "-") == 0)
			cdata->data = amux_input_take(c, &cdata->size);
		if (cdata->data == NULL) {
			file_read(c, path, cmd_write_pane_done,
			    amux_wait_file(item, cmd_write_pane_read,
			    cmd_write_pane_free, cdata));
			return (CMD_RETURN_WAIT);
		}
	} else if (base64 != NULL) {
		if (cmd_write_pane_base64(cdata, base64) != 0) {
			cmdq_error(item, "invalid base64");
			cmd_write_pane_free(cdata);
			return (CMD_RETURN_ERROR);
		}
	} else
		cmd_write_pane_join(cdata, args);

	result = cmd_write_pane_start(item, cdata, &waits);
	if (waits)
		return (CMD_RETURN_WAIT);
	cmd_write_pane_free(cdata);
	return (result == 0 ? CMD_RETURN_NORMAL : CMD_RETURN_ERROR);
}
