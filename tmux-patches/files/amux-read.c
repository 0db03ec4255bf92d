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

#include <stdlib.h>

#include "tmux.h"
#include "amux-hooks.h"
#include "amux-audit.h"
#include "amux-read.h"

/*
 * Reads what read-pane was asked for, and decides how it ends.
 */

/* Most bytes of a line in front of a text that need no copy of it. */
#define AMUX_READ_LINE_ROOM 512

/* Default line of -l. */
#define AMUX_READ_OR_DASH(name)						\
	"#{?#{==:#{" name "},},-,#{" name "}}"
#define AMUX_READ_LINE							\
	"#{command_id} #{command_ended} "				\
	AMUX_READ_OR_DASH("command_status") " "				\
	AMUX_READ_OR_DASH("command_duration_ms") " "			\
	AMUX_READ_OR_DASH("command_output_bytes")

void
amux_read_free(void *arg)
{
	struct amux_read	*ar = arg;

	free(ar->format);
	free(ar->path);
	free(ar->buffer);
	free(ar->message);
	free(ar);
}

static void
amux_read_collect(void *arg, const char *data, size_t size)
{
	evbuffer_add(arg, data, size);
}

/*
 * Make room for the text of a range in one piece, with some for a line in front
 * of it: what is in several pieces is copied once more when it is sent.
 */
static void
amux_read_make_room(struct amux_pane *ap, uint64_t from, uint64_t to,
    struct evbuffer *text)
{
	static const char	room[AMUX_READ_LINE_ROOM];
	uint64_t		oldest = pane_stream_oldest(ap->stream);

	if (from < oldest)
		from = oldest;
	evbuffer_expand(text, sizeof room + (from < to ? to - from : 0));
	evbuffer_add(text, room, sizeof room);
}

