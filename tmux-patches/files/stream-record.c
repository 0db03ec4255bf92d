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

#include "stream-memory.h"
#include "stream-record.h"

/*
 * Records of commands.
 */

static struct stream_record **stream_record_slot(const struct stream_records *,
		     unsigned int);
static void	 stream_record_free(struct stream_record *);
static void	 stream_record_take_out(struct stream_records *, unsigned int);
static int	 stream_record_make_room(struct stream_records *);

static struct stream_record **
stream_record_slot(const struct stream_records *records, unsigned int i)
{
	return (&records->list[(records->head + i) & (records->size - 1)]);
}

static void
stream_record_free(struct stream_record *record)
{
	stream_memory_free(record->pipe);
	stream_memory_free(record->cmdline);
	stream_memory_free(record);
}

/* Takes one out of the list and frees it. */
static void
stream_record_take_out(struct stream_records *records, unsigned int i)
{
	if ((*stream_record_slot(records, i))->untold)
		records->untold--;
	stream_record_free(*stream_record_slot(records, i));
	if (i == 0)
		records->head = (records->head + 1) & (records->size - 1);
	else {
		for (; i + 1 < records->count; i++)
			*stream_record_slot(records, i) =
			    *stream_record_slot(records, i + 1);
	}
	records->count--;
}

/* Makes room for one more. */
static int
stream_record_make_room(struct stream_records *records)
{
	struct stream_record	**list, *oldest;
	unsigned int		  i, size;

	if (records->count == PANE_STREAM_RECORDS) {
		for (i = 0; i < records->count; i++) {
			oldest = *stream_record_slot(records, i);
			if (~oldest->r.flags & PANE_STREAM_FINISHED)
				continue;
			if (oldest->r.id > records->forgotten)
				records->forgotten = oldest->r.id;
			stream_record_take_out(records, i);
			return (0);
		}
		return (-1);
	}
	if (records->count != records->size)
		return (0);
	size = (records->size != 0) ? records->size * 2 : 4;
	list = stream_memory_alloc(size * sizeof *list);
	if (list == NULL)
		return (-1);
	for (i = 0; i < records->count; i++)
		list[i] = *stream_record_slot(records, i);
	stream_memory_free(records->list);
	records->list = list;
	records->size = size;
	records->head = 0;
	return (0);
}

struct stream_record *
stream_record_create(struct stream_records *records, uint64_t *last_id)
{
	struct stream_record	*record;

	record = stream_memory_alloc(sizeof *record);
	if (record == NULL)
		return (NULL);
	if (stream_record_make_room(records) != 0) {
		stream_memory_free(record);
		return (NULL);
	}
	memset(record, 0, sizeof *record);
	record->r.id = ++*last_id;
	record->r.ended = PANE_STREAM_SUBMITTED;
	record->r.status = PANE_STREAM_NO_STATUS;
	record->r.mark = PANE_STREAM_UNKNOWN;
	record->r.line_start = PANE_STREAM_UNKNOWN;
	record->r.output_start = PANE_STREAM_UNKNOWN;
	record->r.output_end = PANE_STREAM_UNKNOWN;
	record->r.submitted = PANE_STREAM_UNKNOWN;
	record->r.started = PANE_STREAM_UNKNOWN;
	record->r.finished = PANE_STREAM_UNKNOWN;
	record->newline = PANE_STREAM_UNKNOWN;
	record->newline_time = PANE_STREAM_UNKNOWN;
	if (records->first_id == 0)
		records->first_id = record->r.id;
	records->count++;
	*stream_record_slot(records, records->count - 1) = record;
	return (record);
}

void
stream_record_remove(struct stream_records *records,
    struct stream_record *record)
{
	unsigned int	i;

	for (i = records->count; i != 0; i--) {
		if (*stream_record_slot(records, i - 1) == record) {
			stream_record_take_out(records, i - 1);
			return;
		}
	}
}

struct stream_record *
stream_record_at(const struct stream_records *records, unsigned int i)
{
	if (i >= records->count)
		return (NULL);
	return (*stream_record_slot(records, i));
}

