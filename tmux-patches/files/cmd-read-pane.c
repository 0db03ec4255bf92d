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
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tmux.h"
#include "amux-hooks.h"
#include "amux-pane.h"

/*
 * Reads a pane's output stream, its commands and its state, and waits for a
 * command to end.
 */

static enum cmd_retval	cmd_read_pane_exec(struct cmd *, struct cmdq_item *);

const struct cmd_entry cmd_read_pane_entry = {
	.name = "read-pane",
	.alias = "readp",

	.args = { "b:cCeEf:F:i:lo:OprsSt:T:w", 0, 0, NULL },
	.usage = "[-cCeElOprsSw] [-b buffer-name] [-f file] [-F format] "
		 "[-i id] [-o file] [-T timeout] " CMD_TARGET_PANE_USAGE,

	.target = { 't', CMD_FIND_PANE, 0 },

	.flags = 0,
	.exec = cmd_read_pane_exec
};

/* What is read. */
enum cmd_read_pane_what {
	CMD_READ_PANE_UNREAD,
	CMD_READ_PANE_OUTPUT,		/* -O */
	CMD_READ_PANE_SINCE_WRITE,	/* -S */
	CMD_READ_PANE_RECORDS,		/* -l */
	CMD_READ_PANE_STATE		/* -s */
};

struct cmd_read_pane_data {
	u_int				 pane;
	enum cmd_read_pane_what		 what;
	enum pane_stream_render		 render;

	uint64_t			 id;	/* waited for or asked for */
	int				 waited;	/* -w */
	int				 named;	/* id by -i or write-pane */
	int				 count;	/* -c */
	int				 status;	/* -E */

	char				*format;
	char				*path;	/* -o or -f */
	int				 flags;	/* of the file */
	char				*buffer;
	int				 error;	/* errno of the file */

	/* How it ends once what was read is written out. */
	int				 retval;
	char				*message;
};

/* Default line of -l. */
#define CMD_READ_PANE_OR_DASH(name)					\
	"#{?#{==:#{" name "},},-,#{" name "}}"
#define CMD_READ_PANE_RECORD						\
	"#{command_id} #{command_ended} "				\
	CMD_READ_PANE_OR_DASH("command_status") " "			\
	CMD_READ_PANE_OR_DASH("command_duration_ms") " "		\
	CMD_READ_PANE_OR_DASH("command_output_bytes")

static void
cmd_read_pane_free(void *arg)
{
	struct cmd_read_pane_data	*cdata = arg;

	free(cdata->format);
	free(cdata->path);
	free(cdata->buffer);
	free(cdata->message);
	free(cdata);
}

/*
 * Show an error, with the status that goes with it. Returns what a wait's
 * callback does.
 */
static int
cmd_read_pane_error(struct cmdq_item *item, struct cmd_read_pane_data *cdata,
    const char *message)
{
	struct client	*c = cmdq_get_client(item);

	cmdq_error(item, "%s", message);
	if (c != NULL && cdata->status)
		c->retval = AMUX_EXIT_FAILED;
	return (-1);
}

/* End as was decided before the bytes were written out. */
static int
cmd_read_pane_finish(struct cmdq_item *item, struct cmd_read_pane_data *cdata)
{
	struct client	*c = cmdq_get_client(item);

	if (cdata->message != NULL)
		cmdq_error(item, "%s", cdata->message);
	if (c != NULL && cdata->retval != 0)
		c->retval = cdata->retval;
	return (cdata->message == NULL ? 0 : -1);
}

static void
cmd_read_pane_collect(void *arg, const char *data, size_t size)
{
	evbuffer_add(arg, data, size);
}

/* Expand the format with what is known of the pane and of a record. */
static void
cmd_read_pane_line(struct cmdq_item *item, struct amux_pane *ap,
    const char *format, const struct pane_stream_record *pr,
    const struct pane_stream_rendered *rendered, uint64_t from, size_t size,
    struct evbuffer *evb)
{
	struct format_tree	*ft;
	char			*line;

	ft = format_create(cmdq_get_client(item), item, FORMAT_NONE, 0);
	format_defaults(ft, NULL, NULL, NULL, ap->wp);
	amux_format_record(ft, ap->stream, pr);
	if (rendered != NULL) {
		format_add(ft, "read_start", "%llu", (unsigned long long)from);
		format_add(ft, "read_end", "%llu",
		    (unsigned long long)rendered->end);
		format_add(ft, "read_bytes", "%zu", size);
		format_add(ft, "read_missing", "%llu",
		    (unsigned long long)rendered->missing);
		format_add(ft, "read_alternate", "%d", rendered->alternate);
	}
	line = format_expand(ft, format);
	evbuffer_add_printf(evb, "%s\n", line);
	free(line);
	format_free(ft);
}

