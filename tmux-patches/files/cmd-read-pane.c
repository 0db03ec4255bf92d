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

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tmux.h"
#include "amux-hooks.h"
#include "amux-read.h"

/*
 * Reads a pane's output stream, its commands and its state, and waits for a
 * command to end: the command's arguments, and whether it must wait.
 */

static enum cmd_retval	cmd_read_pane_exec(struct cmd *, struct cmdq_item *);

const struct cmd_entry cmd_read_pane_entry = {
	.name = "read-pane",
	.alias = "readp",

	.args = { "a:b:cCeEf:F:i:lo:OprsSt:T:w", 0, 0, NULL },
	.usage = "[-cCeElOprsSw] [-a offset] [-b buffer-name] [-f file] "
		 "[-F format] [-i id] [-o file] [-T timeout] "
		 CMD_TARGET_PANE_USAGE,

	.target = { 't', CMD_FIND_PANE, 0 },

	.flags = 0,
	.exec = cmd_read_pane_exec
};

static int
cmd_read_pane_woken(struct cmdq_item *item, enum amux_woken why, void *arg)
{
	return (amux_read_run(item, arg, why));
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
	    args_has(args, 's') + args_has(args, 'C') + args_has(args, 'a') >
	    1) {
		cmdq_error(item, "only one of -a, -C, -l, -O, -S and -s may be "
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

/*
 * Where does -a begin: at an offset that the stream has reached? Returns -1 if
 * an error has been shown.
 */
static int
cmd_read_pane_after(struct cmdq_item *item, struct args *args,
    struct amux_pane *ap, uint64_t *after)
{
	const char	*value = args_get(args, 'a'), *errstr;

	*after = 0;
	if (value == NULL)
		return (0);
	*after = strtonum(value, 0, LLONG_MAX, &errstr);
	if (errstr != NULL) {
		cmdq_error(item, "offset %s: %s", errstr, value);
		return (-1);
	}
	if (*after > pane_stream_total(ap->stream)) {
		cmdq_error(item, "offset beyond the end: %s", value);
		return (-1);
	}
	return (0);
}

/* Collect the flags. */
static struct amux_read *
cmd_read_pane_data(struct args *args, struct amux_pane *ap, uint64_t id)
{
	struct amux_read	*ar;
	const char		*value;

	ar = xcalloc(1, sizeof *ar);
	ar->pane = ap->id;
	ar->id = id;
	if (args_has(args, 'O'))
		ar->what = AMUX_READ_OUTPUT;
	else if (args_has(args, 'S'))
		ar->what = AMUX_READ_SINCE_WRITE;
	else if (args_has(args, 'l'))
		ar->what = AMUX_READ_RECORDS;
	else if (args_has(args, 's'))
		ar->what = AMUX_READ_STATE;
	else if (args_has(args, 'a'))
		ar->what = AMUX_READ_AFTER;
	else
		ar->what = AMUX_READ_UNREAD;
	if (args_has(args, 'r'))
		ar->render = PANE_STREAM_RAW;
	else if (args_has(args, 'e'))
		ar->render = PANE_STREAM_ESCAPES;
	else
		ar->render = PANE_STREAM_CLEAN;
	ar->count = args_has(args, 'c');
	ar->status = args_has(args, 'E');
	ar->waited = args_has(args, 'w');

	if ((value = args_get(args, 'F')) != NULL)
		ar->format = xstrdup(value);
	if ((value = args_get(args, 'b')) != NULL)
		ar->buffer = xstrdup(value);
	if ((value = args_get(args, 'o')) != NULL)
		ar->flags = O_TRUNC;
	else if ((value = args_get(args, 'f')) != NULL)
		ar->flags = O_APPEND;
	if (value != NULL && strcmp(value, "-") != 0)
		ar->path = xstrdup(value);
	return (ar);
}

static enum cmd_retval
cmd_read_pane_exec(struct cmd *self, struct cmdq_item *item)
{
	struct args			*args = cmd_get_args(self);
	struct client			*c = cmdq_get_client(item);
	struct amux_pane		*ap;
	struct amux_read		*ar;
	struct pane_stream_record	 pr;
	uint64_t			 timeout, id, after;
	int				 result = -1, found, named;

	ap = amux_pane_get(cmdq_get_target(item)->wp);
	if (amux_client_refused(item) ||
	    cmd_read_pane_check(item, args) != 0 ||
	    amux_wait_timeout(item, args, 'T', &timeout) != 0 ||
	    cmd_read_pane_which(item, args, &id) != 0 ||
	    cmd_read_pane_after(item, args, ap, &after) != 0)
		goto fail;
	if (args_has(args, 'w') && !amux_wait_allowed(item))
		goto fail;

	amux_pane_update(ap);
	if (args_has(args, 'C')) {
		amux_pane_read(ap, pane_stream_total(ap->stream));
		return (CMD_RETURN_NORMAL);
	}

	named = (id != 0);
	if (!named && args_has(args, 'w') && !args_has(args, 'a'))
		id = cmd_read_pane_newest(ap);
	ar = cmd_read_pane_data(args, ap, id);
	ar->named = named;
	ar->after = after;
	if (args_has(args, 'w') && ar->what == AMUX_READ_AFTER) {
		if (pane_stream_total(ap->stream) == after &&
		    !amux_state_dead(ap)) {
			amux_wait_output(item, ap, after, timeout,
			    cmd_read_pane_woken, amux_read_free, ar);
			return (CMD_RETURN_WAIT);
		}
	} else if (args_has(args, 'w') && id != 0) {
		if (amux_read_record(item, ar, ap, &pr, &found) != 0) {
			amux_read_free(ar);
			return (CMD_RETURN_ERROR);
		}
		if (~pr.flags & PANE_STREAM_FINISHED) {
			amux_wait_pane(item, ap, id, timeout,
			    cmd_read_pane_woken, amux_read_free, ar);
			return (CMD_RETURN_WAIT);
		}
	} else if (args_has(args, 'w') && amux_state_get(ap) == AMUX_RUNNING) {
		/* Something runs that no mark has told of. */
		amux_wait_pane(item, ap, 0, timeout, cmd_read_pane_woken,
		    amux_read_free, ar);
		return (CMD_RETURN_WAIT);
	}

	result = amux_read_run(item, ar, AMUX_WOKEN_DONE);
	amux_read_free(ar);
	if (result == 1)
		return (CMD_RETURN_WAIT);
	return (result == 0 ? CMD_RETURN_NORMAL : CMD_RETURN_ERROR);

fail:
	if (args_has(args, 'E') && c != NULL)
		c->retval = AMUX_EXIT_FAILED;
	return (CMD_RETURN_ERROR);
}
