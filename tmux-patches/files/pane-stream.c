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

#include <string.h>

#include "pane-stream.h"
#include "stream-command.h"
#include "stream-eol.h"
#include "stream-memory.h"
#include "stream-osc133.h"
#include "stream-record.h"
#include "stream-ring.h"
#include "stream-submit.h"
#include "stream-switch.h"
#include "stream-text.h"

/*
 * The stream of a pane: its bytes, and what their marks tell.
 */

struct pane_stream {
	struct pane_stream_pool		*pool;
	struct stream_ring		 ring;
	struct osc133_scanner		*scanner;
	struct stream_command		 command;

	uint64_t			 cursor;
	uint64_t			 mark;
	uint64_t			 dropped;
	uint64_t			 last_append;

	struct stream_switches		 switches;

	/* The bytes that are being appended. */
	const unsigned char		*buf;
	uint64_t			 base;	/* offset of the first */
	uint64_t			 taken;	/* up to here they were */
	uint64_t			 now;
};

static void	 pane_stream_mark_cb(void *, const struct osc133_mark *);
static void	 pane_stream_alternate_cb(void *, int, uint64_t);

static const struct osc133_events pane_stream_events = {
	pane_stream_mark_cb,
	pane_stream_alternate_cb
};

struct pane_stream *
pane_stream_create(struct pane_stream_pool *pool)
{
	return (pane_stream_create_at(pool, 0));
}

struct pane_stream *
pane_stream_create_at(struct pane_stream_pool *pool, uint64_t offset)
{
	struct pane_stream	*ps;

	ps = stream_memory_alloc(sizeof *ps);
	if (ps == NULL)
		return (NULL);
	memset(ps, 0, sizeof *ps);
	ps->scanner = osc133_create(offset);
	if (ps->scanner == NULL) {
		stream_memory_free(ps);
		return (NULL);
	}
	ps->pool = pool;
	ps->ring.limit = PANE_STREAM_LIMIT;
	ps->ring.total = ps->ring.oldest = offset;
	ps->cursor = ps->mark = offset;
	ps->last_append = PANE_STREAM_UNKNOWN;
	stream_command_init(&ps->command, pool);
	return (ps);
}

void
pane_stream_free(struct pane_stream *ps)
{
	if (ps == NULL)
		return;
	stream_ring_free(&ps->ring, &ps->pool->used);
	osc133_free(ps->scanner);
	stream_command_free(&ps->command);
	stream_switch_free(&ps->switches);
	stream_memory_free(ps);
}

void
pane_stream_set_allocator(void *(*alloc_cb)(size_t),
    void *(*realloc_cb)(void *, size_t), void (*free_cb)(void *))
{
	stream_memory_set(alloc_cb, realloc_cb, free_cb);
}

/* What was overwritten before it was read is counted, and passed over. */
static void
pane_stream_catch_up(struct pane_stream *ps)
{
	if (ps->cursor < ps->ring.oldest) {
		ps->dropped += ps->ring.oldest - ps->cursor;
		ps->cursor = ps->ring.oldest;
	}
}

void
pane_stream_set_limit(struct pane_stream *ps, uint64_t limit)
{
	stream_ring_set_limit(&ps->ring, limit, &ps->pool->used);
	pane_stream_catch_up(ps);
}

int
pane_stream_set_nonce(struct pane_stream *ps, const char *nonce)
{
	return (stream_command_set_nonce(&ps->command, nonce));
}

static uint64_t
pane_stream_total_limit(const struct pane_stream *ps)
{
	if (ps->pool->limit == 0)
		return (PANE_STREAM_TOTAL_LIMIT);
	return (ps->pool->limit);
}

/* Gives the bytes up to an offset to the commands. */
static void
pane_stream_take(struct pane_stream *ps, uint64_t to)
{
	if (to <= ps->taken)
		return;
	stream_command_bytes(&ps->command, ps->buf + (ps->taken - ps->base),
	    (size_t)(to - ps->taken), ps->taken, ps->now);
	ps->taken = to;
}

static void
pane_stream_mark_cb(void *arg, const struct osc133_mark *mark)
{
	struct pane_stream	*ps = arg;

	pane_stream_take(ps, mark->start);
	stream_command_mark(&ps->command, mark, ps->now);
}

static void
pane_stream_note_switch(struct pane_stream *ps, int on, uint64_t offset)
{
	if (on != ps->command.alternate)
		stream_switch_note(&ps->switches, on, offset);
}

static void
pane_stream_alternate_cb(void *arg, int on, uint64_t offset)
{
	struct pane_stream	*ps = arg;

	pane_stream_take(ps, offset);
	pane_stream_note_switch(ps, on, offset);
	stream_command_alternate(&ps->command, on);
}