/* One line for each record. */
static void
cmd_read_pane_records(struct cmdq_item *item, struct amux_pane *ap,
    struct cmd_read_pane_data *cdata, struct evbuffer *evb)
{
	struct pane_stream_record	 pr;
	const char			*format = cdata->format;
	u_int				 i, n = pane_stream_count(ap->stream);

	if (format == NULL)
		format = CMD_READ_PANE_RECORD;
	for (i = 0; i < n; i++) {
		if (pane_stream_get(ap->stream, i, &pr))
			cmd_read_pane_line(item, ap, format, &pr, NULL, 0, 0,
			    evb);
	}
}

/* Find the range to read. Returns -1 if an error has been shown. */
static int
cmd_read_pane_range(struct cmdq_item *item, struct cmd_read_pane_data *cdata,
    struct amux_pane *ap, const struct pane_stream_record *pr, uint64_t *from,
    uint64_t *to, int *final)
{
	struct pane_stream	*ps = ap->stream;

	*to = pane_stream_total(ps);
	*final = amux_state_dead(ap);
	switch (cdata->what) {
	case CMD_READ_PANE_OUTPUT:
		if (pr == NULL)
			return (cmd_read_pane_error(item, cdata,
			    "no command yet"));
		if (pr->output_start == PANE_STREAM_UNKNOWN) {
			*from = *to;
			*final = 1;
			break;
		}
		*from = pr->output_start;
		if (pr->output_end != PANE_STREAM_UNKNOWN) {
			*to = pr->output_end;
			*final = 1;
		}
		break;
	case CMD_READ_PANE_SINCE_WRITE:
		*from = pane_stream_mark(ps);
		break;
	default:
		/* Where the reader stopped, even if that is overwritten. */
		*from = ap->read_to;
		break;
	}
	return (0);
}

/* The file has been written, or the wait for it has ended otherwise. */
static int
cmd_read_pane_written(struct cmdq_item *item, enum amux_woken why, void *arg)
{
	struct cmd_read_pane_data	*cdata = arg;
	char				*message;
	int				 result;

	if (why == AMUX_WOKEN_SERVER_EXIT)
		return (cmd_read_pane_error(item, cdata, "server exited"));
	if (cdata->error != 0) {
		xasprintf(&message, "%s: %s", cdata->path,
		    strerror(cdata->error));
		result = cmd_read_pane_error(item, cdata, message);
		free(message);
		return (result);
	}
	return (cmd_read_pane_finish(item, cdata));
}

static void
cmd_read_pane_file_done(__unused struct client *c, __unused const char *path,
    int error, int closed, __unused struct evbuffer *buffer, void *token)
{
	struct cmd_read_pane_data	*cdata;

	if (!closed || (cdata = amux_wait_file_data(token)) == NULL)
		return;
	cdata->error = error;
	amux_wait_file_done(token);
}

/* Show bytes line by line to a client that has no standard output. */
static void
cmd_read_pane_show(struct cmdq_item *item, struct evbuffer *evb)
{
	char	*line, *last;
	size_t	 size;

	while ((line = evbuffer_readln(evb, NULL, EVBUFFER_EOL_LF)) != NULL) {
		cmdq_print(item, "%s", line);
		free(line);
	}
	if ((size = EVBUFFER_LENGTH(evb)) != 0) {
		last = xmalloc(size + 1);
		memcpy(last, EVBUFFER_DATA(evb), size);
		last[size] = '\0';
		cmdq_print(item, "%s", last);
		free(last);
	}
}

/*
 * Put what was read where it belongs. Returns what a wait's callback does; 1
 * if a file is being written, which has taken the data over.
 */
static int
cmd_read_pane_put(struct cmdq_item *item, struct cmd_read_pane_data *cdata,
    struct evbuffer *evb)
{
	struct client			*c = cmdq_get_client(item);
	struct cmd_read_pane_data	*copy;
	size_t				 size = EVBUFFER_LENGTH(evb);
	char				*data, *cause;
	int				 result;

