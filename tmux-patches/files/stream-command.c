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

#include "stream-command.h"
#include "stream-memory.h"
#include "stream-submit.h"

/*
 * Marks and submissions to records.
 */

static char	*stream_command_copy(const char *);
static int	 stream_command_is_ours(struct stream_command *,
		     const struct osc133_mark *, uint64_t);
static void	 stream_command_forget_adopted(struct stream_command *);
static void	 stream_command_drop_adopted(struct stream_command *,
		     uint64_t, uint64_t);
static void	 stream_command_start_afresh(struct stream_command *);
static int	 stream_command_is_noise(const struct stream_command *,
		     uint64_t);
static int	 stream_command_is_blank(const struct stream_command *);
static void	 stream_command_close(struct stream_command *);
static void	 stream_command_count_prompt(struct stream_command *,
		     uint64_t, uint64_t);
static void	 stream_command_prompt(struct stream_command *,
		     const struct osc133_mark *, uint64_t);
static void	 stream_command_input(struct stream_command *,
		     const struct osc133_mark *, uint64_t);
static void	 stream_command_begin(struct stream_command *,
		     const struct osc133_mark *, uint64_t);
static void	 stream_command_begin_missing(struct stream_command *,
		     struct stream_record *, uint64_t, uint64_t);
static void	 stream_command_finish(struct stream_command *,
		     const struct osc133_mark *, uint64_t);

void
stream_command_init(struct stream_command *c, struct pane_stream_pool *pool)
{
	memset(c, 0, sizeof *c);
	c->pool = pool;
	stream_command_start_afresh(c);
}

void
stream_command_free(struct stream_command *c)
{
	stream_record_free_all(&c->records);
	stream_echo_end(&c->echo);
	stream_memory_free(c->nonce);
	stream_memory_free(c->adopted);
}

static char *
stream_command_copy(const char *s)
{
	size_t	 size = strlen(s) + 1;
	char	*copy;

	copy = stream_memory_alloc(size);
	if (copy != NULL)
		memcpy(copy, s, size);
	return (copy);
}

int
stream_command_set_nonce(struct stream_command *c, const char *nonce)
{
	char	*copy = NULL;

	if (nonce != NULL) {
		copy = stream_command_copy(nonce);
		if (copy == NULL)
			return (-1);
	}
	stream_memory_free(c->nonce);
	c->nonce = copy;
	c->integrated = 0;
	stream_command_forget_adopted(c);
	return (0);
}

static void
stream_command_forget_adopted(struct stream_command *c)
{
	stream_memory_free(c->adopted);
	c->adopted = NULL;
	c->adopted_any = 0;
}

/* As if there had been no marks. */
static void
stream_command_start_afresh(struct stream_command *c)
{
	stream_echo_end(&c->echo);
	c->phase = PANE_STREAM_NO_MARKS;
	c->waiting = 0;
	c->prompted = 0;
	c->inputs = 0;
	c->uncounted = 0;
	c->bare = 0;
	c->stray = PANE_STREAM_UNKNOWN;
	c->secondary = 0;
	c->prompt = PANE_STREAM_UNKNOWN;
	c->input = PANE_STREAM_UNKNOWN;
	c->seen = 0;
	c->open = NULL;
}

/* The first of our marks: what others said until now does not count. */
static void
stream_command_drop_adopted(struct stream_command *c, uint64_t at,
    uint64_t now)
{
	struct stream_record	*record;
	unsigned int		 i;

	if (c->open != NULL && stream_command_is_noise(c, at)) {
		stream_record_remove(&c->records, c->open);
		c->open = NULL;
	} else if (c->open != NULL && !c->open->pending) {
		if (c->open->running)
			stream_record_lost(c->open, at, now);
		stream_command_close(c);
	}
	for (i = c->records.count; i != 0 && c->pending != 0; i--) {
		record = stream_record_at(&c->records, i - 1);
		if (record->pending)
			stream_record_revert(record);
	}
	stream_command_forget_adopted(c);
	stream_command_start_afresh(c);
}