struct stream_record *
stream_record_find(const struct stream_records *records, uint64_t id)
{
	struct stream_record	*record;
	unsigned int		 low = 0, high = records->count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		record = *stream_record_slot(records, middle);
		if (record->r.id == id)
			return (record);
		if (record->r.id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return (NULL);
}

int
stream_record_forgotten(const struct stream_records *records, uint64_t id)
{
	return (records->first_id != 0 && id >= records->first_id &&
	    id <= records->forgotten &&
	    stream_record_find(records, id) == NULL);
}

void
stream_record_cmdline(struct stream_record *record, const char *cmdline)
{
	char	*new_cmdline;
	size_t	 len = strlen(cmdline), old = 0;

	if (record->cmdline != NULL) {
		old = strlen(record->cmdline) + 1;
		if (old > OSC133_MAX_PAYLOAD)
			return;
	}
	if (len > OSC133_MAX_PAYLOAD - old)
		len = OSC133_MAX_PAYLOAD - old;
	new_cmdline = stream_memory_realloc(record->cmdline, old + len + 1);
	if (new_cmdline == NULL)
		return;
	if (old != 0)
		new_cmdline[old - 1] = '\n';
	memcpy(new_cmdline + old, cmdline, len);
	new_cmdline[old + len] = '\0';
	record->cmdline = new_cmdline;
}

void
stream_record_pipe(struct stream_record *record, const unsigned char *pipe,
    unsigned int npipe)
{
	stream_memory_free(record->pipe);
	record->pipe = NULL;
	record->r.npipe = 0;
	if (npipe == 0)
		return;
	record->pipe = stream_memory_alloc(npipe);
	if (record->pipe == NULL)
		return;
	memcpy(record->pipe, pipe, npipe);
	record->r.npipe = npipe;
}

int
stream_record_started(const struct stream_record *record)
{
	return (record->r.started != PANE_STREAM_UNKNOWN);
}

void
stream_record_exited(struct stream_record *record,
    const struct osc133_mark *mark, uint64_t now)
{
	record->running = 0;
	record->ended = 1;
	record->r.output_end = mark->start;
	record->r.finished = now;
	record->r.ended = PANE_STREAM_EXITED;
	record->r.status = PANE_STREAM_NO_STATUS;
	if (mark->status == OSC133_STATUS_ABSENT)
		record->r.ended = PANE_STREAM_CANCELLED;
	else if (mark->status != OSC133_STATUS_INVALID)
		record->r.status = mark->status;
	stream_record_pipe(record, mark->pipe, mark->npipe);
}

void
stream_record_lost(struct stream_record *record, uint64_t at, uint64_t now)
{
	record->running = 0;
	record->ended = 1;
	record->r.ended = PANE_STREAM_LOST;
	record->r.status = PANE_STREAM_NO_STATUS;
	record->r.output_end = at;
	record->r.finished = now;
	stream_record_pipe(record, NULL, 0);
}

void
stream_record_unmarked(struct stream_record *record, uint64_t total)
{
	record->r.flags |= PANE_STREAM_UNMARKED;
	record->r.started = record->r.submitted;
	record->r.output_start = record->r.mark;
	if (record->newline != PANE_STREAM_UNKNOWN)
		record->r.output_start = record->newline;
	record->r.output_end = total;
}

void
stream_record_finish(struct stream_records *records,
    struct stream_record *record)
{
	if (record->r.flags & PANE_STREAM_FINISHED)
		return;
	record->r.flags |= PANE_STREAM_FINISHED;
	record->untold = 1;
	records->untold++;
}

uint64_t
stream_record_next_finished(struct stream_records *records)
{
	struct stream_record	*record, *oldest = NULL;
	unsigned int		 i, found = 0;

	/* They are among the newest. */
	for (i = records->count; i != 0 && found != records->untold; i--) {
		record = stream_record_at(records, i - 1);
		if (record->untold) {
			oldest = record;
			found++;
		}
	}
	if (oldest == NULL)
		return (0);
	oldest->untold = 0;
	records->untold--;
	return (oldest->r.id);
}

void
stream_record_revert(struct stream_record *record)
{
	record->running = 0;
	record->ended = 0;
	record->r.ended = PANE_STREAM_SUBMITTED;
	record->r.status = PANE_STREAM_NO_STATUS;
	record->r.line_start = PANE_STREAM_UNKNOWN;
	record->r.output_start = PANE_STREAM_UNKNOWN;
	record->r.output_end = PANE_STREAM_UNKNOWN;
	record->r.started = PANE_STREAM_UNKNOWN;
	record->r.finished = PANE_STREAM_UNKNOWN;
	record->r.flags &= PANE_STREAM_BY_PROGRAM;
	stream_record_pipe(record, NULL, 0);
	stream_memory_free(record->cmdline);
	record->cmdline = NULL;
}

void
stream_record_get(const struct stream_record *record, uint64_t oldest,
    struct pane_stream_record *out)
{
	*out = record->r;
	out->pipe = record->pipe;
	out->cmdline = record->cmdline;
	if (record->running) {
		out->ended = PANE_STREAM_RUNNING;
		out->status = PANE_STREAM_NO_STATUS;
		out->output_end = PANE_STREAM_UNKNOWN;
		out->finished = PANE_STREAM_UNKNOWN;
		out->npipe = 0;
		out->pipe = NULL;
	}
	if (out->output_start != PANE_STREAM_UNKNOWN &&
	    out->output_start < oldest && out->output_end != out->output_start)
		out->flags |= PANE_STREAM_OVERWRITTEN;
}

void
stream_record_free_all(struct stream_records *records)
{
	unsigned int	i;

	for (i = 0; i < records->count; i++)
		stream_record_free(*stream_record_slot(records, i));
	stream_memory_free(records->list);
	memset(records, 0, sizeof *records);
}