	if (cdata->buffer != NULL) {
		if (size == 0)
			return (cmd_read_pane_finish(item, cdata));
		data = xmalloc(size);
		memcpy(data, EVBUFFER_DATA(evb), size);
		if (paste_set(data, size, cdata->buffer, &cause) != 0) {
			result = cmd_read_pane_error(item, cdata, cause);
			free(cause);
			free(data);
			return (result);
		}
		return (cmd_read_pane_finish(item, cdata));
	}
	if (cdata->path != NULL) {
		copy = xmalloc(sizeof *copy);
		*copy = *cdata;
		cdata->path = cdata->format = cdata->buffer = NULL;
		cdata->message = NULL;
		file_write(c, copy->path, copy->flags, EVBUFFER_DATA(evb),
		    size, cmd_read_pane_file_done,
		    amux_wait_file(item, cmd_read_pane_written,
		    cmd_read_pane_free, copy));
		return (1);
	}
	if (size != 0) {
		/*
		 * 3.3a would print for a control client too, but by another
		 * way than its other lines, and so not in their order.
		 */
		if (file_can_print(c) && (~c->flags & CLIENT_CONTROL))
			file_print_buffer(c, EVBUFFER_DATA(evb), size);
		else
			cmd_read_pane_show(item, evb);
	}
	return (cmd_read_pane_finish(item, cdata));
}

/* Decide how it ends: the status to exit with, and a message if it fails. */
static void
cmd_read_pane_decide(struct cmd_read_pane_data *cdata,
    const struct pane_stream_record *pr, enum amux_woken why)
{
	int	failed = cdata->status ? AMUX_EXIT_FAILED : 1;

	cdata->retval = 0;
	cdata->message = NULL;
	switch (why) {
	case AMUX_WOKEN_TIMEOUT:
		cdata->retval = AMUX_EXIT_TIMEOUT;
		cdata->message = xstrdup("timed out");
		return;
	case AMUX_WOKEN_CONTINUATION:
		cdata->retval = failed;
		cdata->message = xstrdup("the shell waits for more input");
		return;
	case AMUX_WOKEN_SERVER_EXIT:
		cdata->retval = failed;
		cdata->message = xstrdup("server exited");
		return;
	case AMUX_WOKEN_PANE_GONE:
		cdata->retval = failed;
		cdata->message = xstrdup("pane is dead");
		return;
	case AMUX_WOKEN_DONE:
	case AMUX_WOKEN_FILE:
		break;
	}
	if (cdata->waited && pr != NULL &&
	    (pr->flags & PANE_STREAM_PANE_ENDED)) {
		cdata->retval = failed;
		cdata->message = xstrdup("pane is dead");
		return;
	}
	if (!cdata->status)
		return;
	if (pr != NULL && pr->status != PANE_STREAM_NO_STATUS) {
		cdata->retval = pr->status;
		return;
	}
	cdata->retval = AMUX_EXIT_FAILED;
	if (pr == NULL)
		cdata->message = xstrdup("no command yet");
	else
		xasprintf(&cdata->message, "command has no exit status: %s",
		    amux_format_ended(pr->ended));
}

/* Find the record that is read or waited for. Returns -1 after an error. */
static int
cmd_read_pane_record(struct cmdq_item *item, struct cmd_read_pane_data *cdata,
    struct amux_pane *ap, struct pane_stream_record *pr, int *found)
{
	struct pane_stream_record	 last;
	char				*message;

	*found = 1;
	if (cdata->id == 0) {
		*found = pane_stream_last(ap->stream, pr);
		return (0);
	}
	if (pane_stream_find(ap->stream, cdata->id, pr)) {
		/*
		 * Nobody named it, and the command that ran then has read it:
		 * that one is meant.
		 */
		if (!cdata->named && pr->ended == PANE_STREAM_NOTHING &&
		    pane_stream_last(ap->stream, &last) &&
		    last.output_end != PANE_STREAM_UNKNOWN &&
		    last.output_end >= pr->mark)
			*pr = last;
		return (0);
	}
	if (pane_stream_forgotten(ap->stream, cdata->id))
		xasprintf(&message, "command %llu is forgotten",
		    (unsigned long long)cdata->id);
	else
		xasprintf(&message, "no such command: %llu",
		    (unsigned long long)cdata->id);
	cmd_read_pane_error(item, cdata, message);
	free(message);
	return (-1);
}

/* Read, write it out and end. Returns what a wait's callback does. */
static int
cmd_read_pane_read(struct cmdq_item *item, struct cmd_read_pane_data *cdata,
    enum amux_woken why)
{
	struct amux_pane		*ap;
	struct pane_stream_record	 pr, *prp;
	struct pane_stream_rendered	 rendered;
	struct evbuffer			*evb, *text;
	uint64_t			 from, to;
	int				 final, found, result;