/* Does a mark count? */
static int
stream_command_is_ours(struct stream_command *c,
    const struct osc133_mark *mark, uint64_t now)
{
	if (c->nonce != NULL && mark->aid != NULL &&
	    strcmp(mark->aid, c->nonce) == 0) {
		if (!c->integrated && c->adopted_any)
			stream_command_drop_adopted(c, mark->start, now);
		c->integrated = 1;
		return (1);
	}
	if (c->integrated)
		return (0);
	if (!c->adopted_any) {
		if (mark->aid != NULL) {
			c->adopted = stream_command_copy(mark->aid);
			if (c->adopted == NULL)
				return (0);
		}
		c->adopted_any = 1;
		return (1);
	}
	if (mark->aid == NULL || c->adopted == NULL)
		return (mark->aid == c->adopted);
	return (strcmp(mark->aid, c->adopted) == 0);
}

/*
 * Shells send a C and a D (or the prompt) before their first prompt, though
 * nothing ran. Is the open record of this kind?
 */
static int
stream_command_is_noise(const struct stream_command *c, uint64_t at)
{
	return (!c->prompted && !c->open->pending && c->open->running &&
	    c->open->cmdline == NULL && c->open->r.output_start == at);
}

/*
 * Is the open record what nushell tells of an empty line: a C, and the next
 * prompt?
 */
static int
stream_command_is_blank(const struct stream_command *c)
{
	return (!c->open->pending && c->open->running && c->open->blank &&
	    c->open->cmdline == NULL);
}

/* The open record will get no more marks, unless it is pending. */
static void
stream_command_close(struct stream_command *c)
{
	if (c->open != NULL && !c->open->pending)
		stream_record_finish(&c->records, c->open);
	c->open = NULL;
}

/* A prompt: the last one of a submission ends it. */
static void
stream_command_count_prompt(struct stream_command *c, uint64_t at,
    uint64_t now)
{
	struct stream_record	*record = stream_submit_oldest_at(c, at);

	if (record == NULL || !record->exact)
		return;
	if (record->lines != 0)
		record->lines--;
	if (record->lines == 0 && stream_record_started(record))
		stream_submit_settle_one(c, record, at, now, 0);
}

/* A: the prompt begins. */
static void
stream_command_prompt(struct stream_command *c,
    const struct osc133_mark *mark, uint64_t now)
{
	int	redraw = 0;

	switch (c->phase) {
	case PANE_STREAM_OUTPUT:
		if (c->open == NULL)
			break;
		if (stream_command_is_noise(c, mark->start) ||
		    stream_command_is_blank(c)) {
			stream_record_remove(&c->records, c->open);
			c->open = NULL;
		} else
			stream_record_lost(c->open, mark->start, now);
		break;
	case PANE_STREAM_PROMPT:
		redraw = 1;
		break;
	case PANE_STREAM_INPUT:
		/* A prompt that is drawn again has no LF before it. */
		redraw = (c->echo.newline > mark->start);
		break;
	default:
		break;
	}
	stream_command_close(c);
	stream_echo_prompt(&c->echo, mark->end, c->alternate);
	c->phase = PANE_STREAM_PROMPT;
	c->prompt = mark->start;
	c->bare = 0;
	c->input = PANE_STREAM_UNKNOWN;
	c->waiting = (mark->flags & OSC133_WAITING) != 0;
	c->prompted = 1;
	c->seen = 0;
	if (redraw)
		return;

	/*
	 * A shell that sends B reads nothing before it: its terminal is not
	 * ready for the next line either.
	 */
	c->uncounted = c->inputs;
	if (!c->uncounted)
		stream_command_count_prompt(c, mark->start, now);
}