/* Expand the format with what is known of the pane and of a record. */
static void
amux_read_line(struct cmdq_item *item, struct amux_pane *ap,
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
amux_read_records(struct cmdq_item *item, struct amux_pane *ap,
    struct amux_read *ar, struct evbuffer *evb)
{
	struct pane_stream_record	 pr;
	const char			*format = ar->format;
	u_int				 i, n = pane_stream_count(ap->stream);

	if (format == NULL)
		format = AMUX_READ_LINE;
	for (i = 0; i < n; i++) {
		if (pane_stream_get(ap->stream, i, &pr))
			amux_read_line(item, ap, format, &pr, NULL, 0, 0, evb);
	}
}

/* Find the range to read. Returns -1 if an error has been shown. */
static int
amux_read_range(struct cmdq_item *item, struct amux_read *ar,
    struct amux_pane *ap, const struct pane_stream_record *pr, uint64_t *from,
    uint64_t *to, int *final)
{
	struct pane_stream	*ps = ap->stream;

	*to = pane_stream_total(ps);
	*final = amux_state_dead(ap);
	switch (ar->what) {
	case AMUX_READ_OUTPUT:
		if (pr == NULL) {
			amux_deliver_error(item, ar, "no command yet");
			return (-1);
		}
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
	case AMUX_READ_SINCE_WRITE:
		*from = pane_stream_mark(ps);
		break;
	case AMUX_READ_AFTER:
		*from = ar->after;
		break;
	default:
		/* Where the reader stopped, even if that is overwritten. */
		*from = ap->read_to;
		break;
	}
	return (0);
}

/* Decide how it ends: the status to exit with, and a message if it fails. */
static void
amux_read_decide(struct amux_read *ar, const struct pane_stream_record *pr,
    enum amux_woken why)
{
	int	failed = ar->status ? AMUX_EXIT_FAILED : 1;

	ar->retval = 0;
	ar->message = NULL;
	switch (why) {
	case AMUX_WOKEN_TIMEOUT:
		ar->retval = AMUX_EXIT_TIMEOUT;
		ar->message = xstrdup("timed out");
		return;
	case AMUX_WOKEN_CONTINUATION:
		ar->retval = failed;
		ar->message = xstrdup("the shell waits for more input");
		return;
	case AMUX_WOKEN_SERVER_EXIT:
		ar->retval = failed;
		ar->message = xstrdup("server exited");
		return;
	case AMUX_WOKEN_PANE_GONE:
		ar->retval = failed;
		ar->message = xstrdup("pane is dead");
		return;
	case AMUX_WOKEN_DONE:
	case AMUX_WOKEN_FILE:
		break;
	}
	if (ar->waited && pr != NULL && (pr->flags & PANE_STREAM_PANE_ENDED)) {
		ar->retval = failed;
		ar->message = xstrdup("pane is dead");
		return;
	}
	if (!ar->status)
		return;
	if (pr != NULL && pr->status != PANE_STREAM_NO_STATUS) {
		ar->retval = pr->status;
		return;
	}
	ar->retval = AMUX_EXIT_FAILED;
	if (pr == NULL)
		ar->message = xstrdup("no command yet");
	else
		xasprintf(&ar->message, "command has no exit status: %s",
		    amux_format_ended(pr->ended));
}

int
amux_read_record(struct cmdq_item *item, struct amux_read *ar,
    struct amux_pane *ap, struct pane_stream_record *pr, int *found)
{
	struct pane_stream_record	 last;
	char				*message;

	*found = 1;
	if (ar->id == 0) {
		*found = pane_stream_last(ap->stream, pr);
		return (0);
	}
	if (pane_stream_find(ap->stream, ar->id, pr)) {
		/*
		 * Nobody named it, and the command that ran then has read it:
		 * that one is meant.
		 */
		if (!ar->named && pr->ended == PANE_STREAM_NOTHING &&
		    pane_stream_last(ap->stream, &last) &&
		    last.output_end != PANE_STREAM_UNKNOWN &&
		    last.output_end >= pr->mark)
			*pr = last;
		return (0);
	}
	if (pane_stream_forgotten(ap->stream, ar->id))
		xasprintf(&message, "command %llu is forgotten",
		    (unsigned long long)ar->id);
	else
		xasprintf(&message, "no such command: %llu",
		    (unsigned long long)ar->id);
	amux_deliver_error(item, ar, message);
	free(message);
	return (-1);
}

/* What a pane printed is read: that goes into the audit log. */
static void
amux_read_audit(struct cmdq_item *item, struct amux_read *ar,
    struct amux_pane *ap, const struct pane_stream_record *pr, size_t size)
{
	static const char	*whats[] = {
		"unread", "output", "since-write", "after"
	};
	static const char	*renders[] = { "raw", "escapes", "clean" };
	char			 flags[64];

	xsnprintf(flags, sizeof flags, "%s,%s%s", whats[ar->what],
	    renders[ar->render], ar->count ? ",count" : "");
	amux_audit_read(item, ap, ar->what == AMUX_READ_OUTPUT && pr != NULL ?
	    pr->id : 0, flags, size);
}

int
amux_read_run(struct cmdq_item *item, struct amux_read *ar, enum amux_woken why)
{
	struct amux_pane		*ap;
	struct pane_stream_record	 pr, *prp;
	struct pane_stream_rendered	 rendered;
	struct evbuffer			*evb, *text;
	uint64_t			 from, to;
	int				 final, found, result;

	if ((ap = amux_pane_find(ar->pane)) == NULL)
		return (amux_deliver_error(item, ar, "pane has gone"));
	if (amux_read_record(item, ar, ap, &pr, &found) != 0)
		return (-1);
	prp = found ? &pr : NULL;

	evb = evbuffer_new();
	text = evbuffer_new();
	if (evb == NULL || text == NULL)
		fatalx("out of memory");

	switch (ar->what) {
	case AMUX_READ_RECORDS:
		amux_read_records(item, ap, ar, evb);
		break;
	case AMUX_READ_STATE:
		amux_read_line(item, ap, ar->format == NULL ?
		    "#{pane_command_state}" : ar->format, prp, NULL, 0, 0,
		    evb);
		break;
	default:
		if (amux_read_range(item, ar, ap, prp, &from, &to, &final) !=
		    0) {
			result = -1;
			goto out;
		}
		amux_read_make_room(ap, from, to, text);
		pane_stream_render(ap->stream, from, to, ar->render, final,
		    amux_read_collect, text, &rendered);
		if (rendered.failed)
			fatalx("out of memory");
		evbuffer_drain(text, AMUX_READ_LINE_ROOM);
		if (ar->format != NULL)
			amux_read_line(item, ap, ar->format, prp, &rendered,
			    from, EVBUFFER_LENGTH(text), evb);
		amux_read_audit(item, ar, ap, prp, EVBUFFER_LENGTH(text));
		evbuffer_prepend(text, EVBUFFER_DATA(evb),
		    EVBUFFER_LENGTH(evb));
		evbuffer_drain(evb, EVBUFFER_LENGTH(evb));
		evbuffer_add_buffer(evb, text);
		if (ar->count)
			amux_pane_read(ap, rendered.end);
		break;
	}
	amux_read_decide(ar, prp, why);
	result = amux_deliver(item, ar, evb);

out:
	evbuffer_free(text);
	evbuffer_free(evb);
	return (result);
}