	if ((ap = amux_pane_find(cdata->pane)) == NULL)
		return (cmd_read_pane_error(item, cdata, "pane has gone"));
	if (cmd_read_pane_record(item, cdata, ap, &pr, &found) != 0)
		return (-1);
	prp = found ? &pr : NULL;

	evb = evbuffer_new();
	text = evbuffer_new();
	if (evb == NULL || text == NULL)
		fatalx("out of memory");

	switch (cdata->what) {
	case CMD_READ_PANE_RECORDS:
		cmd_read_pane_records(item, ap, cdata, evb);
		break;
	case CMD_READ_PANE_STATE:
		cmd_read_pane_line(item, ap, cdata->format == NULL ?
		    "#{pane_command_state}" : cdata->format, prp, NULL, 0, 0,
		    evb);
		break;
	default:
		if (cmd_read_pane_range(item, cdata, ap, prp, &from, &to,
		    &final) != 0) {
			result = -1;
			goto out;
		}
		pane_stream_render(ap->stream, from, to, cdata->render, final,
		    cmd_read_pane_collect, text, &rendered);
		if (rendered.failed)
			fatalx("out of memory");
		if (cdata->format != NULL)
			cmd_read_pane_line(item, ap, cdata->format, prp,
			    &rendered, from, EVBUFFER_LENGTH(text), evb);
		evbuffer_add_buffer(evb, text);
		if (cdata->count)
			amux_pane_read(ap, rendered.end);
		break;
	}
	cmd_read_pane_decide(cdata, prp, why);
	result = cmd_read_pane_put(item, cdata, evb);

out:
	evbuffer_free(text);
	evbuffer_free(evb);
	return (result);
}

static int
cmd_read_pane_woken(struct cmdq_item *item, enum amux_woken why, void *arg)
{
	return (cmd_read_pane_read(item, arg, why));
}

/*
 * Which command is meant: by -i, by write-pane before in the same sequence,
 * or none. Returns -1 if an error has been shown.
 */
static int
cmd_read_pane_which(struct cmdq_item *item, struct args *args, uint64_t *id)
{
	const char	*value = args_get(args, 'i'), *errstr;
	char		*expanded;
	long long	 n;

	*id = 0;
	expanded = format_single_from_target(item, value == NULL ?
	    "#{write_pane_id}" : value);
	if (value == NULL && *expanded == '\0') {
		free(expanded);
		return (0);
	}
	n = strtonum(expanded, 1, LLONG_MAX, &errstr);
	if (errstr != NULL) {
		cmdq_error(item, "command id %s: %s", errstr, expanded);
		free(expanded);
		return (-1);
	}
	free(expanded);
	*id = n;
	return (0);
}

/*
 * What does -w wait for if nothing is named: the newest submission, or a
 * command that somebody typed after it.
 */
static uint64_t
cmd_read_pane_newest(struct amux_pane *ap)
{
	struct pane_stream_record	pr;

	if (pane_stream_last(ap->stream, &pr) && pr.id > ap->last_id)
		return (pr.id);
	return (ap->last_id);
}

/* Check that the flags make sense together. */
static int
cmd_read_pane_check(struct cmdq_item *item, struct args *args)
{
	struct client	*c = cmdq_get_client(item);

	if (args_has(args, 'O') + args_has(args, 'S') + args_has(args, 'l') +
	    args_has(args, 's') + args_has(args, 'C') > 1) {
		cmdq_error(item, "only one of -C, -l, -O, -S and -s may be "
		    "given");
		return (-1);
	}
	if (args_has(args, 'e') && args_has(args, 'r')) {
		cmdq_error(item, "-e and -r do not go together");
		return (-1);
	}
	if (args_has(args, 'b') + args_has(args, 'f') + args_has(args, 'o') +
	    args_has(args, 'p') > 1) {
		cmdq_error(item, "only one of -b, -f, -o and -p may be given");
		return (-1);
	}
	if (args_has(args, 'T') && !args_has(args, 'w')) {
		cmdq_error(item, "-T needs -w");
		return (-1);
	}

	/*
	 * The server itself opens the files of such clients, with its own
	 * rights and blocking.
	 */
	if ((args_has(args, 'f') || args_has(args, 'o')) &&
	    (c == NULL || c->session != NULL || (c->flags & CLIENT_CONTROL) ||
	    cmdq_running(NULL) == item)) {
		cmdq_error(item, "the server does not open files");
		return (-1);
	}
	return (0);
}

