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
#include <string.h>

#include "tmux.h"
#include "amux-hooks.h"
#include "amux-audit.h"

/*
 * Formats of a pane and of a command record. The manual page documents each.
 */

static const char	*amux_format_ended_names[] = {
	"submitted", "running", "exited", "cancelled", "lost", "nothing"
};

static const struct {
	unsigned int	 flag;
	const char	*name;
} amux_format_flags[] = {
	{ PANE_STREAM_C_MISSING, "c-missing" },
	{ PANE_STREAM_ALTERNATE, "alternate" },
	{ PANE_STREAM_FOREIGN, "foreign" },
	{ PANE_STREAM_OVERWRITTEN, "overwritten" },
	{ PANE_STREAM_BY_PROGRAM, "by-program" },
	{ PANE_STREAM_FINISHED, "finished" },
	{ PANE_STREAM_PANE_ENDED, "pane-ended" },
	{ PANE_STREAM_MERGED, "merged" },
	{ PANE_STREAM_UNMARKED, "unmarked" }
};

const char *
amux_format_ended(enum pane_stream_ended ended)
{
	return (amux_format_ended_names[ended]);
}

/* Get the pane of a format, with what has ended settled. */
static struct amux_pane *
amux_format_pane(struct format_tree *ft)
{
	struct window_pane	*wp = format_get_pane(ft);
	struct amux_pane	*ap;

	if (wp == NULL || (ap = amux_pane_find(wp->id)) == NULL)
		return (NULL);
	return (ap);
}

static char *
amux_format_number(uint64_t n)
{
	char	*s;

	xasprintf(&s, "%llu", (unsigned long long)n);
	return (s);
}

/* Statuses of a pipeline, with commas. */
char *
amux_format_pipe(const struct pane_stream_record *pr)
{
	char		*s = xstrdup(""), *next;
	unsigned int	 i;

	for (i = 0; i < pr->npipe; i++) {
		xasprintf(&next, "%s%s%u", s, i == 0 ? "" : ",", pr->pipe[i]);
		free(s);
		s = next;
	}
	return (s);
}

/* Names of a record's flags, with commas. */
void
amux_format_flags_of(const struct pane_stream_record *pr, char *flags)
{
	size_t	i, used = 0;

	*flags = '\0';
	for (i = 0; i < nitems(amux_format_flags); i++) {
		if (~pr->flags & amux_format_flags[i].flag)
			continue;
		used += xsnprintf(flags + used, AMUX_FORMAT_FLAGS_SIZE - used,
		    "%s%s", used == 0 ? "" : ",", amux_format_flags[i].name);
	}
}

/* How long a command ran, or has run; in ns, UNKNOWN if it did not start. */
static uint64_t
amux_format_took(const struct pane_stream_record *pr)
{
	uint64_t	end = pr->finished;

	if (pr->started == PANE_STREAM_UNKNOWN)
		return (PANE_STREAM_UNKNOWN);
	if (end == PANE_STREAM_UNKNOWN)
		end = amux_pane_now();
	return (end < pr->started ? 0 : end - pr->started);
}

static void
amux_format_add_offset(struct format_tree *ft, const char *name, uint64_t n)
{
	if (n == PANE_STREAM_UNKNOWN)
		format_add(ft, name, "%s", "");
	else
		format_add(ft, name, "%llu", (unsigned long long)n);
}