void
pane_stream_append(struct pane_stream *ps, const unsigned char *buf,
    size_t len, uint64_t now)
{
	/* No offset may become the one that says it is unknown. */
	if (len > PANE_STREAM_UNKNOWN - 1 - ps->ring.total)
		len = (size_t)(PANE_STREAM_UNKNOWN - 1 - ps->ring.total);
	if (len == 0)
		return;

	ps->buf = buf;
	ps->base = ps->taken = ps->ring.total;
	ps->now = now;
	ps->last_append = now;
	osc133_scan(ps->scanner, &pane_stream_events, ps, buf, len);
	pane_stream_take(ps, ps->base + len);
	ps->buf = NULL;

	stream_ring_append(&ps->ring, buf, len, &ps->pool->used,
	    pane_stream_total_limit(ps));
	pane_stream_catch_up(ps);
}

void
pane_stream_end(struct pane_stream *ps, uint64_t now)
{
	pane_stream_note_switch(ps, 0, ps->ring.total);
	stream_command_end(&ps->command, ps->ring.total, now);
	osc133_reset(ps->scanner);
}

uint64_t
pane_stream_submit(struct pane_stream *ps, unsigned int lines, int exact,
    uint64_t now)
{
	pane_stream_set_mark(ps);
	return (stream_submit_add(&ps->command, ps->ring.total, lines,
	    exact, now));
}

void
pane_stream_set_mark(struct pane_stream *ps)
{
	ps->mark = ps->ring.total;
}

enum pane_stream_readiness
pane_stream_ready(const struct pane_stream *ps, uint64_t id)
{
	return (stream_submit_ready(&ps->command, id));
}

void
pane_stream_settle(struct pane_stream *ps, uint64_t id, uint64_t now)
{
	stream_submit_settle(&ps->command, ps->ring.total, id, now);
}

uint64_t
pane_stream_pending(const struct pane_stream *ps)
{
	const struct stream_record	*record;

	record = stream_submit_oldest(&ps->command);
	return ((record != NULL) ? record->r.id : 0);
}

uint64_t
pane_stream_total(const struct pane_stream *ps)
{
	return (ps->ring.total);
}

uint64_t
pane_stream_oldest(const struct pane_stream *ps)
{
	return (ps->ring.oldest);
}

uint64_t
pane_stream_cursor(const struct pane_stream *ps)
{
	return (ps->cursor);
}

uint64_t
pane_stream_mark(const struct pane_stream *ps)
{
	return (ps->mark);
}

uint64_t
pane_stream_unread(const struct pane_stream *ps)
{
	return (ps->ring.total - ps->cursor);
}

uint64_t
pane_stream_dropped(const struct pane_stream *ps)
{
	return (ps->dropped);
}

uint64_t
pane_stream_size(const struct pane_stream *ps)
{
	return (ps->ring.size);
}

uint64_t
pane_stream_last_append(const struct pane_stream *ps)
{
	return (ps->last_append);
}

void
pane_stream_set_cursor(struct pane_stream *ps, uint64_t offset)
{
	if (offset > ps->ring.total)
		offset = ps->ring.total;
	if (offset > ps->cursor)
		ps->cursor = offset;
}

enum pane_stream_phase
pane_stream_phase(const struct pane_stream *ps)
{
	return (ps->command.phase);
}

int
pane_stream_waiting(const struct pane_stream *ps)
{
	return (ps->command.waiting);
}

int
pane_stream_continuation(const struct pane_stream *ps)
{
	return (ps->command.secondary);
}

int
pane_stream_integrated(const struct pane_stream *ps)
{
	return (ps->command.integrated);
}

int
pane_stream_foreign(const struct pane_stream *ps)
{
	return (ps->command.foreign);
}

int
pane_stream_alternate(const struct pane_stream *ps)
{
	return (ps->command.alternate);
}

int
pane_stream_prompt_empty(const struct pane_stream *ps)
{
	return (ps->command.phase == PANE_STREAM_INPUT &&
	    stream_echo_empty(&ps->command.echo));
}

/* A submission of which nothing came is no command. */
static int
pane_stream_is_counted(const struct stream_record *record)
{
	return (record->r.ended != PANE_STREAM_NOTHING);
}

unsigned int
pane_stream_count(const struct pane_stream *ps)
{
	const struct stream_records	*records = &ps->command.records;
	unsigned int			 i, count = 0;

	for (i = 0; i < records->count; i++) {
		if (pane_stream_is_counted(stream_record_at(records, i)))
			count++;
	}
	return (count);
}

/* A record as it looks from outside. */
static void
pane_stream_give(const struct pane_stream *ps,
    const struct stream_record *record, struct pane_stream_record *out)
{
	stream_record_get(record, ps->ring.oldest, out);
	if (out->output_end != PANE_STREAM_UNKNOWN) {
		out->output_end = stream_eol_find(&ps->ring, out->output_start,
		    out->output_end);
	}
}

int
pane_stream_get(const struct pane_stream *ps, unsigned int n,
    struct pane_stream_record *out)
{
	const struct stream_records	*records = &ps->command.records;
	const struct stream_record	*record;
	unsigned int			 i;

	for (i = 0; i < records->count; i++) {
		record = stream_record_at(records, i);
		if (!pane_stream_is_counted(record) || n-- != 0)
			continue;
		pane_stream_give(ps, record, out);
		return (1);
	}
	return (0);
}

int
pane_stream_find(const struct pane_stream *ps, uint64_t id,
    struct pane_stream_record *out)
{
	const struct stream_record	*record;