/* B: the prompt ends, and what is typed follows. */
static void
stream_command_input(struct stream_command *c, const struct osc133_mark *mark,
    uint64_t now)
{
	struct stream_record	*record;
	int			 prompt = (c->prompt == PANE_STREAM_UNKNOWN);

	/*
	 * Submitted at a prompt, so the C was its own. Either its A and D are
	 * lost, since PROMPT_COMMAND was replaced, or the command printed a B:
	 * what follows, or silence, tells.
	 */
	if (c->phase == PANE_STREAM_OUTPUT && c->open != NULL &&
	    c->open->pending && c->open->exact && c->open->running) {
		stream_echo_begin(&c->echo, mark->end, c->alternate);
		c->stray = mark->start;
		c->stray_end = mark->end;
		return;
	}

	/*
	 * A line was typed and another prompt follows, without an A: bash
	 * refused the line before it ran anything (history expansion). Only for
	 * a single line: readline writes one of several again, prompt and all.
	 */
	if (c->phase == PANE_STREAM_INPUT && c->echo.typed &&
	    c->echo.newline <= mark->start) {
		record = stream_submit_oldest_at(c, mark->start);
		if (record != NULL && record->exact == PANE_STREAM_EXACT_LINE)
			prompt = 1;
	}

	if (c->phase == PANE_STREAM_OUTPUT && c->open != NULL) {
		if (!c->open->pending)
			stream_record_remove(&c->records, c->open);
		else if (c->open->ended)
			c->open->running = 0;
		else
			stream_record_revert(c->open);
		c->open = NULL;
	} else if (c->phase == PANE_STREAM_BETWEEN ||
	    c->phase == PANE_STREAM_NO_MARKS)
		prompt = 1;

	stream_command_close(c);
	stream_echo_begin(&c->echo, mark->end, c->alternate);
	c->phase = PANE_STREAM_INPUT;
	c->input = mark->end;
	c->prompted = 1;
	c->seen = 0;
	c->inputs = 1;
	if (prompt) {
		c->prompt = mark->start;
		c->bare = 1;
		c->waiting = (mark->flags & OSC133_WAITING) != 0;
	}
	if (prompt || c->uncounted)
		stream_command_count_prompt(c, c->prompt, now);
	c->uncounted = 0;
}

/* C: a command runs. */
static void
stream_command_begin(struct stream_command *c, const struct osc133_mark *mark,
    uint64_t now)
{
	struct stream_record	*record;

	if (c->phase == PANE_STREAM_OUTPUT && c->open != NULL) {
		if (mark->cmdline != NULL)
			stream_record_cmdline(c->open, mark->cmdline);
		return;
	}
	stream_command_close(c);

	record = stream_submit_oldest_at(c, mark->start);
	if (record == NULL) {
		record = stream_record_create(&c->records,
		    &c->pool->last_id);
	}
	if (record != NULL) {
		if (!stream_record_started(record)) {
			record->r.started = now;
			record->r.output_start = mark->end;
			record->r.line_start = c->input;
			record->r.flags &= ~PANE_STREAM_ALTERNATE;
			record->blank = (c->echo.newline <= mark->start &&
			    !c->echo.typed);
		}
		record->running = 1;
		if (c->alternate)
			record->r.flags |= PANE_STREAM_ALTERNATE;
		if (mark->cmdline != NULL)
			stream_record_cmdline(record, mark->cmdline);
	}
	stream_echo_end(&c->echo);
	c->open = record;
	c->phase = PANE_STREAM_OUTPUT;
	c->input = PANE_STREAM_UNKNOWN;
	c->foreign = 0;
	c->seen = 0;
}

/*
 * There is a D and was no C: the output began behind the line that was typed,
 * at the LF after the prompt or, if that was later, after the submission.
 */
static void
stream_command_begin_missing(struct stream_command *c,
    struct stream_record *record, uint64_t at, uint64_t now)
{
	uint64_t	newline = record->newline, time = record->newline_time;

	if (!record->pending || (c->input != PANE_STREAM_UNKNOWN &&
	    c->input > record->r.mark)) {
		newline = c->echo.newline;
		time = c->echo.newline_time;
	}
	if (newline > at) {
		newline = at;
		time = now;
	}
	record->r.started = time;
	record->r.output_start = newline;
	record->r.line_start = c->input;
	record->r.flags &= ~PANE_STREAM_ALTERNATE;
	record->r.flags |= PANE_STREAM_C_MISSING | c->seen;
}

/* D: the command has ended. */
static void
stream_command_finish(struct stream_command *c,
    const struct osc133_mark *mark, uint64_t now)
{
	struct stream_record	*record = c->open;

	if (c->phase == PANE_STREAM_OUTPUT && record != NULL &&
	    stream_command_is_noise(c, mark->start)) {
		stream_record_remove(&c->records, record);
		c->open = record = NULL;
	} else if (c->phase != PANE_STREAM_OUTPUT && record == NULL) {
		record = stream_submit_oldest_at(c, mark->start);
		if (record == NULL && c->phase == PANE_STREAM_INPUT &&
		    c->echo.newline <= mark->start && c->echo.typed) {
			record = stream_record_create(&c->records,
			    &c->pool->last_id);
		}
		if (record != NULL && !stream_record_started(record))
			stream_command_begin_missing(c, record, mark->start,
			    now);
		c->open = record;
	}
	if (record != NULL)
		stream_record_exited(record, mark, now);
	stream_submit_pass(c, mark->start);
	stream_echo_end(&c->echo);
	c->phase = PANE_STREAM_BETWEEN;
	c->input = PANE_STREAM_UNKNOWN;
}

