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
#include <sys/time.h>

#include <stdlib.h>
#include <string.h>
#include <termios.h>

#include "tmux.h"
#include "amux-hooks.h"
#include "amux-audit.h"
#include "audit-sink.h"

/*
 * Entries of the audit log, from what the server knows.
 */

/* Choices of audit-log, in the order of the option's table. */
enum amux_audit_level {
	AMUX_AUDIT_OFF,
	AMUX_AUDIT_ON,
	AMUX_AUDIT_FULL
};

/* Who has submitted what has not been told yet. */
struct amux_audit_who {
	uint64_t			 id;
	uint64_t			 pid;
	uint64_t			 uid;
	TAILQ_ENTRY(amux_audit_who)	 entry;
};

static struct audit_sink	amux_audit_sink;

static int
amux_audit_level(void)
{
	return (options_get_number(global_options, "audit-log"));
}

uint64_t
amux_audit_dropped(void)
{
	return (amux_audit_sink.dropped);
}

static uint64_t
amux_audit_now(void)
{
	struct timeval	tv;

	gettimeofday(&tv, NULL);
	return ((uint64_t)tv.tv_sec * 1000000 + tv.tv_usec);
}

/* A monotonic time in ns as us since 1970, where both clocks show now. */
static uint64_t
amux_audit_time(uint64_t ns, uint64_t monotonic, uint64_t now)
{
	uint64_t	ago;

	if (ns == PANE_STREAM_UNKNOWN || ns > monotonic)
		return (AUDIT_UNKNOWN);
	ago = (monotonic - ns) / 1000;
	return (ago > now ? 0 : now - ago);
}

int
amux_audit_hides(struct amux_pane *ap)
{
	struct termios		tio;
	enum pane_stream_phase	phase;

	if (amux_audit_level() != AMUX_AUDIT_FULL)
		return (0);
	if (ap->wp->fd == -1 || tcgetattr(ap->wp->fd, &tio) != 0)
		return (1);
	if (tio.c_lflag & ECHO)
		return (0);
	phase = pane_stream_phase(ap->stream);
	return ((tio.c_lflag & ICANON) ||
	    (phase != PANE_STREAM_PROMPT && phase != PANE_STREAM_INPUT) ||
	    amux_state_get(ap) != AMUX_IDLE);
}

void
amux_audit_input(struct amux_pane *ap)
{
	if (amux_audit_hides(ap))
		ap->hidden = amux_pane_now();
}

static void
amux_audit_client(struct audit_entry *entry, struct client *c)
{
	if (c == NULL)
		return;
	entry->pid = c->pid;
	if (c->peer != NULL)
		entry->uid = proc_get_peer_uid(c->peer);
}

/* Fill in where it was, and tell it. */
static void
amux_audit_tell(struct amux_pane *ap, struct audit_entry *entry)
{
	struct window	*w = ap->wp->window;
	struct winlink	*wl;
	char		 pane[16];

	xsnprintf(pane, sizeof pane, "%%%u", ap->id);
	entry->pane = pane;
	entry->socket = socket_path;
	if (w != NULL) {
		entry->window = w->name;
		if ((wl = TAILQ_FIRST(&w->winlinks)) != NULL)
			entry->session = wl->session->name;
	}
	audit_sink_tell(&amux_audit_sink, entry,
	    options_get_string(global_options, "audit-socket"),
	    options_get_string(global_options, "audit-file"),
	    options_get_number(global_options, "audit-file-limit"));
}

void
amux_audit_write(struct cmdq_item *item, struct amux_pane *ap, uint64_t id,
    const char *flags, const char *data, size_t size, int hides)
{
	struct audit_entry	 entry;
	struct amux_audit_who	*who;
	int			 level = amux_audit_level();
	char			 all[96];

	if (level == AMUX_AUDIT_OFF)
		return;
	if (hides)
		ap->hidden = amux_pane_now();

	audit_init(&entry, AUDIT_WRITE);
	entry.now = amux_audit_now();
	entry.id = id;
	entry.bytes = size;
	amux_audit_client(&entry, cmdq_get_client(item));
	if (level == AMUX_AUDIT_FULL && !hides) {
		entry.payload = data;
		entry.payload_size = size;
	}
	xsnprintf(all, sizeof all, "%s%s%s", flags, hides ? ",hidden" : "",
	    entry.payload != NULL && size > AUDIT_MAX_PAYLOAD ? ",cut" : "");
	entry.flags = *all == ',' ? all + 1 : all;

	if (id != 0 && entry.pid != AUDIT_UNKNOWN) {
		who = xcalloc(1, sizeof *who);
		who->id = id;
		who->pid = entry.pid;
		who->uid = entry.uid;
		TAILQ_INSERT_TAIL(&ap->who, who, entry);
	}
	amux_audit_tell(ap, &entry);
}