/* Add the formats of a record; with NULL, all of them empty. */
void
amux_format_record(struct format_tree *ft, struct pane_stream *ps,
    const struct pane_stream_record *pr)
{
	struct pane_stream_record	 none;
	char				*s;
	char				 flags[AMUX_FORMAT_FLAGS_SIZE];
	uint64_t			 end, duration, bytes;

	if (pr == NULL) {
		memset(&none, 0, sizeof none);
		none.status = PANE_STREAM_NO_STATUS;
		none.mark = none.line_start = PANE_STREAM_UNKNOWN;
		none.output_start = none.output_end = PANE_STREAM_UNKNOWN;
		none.started = PANE_STREAM_UNKNOWN;
		format_add(ft, "command_id", "%s", "");
		format_add(ft, "command_ended", "%s", "");
		pr = &none;
	} else {
		amux_format_add_offset(ft, "command_id", pr->id);
		format_add(ft, "command_ended", "%s",
		    amux_format_ended(pr->ended));
	}

	if (pr->status == PANE_STREAM_NO_STATUS)
		format_add(ft, "command_status", "%s", "");
	else
		format_add(ft, "command_status", "%d", pr->status);
	s = amux_format_pipe(pr);
	format_add(ft, "command_pipestatus", "%s", s);
	free(s);

	duration = amux_format_took(pr);
	amux_format_add_offset(ft, "command_duration_ns", duration);
	if (duration != PANE_STREAM_UNKNOWN)
		duration /= 1000000;
	amux_format_add_offset(ft, "command_duration_ms", duration);

	amux_format_flags_of(pr, flags);
	format_add(ft, "command_flags", "%s", flags);

	amux_format_add_offset(ft, "command_mark", pr->mark);
	amux_format_add_offset(ft, "command_line_start", pr->line_start);
	amux_format_add_offset(ft, "command_output_start", pr->output_start);
	amux_format_add_offset(ft, "command_output_end", pr->output_end);
	bytes = PANE_STREAM_UNKNOWN;
	if (pr->output_start != PANE_STREAM_UNKNOWN) {
		end = pr->output_end;
		if (end == PANE_STREAM_UNKNOWN)
			end = pane_stream_total(ps);
		bytes = end - pr->output_start;
	}
	amux_format_add_offset(ft, "command_output_bytes", bytes);
	format_add(ft, "command_line", "%s",
	    pr->cmdline == NULL ? "" : pr->cmdline);
}