void
stream_command_mark(struct stream_command *c, const struct osc133_mark *mark,
    uint64_t now)
{
	if (!stream_command_is_ours(c, mark, now)) {
		c->foreign = 1;
		c->seen |= PANE_STREAM_FOREIGN;
		if (c->phase == PANE_STREAM_OUTPUT && c->open != NULL)
			c->open->r.flags |= PANE_STREAM_FOREIGN;
		return;
	}
	if (mark->prompt != 'r') {
		c->secondary = 0;
		c->stray = PANE_STREAM_UNKNOWN;
	}
	switch (mark->kind) {
	case 'A':
	case 'N':
	case 'P':
		/* Continuation and right prompts belong to the first one. */
		if (mark->prompt == 's' || mark->prompt == 'c')
			c->secondary = 1;
		if (mark->prompt == '\0' || mark->prompt == 'i')
			stream_command_prompt(c, mark, now);
		break;
	case 'B':
	case 'I':
		stream_command_input(c, mark, now);
		break;
	case 'C':
		stream_command_begin(c, mark, now);
		break;
	case 'D':
		stream_command_finish(c, mark, now);
		break;
	default:
		break;
	}
}

void
stream_command_alternate(struct stream_command *c, int on)
{
	struct stream_record	*record = NULL;

	c->alternate = on;
	if (!on)
		return;
	c->seen |= PANE_STREAM_ALTERNATE;
	if (c->phase == PANE_STREAM_OUTPUT)
		record = c->open;
	else if (c->phase == PANE_STREAM_NO_MARKS)
		record = stream_submit_oldest(c);
	if (record != NULL)
		record->r.flags |= PANE_STREAM_ALTERNATE;
}

void
stream_command_bytes(struct stream_command *c, const unsigned char *buf,
    size_t len, uint64_t offset, uint64_t now)
{
	struct stream_record	*record;
	const unsigned char	*newline;
	unsigned int		 i;

	if (c->echo.active)
		stream_echo_feed(&c->echo, buf, len, offset, now);
	if (c->no_newline == 0)
		return;
	newline = memchr(buf, '\n', len);
	if (newline == NULL)
		return;
	for (i = c->records.count; i != 0 && c->no_newline != 0; i--) {
		record = stream_record_at(&c->records, i - 1);
		if (!record->pending || record->newline != PANE_STREAM_UNKNOWN)
			continue;
		record->newline = offset + (uint64_t)(newline - buf) + 1;
		record->newline_time = now;
		c->no_newline--;
	}
}

void
stream_command_end(struct stream_command *c, uint64_t total, uint64_t now)
{
	struct stream_record	*record;
	uint64_t		 at;
	int			 unmarked = (c->phase == PANE_STREAM_NO_MARKS);

	if (c->open != NULL && !c->open->pending) {
		if (c->open->running) {
			stream_record_lost(c->open, total, now);
			c->open->r.flags |= PANE_STREAM_PANE_ENDED;
		}
		stream_command_close(c);
	}
	while ((record = stream_submit_oldest(c)) != NULL) {
		if (record->running || !record->ended) {
			record->r.flags |= PANE_STREAM_PANE_ENDED;
			at = total;
			if (!record->running && unmarked)
				stream_record_unmarked(record, total);
			else if (!record->running)
				at = record->r.output_start = record->r.mark;
			stream_record_lost(record, at, now);
		}
		stream_submit_settle_one(c, record, total, now, 0);
	}
	stream_command_start_afresh(c);
	stream_command_forget_adopted(c);
	stream_memory_free(c->nonce);
	c->nonce = NULL;
	c->integrated = 0;
	c->foreign = 0;
	c->alternate = 0;
}