void
amux_audit_read(struct cmdq_item *item, struct amux_pane *ap, uint64_t id,
    const char *flags, size_t size)
{
	struct audit_entry	entry;

	if (amux_audit_level() == AMUX_AUDIT_OFF)
		return;
	audit_init(&entry, AUDIT_READ);
	entry.now = amux_audit_now();
	entry.id = id;
	entry.bytes = size;
	entry.flags = flags;
	amux_audit_client(&entry, cmdq_get_client(item));
	amux_audit_tell(ap, &entry);
}

/* Take out who has submitted a command, and those whose command is forgotten. */
static void
amux_audit_take_who(struct amux_pane *ap, uint64_t id,
    struct audit_entry *entry)
{
	struct amux_audit_who		*who, *who1;
	struct pane_stream_record	 pr;

	TAILQ_FOREACH_SAFE(who, &ap->who, entry, who1) {
		if (who->id == id) {
			entry->pid = who->pid;
			entry->uid = who->uid;
		} else if (pane_stream_find(ap->stream, who->id, &pr))
			continue;
		TAILQ_REMOVE(&ap->who, who, entry);
		free(who);
	}
}

void
amux_audit_forget(struct amux_pane *ap)
{
	struct amux_audit_who	*who, *who1;

	TAILQ_FOREACH_SAFE(who, &ap->who, entry, who1) {
		TAILQ_REMOVE(&ap->who, who, entry);
		free(who);
	}
}

/* Tell of a command that has ended. */
static void
amux_audit_command(struct amux_pane *ap, const struct pane_stream_record *pr,
    int level)
{
	struct audit_entry	 entry;
	char			 flags[AMUX_FORMAT_FLAGS_SIZE], *pipe;
	uint64_t		 monotonic;
	int			 hidden;

	audit_init(&entry, AUDIT_COMMAND);
	amux_audit_take_who(ap, pr->id, &entry);

	/*
	 * Its line may have been typed while what ran before had the echo off.
	 * Which of what was typed then was for whom, nobody knows.
	 */
	hidden = (ap->hidden != 0 && ap->hidden >= ap->line_since);
	if (pr->started != PANE_STREAM_UNKNOWN)
		ap->line_since = pr->started;

	if (level == AMUX_AUDIT_OFF || pr->ended == PANE_STREAM_NOTHING)
		return;
	entry.now = amux_audit_now();
	entry.id = pr->id;
	entry.status = pr->status;
	entry.ended = pr->flags & PANE_STREAM_PANE_ENDED ? "pane-ended" :
	    amux_format_ended(pr->ended);
	monotonic = amux_pane_now();
	entry.start = amux_audit_time(pr->started, monotonic, entry.now);
	entry.end = amux_audit_time(pr->finished, monotonic, entry.now);
	if (pr->started != PANE_STREAM_UNKNOWN &&
	    pr->finished != PANE_STREAM_UNKNOWN && pr->finished >= pr->started)
		entry.duration = (pr->finished - pr->started) / 1000000;
	if (pr->output_start != PANE_STREAM_UNKNOWN &&
	    pr->output_end != PANE_STREAM_UNKNOWN)
		entry.bytes = pr->output_end - pr->output_start;
	amux_format_flags_of(pr, flags);
	entry.flags = flags;
	entry.pipe = pipe = amux_format_pipe(pr);
	if (level == AMUX_AUDIT_FULL && !hidden)
		entry.line = pr->cmdline;
	amux_audit_tell(ap, &entry);
	free(pipe);
}

void
amux_audit_commands(struct amux_pane *ap)
{
	struct pane_stream_record	pr;
	uint64_t			id;

	while ((id = pane_stream_next_finished(ap->stream)) != 0) {
		if (pane_stream_find(ap->stream, id, &pr))
			amux_audit_command(ap, &pr, amux_audit_level());
	}
}