	record = stream_record_find(&ps->command.records, id);
	if (record == NULL)
		return (0);
	pane_stream_give(ps, record, out);
	return (1);
}

/* The newest that was started, or of those that have ended. */
static int
pane_stream_newest(const struct pane_stream *ps, int ended,
    struct pane_stream_record *out)
{
	const struct stream_records	*records = &ps->command.records;
	const struct stream_record	*record;
	unsigned int			 i;

	for (i = records->count; i != 0; i--) {
		record = stream_record_at(records, i - 1);
		if (record->r.started == PANE_STREAM_UNKNOWN)
			continue;
		pane_stream_give(ps, record, out);
		if (!ended || (out->ended != PANE_STREAM_RUNNING &&
		    out->ended != PANE_STREAM_SUBMITTED))
			return (1);
	}
	return (0);
}

int
pane_stream_last(const struct pane_stream *ps, struct pane_stream_record *out)
{
	return (pane_stream_newest(ps, 0, out));
}

int
pane_stream_last_ended(const struct pane_stream *ps,
    struct pane_stream_record *out)
{
	return (pane_stream_newest(ps, 1, out));
}

uint64_t
pane_stream_next_finished(struct pane_stream *ps)
{
	return (stream_record_next_finished(&ps->command.records));
}

int
pane_stream_forgotten(const struct pane_stream *ps, uint64_t id)
{
	return (stream_record_forgotten(&ps->command.records, id));
}

size_t
pane_stream_peek(const struct pane_stream *ps, uint64_t offset,
    const unsigned char **piece)
{
	return (stream_ring_peek(&ps->ring, offset, piece));
}

/* Gives a range to a renderer. Returns 0, or -1 without memory. */
static int
pane_stream_feed(const struct pane_stream *ps, uint64_t from, uint64_t to,
    struct stream_text *text)
{
	const unsigned char	*piece = NULL;
	size_t			 n;

	for (; from != to; from += n) {
		n = stream_ring_peek(&ps->ring, from, &piece);
		if (n > to - from)
			n = (size_t)(to - from);
		if (stream_text_feed(text, piece, n) != 0)
			return (-1);
	}
	return (0);
}

/*
 * How far a range that ends where the stream does has to be looked at: what is
 * inside an OSC or a DCS without an end is held back in any case. Whoever asks
 * again and again while it grows would have all of it looked at each time.
 */
static uint64_t
pane_stream_stop(const struct pane_stream *ps, uint64_t from, uint64_t to,
    enum pane_stream_render how)
{
	enum osc133_inside	inside;
	uint64_t		start;

	inside = osc133_inside(ps->scanner, &start);
	if (inside == OSC133_IN_NONE || to != ps->ring.total ||
	    start < from || to - start < 2)
		return (to);
	if (how == PANE_STREAM_ESCAPES && inside != OSC133_IN_MARK)
		return (to);
	return (start + 2);
}

void
pane_stream_render(const struct pane_stream *ps, uint64_t from, uint64_t to,
    enum pane_stream_render how, int final,
    void (*write)(void *, const char *, size_t), void *arg,
    struct pane_stream_rendered *out)
{
	struct stream_text	*text;
	const unsigned char	*piece = NULL;
	unsigned int		 flags = 0;
	uint64_t		 stop;
	size_t			 n;
	long			 unused;

	memset(out, 0, sizeof *out);
	if (to > ps->ring.total)
		to = ps->ring.total;
	out->end = to;
	if (from >= to)
		return;
	if (from < ps->ring.oldest) {
		out->missing = ps->ring.oldest - from;
		if (ps->ring.oldest >= to) {
			out->missing = to - from;
			return;
		}
		from = ps->ring.oldest;
	}

	if (how == PANE_STREAM_RAW) {
		for (; from != to; from += n) {
			n = stream_ring_peek(&ps->ring, from, &piece);
			if (n > to - from)
				n = (size_t)(to - from);
			write(arg, (const char *)piece, n);
		}
		return;
	}

	if (how == PANE_STREAM_ESCAPES)
		flags |= STREAM_TEXT_ESCAPES;
	if (final)
		flags |= STREAM_TEXT_FINAL;
	if (stream_switch_at(&ps->switches, from))
		flags |= STREAM_TEXT_ALTERNATE;
	text = stream_text_create(flags, write, arg);
	if (text == NULL) {
		out->end = from;
		out->failed = 1;
		return;
	}
	stop = final ? to : pane_stream_stop(ps, from, to, how);
	if (pane_stream_feed(ps, from, stop, text) != 0)
		out->failed = 1;
	else if (stop != to && !stream_text_opened(text)) {
		/* The range begins inside another string: not so simple. */
		if (pane_stream_feed(ps, stop, to, text) != 0)
			out->failed = 1;
		stop = to;
	}
	if (!out->failed) {
		unused = stream_text_end(text);
		if (unused < 0)
			out->failed = 1;
		else
			out->end = stop - (uint64_t)unused;
	}
	out->alternate = stream_text_alternate(text);
	stream_text_free(text);
}