/* Collect the flags. */
static struct cmd_read_pane_data *
cmd_read_pane_data(struct args *args, struct amux_pane *ap, uint64_t id)
{
	struct cmd_read_pane_data	*cdata;
	const char			*value;

	cdata = xcalloc(1, sizeof *cdata);
	cdata->pane = ap->id;
	cdata->id = id;
	if (args_has(args, 'O'))
		cdata->what = CMD_READ_PANE_OUTPUT;
	else if (args_has(args, 'S'))
		cdata->what = CMD_READ_PANE_SINCE_WRITE;
	else if (args_has(args, 'l'))
		cdata->what = CMD_READ_PANE_RECORDS;
	else if (args_has(args, 's'))
		cdata->what = CMD_READ_PANE_STATE;
	else
		cdata->what = CMD_READ_PANE_UNREAD;
	if (args_has(args, 'r'))
		cdata->render = PANE_STREAM_RAW;
	else if (args_has(args, 'e'))
		cdata->render = PANE_STREAM_ESCAPES;
	else
		cdata->render = PANE_STREAM_CLEAN;
	cdata->count = args_has(args, 'c');
	cdata->status = args_has(args, 'E');
	cdata->waited = args_has(args, 'w');

	if ((value = args_get(args, 'F')) != NULL)
		cdata->format = xstrdup(value);
	if ((value = args_get(args, 'b')) != NULL)
		cdata->buffer = xstrdup(value);
	if ((value = args_get(args, 'o')) != NULL)
		cdata->flags = O_TRUNC;
	else if ((value = args_get(args, 'f')) != NULL)
		cdata->flags = O_APPEND;
	if (value != NULL && strcmp(value, "-") != 0)
		cdata->path = xstrdup(value);
	return (cdata);
}

static enum cmd_retval
cmd_read_pane_exec(struct cmd *self, struct cmdq_item *item)
{
	struct args			*args = cmd_get_args(self);
	struct client			*c = cmdq_get_client(item);
	struct amux_pane		*ap;
	struct cmd_read_pane_data	*cdata;
	struct pane_stream_record	 pr;
	uint64_t			 timeout, id;
	int				 result = -1, found, named;

	ap = amux_pane_get(cmdq_get_target(item)->wp);
	if (amux_client_refused(item) ||
	    cmd_read_pane_check(item, args) != 0 ||
	    amux_wait_timeout(item, args, 'T', &timeout) != 0 ||
	    cmd_read_pane_which(item, args, &id) != 0)
		goto fail;
	if (args_has(args, 'w') && !amux_wait_allowed(item))
		goto fail;

	amux_pane_update(ap);
	if (args_has(args, 'C')) {
		amux_pane_read(ap, pane_stream_total(ap->stream));
		return (CMD_RETURN_NORMAL);
	}

	named = (id != 0);
	if (!named && args_has(args, 'w'))
		id = cmd_read_pane_newest(ap);
	cdata = cmd_read_pane_data(args, ap, id);
	cdata->named = named;
	if (args_has(args, 'w') && id != 0) {
		if (cmd_read_pane_record(item, cdata, ap, &pr, &found) != 0) {
			cmd_read_pane_free(cdata);
			return (CMD_RETURN_ERROR);
		}
		if (~pr.flags & PANE_STREAM_FINISHED) {
			amux_wait_pane(item, ap, id, timeout,
			    cmd_read_pane_woken, cmd_read_pane_free, cdata);
			return (CMD_RETURN_WAIT);
		}
	} else if (args_has(args, 'w') && amux_state_get(ap) == AMUX_RUNNING) {
		/* Something runs that no mark has told of. */
		amux_wait_pane(item, ap, 0, timeout, cmd_read_pane_woken,
		    cmd_read_pane_free, cdata);
		return (CMD_RETURN_WAIT);
	}

	result = cmd_read_pane_read(item, cdata, AMUX_WOKEN_DONE);
	cmd_read_pane_free(cdata);
	if (result == 1)
		return (CMD_RETURN_WAIT);
	return (result == 0 ? CMD_RETURN_NORMAL : CMD_RETURN_ERROR);

fail:
	if (args_has(args, 'E') && c != NULL)
		c->retval = AMUX_EXIT_FAILED;
	return (CMD_RETURN_ERROR);
}