/* Callbacks of the pane's formats; each returns what the caller frees. */
#define AMUX_FORMAT(name)						\
static void *								\
amux_format_##name(struct format_tree *ft)				\
{									\
	struct amux_pane	*ap = amux_format_pane(ft);		\
									\
	if (ap == NULL)							\
		return (NULL);						\
	return (amux_format_##name##_of(ap));				\
}

static char *
amux_format_state_of(struct amux_pane *ap)
{
	amux_pane_update(ap);
	return (xstrdup(amux_state_name(amux_state_get(ap))));
}
AMUX_FORMAT(state)

static char *
amux_format_running_of(struct amux_pane *ap)
{
	amux_pane_update(ap);
	return (xstrdup(amux_state_get(ap) == AMUX_RUNNING ? "1" : "0"));
}
AMUX_FORMAT(running)

static char *
amux_format_status_of(struct amux_pane *ap)
{
	struct pane_stream_record	 pr;
	char				*s;

	if (!pane_stream_last_ended(ap->stream, &pr) ||
	    pr.status == PANE_STREAM_NO_STATUS)
		return (xstrdup(""));
	xasprintf(&s, "%d", pr.status);
	return (s);
}
AMUX_FORMAT(status)

static char *
amux_format_pipestatus_of(struct amux_pane *ap)
{
	struct pane_stream_record	pr;

	if (!pane_stream_last_ended(ap->stream, &pr))
		return (xstrdup(""));
	return (amux_format_pipe(&pr));
}
AMUX_FORMAT(pipestatus)

/* Duration of the newest command in a unit of so many ns. */
static char *
amux_format_duration_in(struct amux_pane *ap, uint64_t unit)
{
	struct pane_stream_record	pr;
	uint64_t			duration;

	if (!pane_stream_last(ap->stream, &pr))
		return (xstrdup(""));
	duration = amux_format_took(&pr);
	if (duration == PANE_STREAM_UNKNOWN)
		return (xstrdup(""));
	return (amux_format_number(duration / unit));
}

static char *
amux_format_duration_of(struct amux_pane *ap)
{
	return (amux_format_duration_in(ap, 1000000000ULL));
}
AMUX_FORMAT(duration)

static char *
amux_format_duration_ms_of(struct amux_pane *ap)
{
	return (amux_format_duration_in(ap, 1000000ULL));
}
AMUX_FORMAT(duration_ms)

static char *
amux_format_id_of(struct amux_pane *ap)
{
	struct pane_stream_record	pr;

	if (!pane_stream_last(ap->stream, &pr))
		return (xstrdup(""));
	return (amux_format_number(pr.id));
}
AMUX_FORMAT(id)

static char *
amux_format_line_of(struct amux_pane *ap)
{
	struct pane_stream_record	pr;

	if (!pane_stream_last(ap->stream, &pr) || pr.cmdline == NULL)
		return (xstrdup(""));
	return (xstrdup(pr.cmdline));
}
AMUX_FORMAT(line)

static char *
amux_format_unread_of(struct amux_pane *ap)
{
	return (amux_format_number(pane_stream_unread(ap->stream)));
}
AMUX_FORMAT(unread)

static char *
amux_format_total_of(struct amux_pane *ap)
{
	return (amux_format_number(pane_stream_total(ap->stream)));
}
AMUX_FORMAT(total)

static char *
amux_format_dropped_of(struct amux_pane *ap)
{
	return (amux_format_number(pane_stream_dropped(ap->stream)));
}
AMUX_FORMAT(dropped)

static char *
amux_format_size_of(struct amux_pane *ap)
{
	return (amux_format_number(pane_stream_size(ap->stream)));
}
AMUX_FORMAT(size)

static char *
amux_format_input_of(struct amux_pane *ap)
{
	return (xstrdup(amux_state_input_name(amux_state_input(ap))));
}
AMUX_FORMAT(input)

static char *
amux_format_foreground_of(struct amux_pane *ap)
{
	return (amux_state_foreground(ap));
}
AMUX_FORMAT(foreground)

static char *
amux_format_prompt_empty_of(struct amux_pane *ap)
{
	amux_pane_update(ap);
	return (xstrdup(amux_state_at_empty_prompt(ap) ? "1" : "0"));
}
AMUX_FORMAT(prompt_empty)

static char *
amux_format_integrated_of(struct amux_pane *ap)
{
	return (xstrdup(pane_stream_integrated(ap->stream) ? "1" : "0"));
}
AMUX_FORMAT(integrated)

static char *
amux_format_nested_of(struct amux_pane *ap)
{
	return (xstrdup(pane_stream_foreign(ap->stream) ? "1" : "0"));
}
AMUX_FORMAT(nested)

static char *
amux_format_nonce_of(struct amux_pane *ap)
{
	return (xstrdup(ap->nonce));
}
AMUX_FORMAT(nonce)

static char *
amux_format_audit_dropped_of(__unused struct amux_pane *ap)
{
	return (amux_format_number(amux_audit_dropped()));
}
AMUX_FORMAT(audit_dropped)

static const struct {
	const char	*name;
	format_cb	 cb;
} amux_formats[] = {
	{ "audit_dropped", amux_format_audit_dropped },
	{ "pane_command_duration", amux_format_duration },
	{ "pane_command_duration_ms", amux_format_duration_ms },
	{ "pane_command_id", amux_format_id },
	{ "pane_command_line", amux_format_line },
	{ "pane_command_pipestatus", amux_format_pipestatus },
	{ "pane_command_running", amux_format_running },
	{ "pane_command_state", amux_format_state },
	{ "pane_command_status", amux_format_status },
	{ "pane_foreground", amux_format_foreground },
	{ "pane_input_mode", amux_format_input },
	{ "pane_integrated", amux_format_integrated },
	{ "pane_last_exit_code", amux_format_status },
	{ "pane_nested", amux_format_nested },
	{ "pane_nonce", amux_format_nonce },
	{ "pane_prompt_empty", amux_format_prompt_empty },
	{ "pane_stream_bytes", amux_format_unread },
	{ "pane_stream_dropped", amux_format_dropped },
	{ "pane_stream_size", amux_format_size },
	{ "pane_stream_total", amux_format_total }
};

/*
 * Is this a format of ours? 3.8 has some of the same names in its own table,
 * which is looked at first: there the names mean what they mean elsewhere.
 */
int
amux_format_ours(const char *name)
{
	u_int	i;

	if (strncmp(name, "pane_", 5) != 0)
		return (0);
	for (i = 0; i < nitems(amux_formats); i++) {
		if (strcmp(name, amux_formats[i].name) == 0)
			return (1);
	}
	return (0);
}

/* Add the formats of a pane to a tree that has one. */
void
amux_format_add(struct format_tree *ft)
{
	u_int	i;

	for (i = 0; i < nitems(amux_formats); i++)
		format_add_cb(ft, amux_formats[i].name, amux_formats[i].cb);
}
