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


#include "stream-submit.h"

/*
 * Input that programs submit.
 */

static void	stream_submit_refused(struct stream_command *,
		    struct stream_record *);

struct stream_record *
stream_submit_oldest(const struct stream_command *c)
{
	struct stream_record	*record, *oldest = NULL;
	unsigned int		 i, found = 0;

	for (i = c->records.count; i != 0 && found != c->pending; i--) {
		record = stream_record_at(&c->records, i - 1);
		if (record->pending) {
			oldest = record;
			found++;
		}
	}
	return (oldest);
}

/* The oldest that is pending, if it was submitted before an offset. */
struct stream_record *
stream_submit_oldest_at(const struct stream_command *c, uint64_t at)
{
	struct stream_record	*record = stream_submit_oldest(c);

	if (record != NULL && record->r.mark > at)
		return (NULL);
	return (record);
}

/* What was submitted before this D may have been read by what it ends. */
void
stream_submit_pass(struct stream_command *c, uint64_t at)
{
	struct stream_record	*record;
	unsigned int		 i, found = 0;

	for (i = c->records.count; i != 0 && found != c->pending; i--) {
		record = stream_record_at(&c->records, i - 1);
		if (!record->pending)
			continue;
		found++;
		if (record->r.mark <= at)
			record->passed = 1;
	}
}

uint64_t
stream_submit_add(struct stream_command *c, uint64_t total,
    unsigned int lines, int exact, uint64_t now)
{
	struct stream_record	*record;

	record = stream_record_create(&c->records, &c->pool->last_id);
	if (record == NULL)
		return (0);
	record->pending = 1;
	record->exact = exact;
	record->lines = (lines != 0) ? lines : 1;
	record->r.flags = PANE_STREAM_BY_PROGRAM;
	record->r.mark = total;
	record->r.submitted = now;
	c->pending++;
	c->no_newline++;
	return (record->r.id);
}

enum pane_stream_readiness
stream_submit_ready(const struct stream_command *c, uint64_t id)
{
	const struct stream_record	*record;

	record = stream_record_find(&c->records, id);
	if (record == NULL || !record->pending)
		return (PANE_STREAM_FINISHED_ALREADY);
	if (c->phase == PANE_STREAM_NO_MARKS)
		return (PANE_STREAM_READY_UNMARKED);
	if (c->phase == PANE_STREAM_OUTPUT && record == c->open &&
	    c->stray != PANE_STREAM_UNKNOWN && !c->secondary)
		return (PANE_STREAM_READY_IF_QUIET);
	if (c->phase != PANE_STREAM_PROMPT && c->phase != PANE_STREAM_INPUT)
		return (PANE_STREAM_NOT_READY);
	if (c->prompt == PANE_STREAM_UNKNOWN || c->prompt < record->r.mark ||
	    c->waiting || c->secondary)
		return (PANE_STREAM_NOT_READY);
	if (c->phase == PANE_STREAM_PROMPT && c->inputs)
		return (PANE_STREAM_READY_IF_QUIET);
	if (stream_record_started(record))
		return (PANE_STREAM_READY);
	if (record->passed)
		return (PANE_STREAM_READY_IF_CALM);
	return (PANE_STREAM_READY_IF_QUIET);
}

/*
 * Nothing ran. What stands between the typed line and the prompt is what the
 * shell had to say about it (a syntax error, where $? was 2 already).
 */
static void
stream_submit_refused(struct stream_command *c, struct stream_record *record)
{
	record->r.output_start = record->r.output_end = record->r.mark;
	if (record->passed || c->bare || c->prompt == PANE_STREAM_UNKNOWN ||
	    record->newline > c->prompt)
		return;
	record->r.output_start = record->newline;
	record->r.output_end = c->prompt;
}

/* Settles a submission; merged says that one before it may have been both. */
void
stream_submit_settle_one(struct stream_command *c,
    struct stream_record *record, uint64_t total, uint64_t now, int merged)
{
	if (record->running && record == c->open &&
	    c->stray != PANE_STREAM_UNKNOWN) {
		/* That B was its prompt. */
		stream_record_lost(record, c->stray, now);
		c->phase = PANE_STREAM_INPUT;
		c->prompt = c->stray;
		c->input = c->stray_end;
		c->bare = 1;
		c->stray = PANE_STREAM_UNKNOWN;
	} else if (record->running)
		stream_record_lost(record, total, now);
	else if (!record->ended && c->phase == PANE_STREAM_NO_MARKS) {
		stream_record_unmarked(record, total);
		record->r.ended = PANE_STREAM_EXITED;
		record->r.finished = now;
	} else if (!record->ended) {
		record->r.ended = PANE_STREAM_NOTHING;
		stream_submit_refused(c, record);
		record->r.finished = now;
		if (merged)
			record->r.flags |= PANE_STREAM_MERGED;
	}
	stream_record_finish(&c->records, record);
	record->pending = 0;
	c->pending--;
	if (record->newline == PANE_STREAM_UNKNOWN)
		c->no_newline--;
	if (c->open == record)
		c->open = NULL;
}

void
stream_submit_settle(struct stream_command *c, uint64_t total, uint64_t id,
    uint64_t now)
{
	struct stream_record	*record;
	int			 merged = 0, started;

	while ((record = stream_submit_oldest(c)) != NULL &&
	    record->r.id <= id) {
		started = stream_record_started(record);
		stream_submit_settle_one(c, record, total, now, merged);
		if (started)
			merged = 1;
	}
}
