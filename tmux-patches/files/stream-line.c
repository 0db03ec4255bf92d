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

#include "stream-line.h"
#include "stream-memory.h"
#include "stream-utf8.h"
#include "stream-width.h"

/*
 * A line of a terminal.
 */

/* Buffers larger than this are given back with the line. */
#define STREAM_LINE_KEEP 65536

static int	 stream_line_to_cells(struct stream_line *);
static void	 stream_line_split(struct stream_line *, size_t);
static void	 stream_line_fill(struct stream_line *, size_t, size_t);
static int	 stream_line_pad(struct stream_line *, size_t);
static int	 stream_line_overflow(struct stream_line *, stream_cells_write,
		     void *);
static int	 stream_line_combine(struct stream_line *, uint32_t);
static int	 stream_line_put_cell(struct stream_line *, uint32_t,
		     unsigned int, stream_cells_write, void *);
static int	 stream_line_put_tab(struct stream_line *, stream_cells_write,
		     void *);

void
stream_line_free(struct stream_line *line)
{
	stream_memory_free(line->bytes);
	stream_cells_free(&line->cells);
	memset(line, 0, sizeof *line);
}

/* Makes room in the bytes. */
#define STREAM_LINE_BYTES_ROOM(line, need) \
	stream_memory_grow((void **)&(line)->bytes, &(line)->bytes_size, \
	    (need), 1, 64)

/* Makes cells of the bytes, for what only cells can do. */
static int
stream_line_to_cells(struct stream_line *line)
{
	struct stream_utf8	 utf8;
	size_t			 i, len = line->bytes_len;

	if (line->mode == STREAM_LINE_CELLS)
		return (0);
	if (stream_cells_room(&line->cells, line->len + 1) != 0)
		return (-1);
	if (line->mode == STREAM_LINE_PLAIN) {
		for (i = 0; i < len; i++)
			stream_cells_put(&line->cells, i,
			    (unsigned char)line->bytes[i], 1);
		line->mode = STREAM_LINE_CELLS;
		return (0);
	}

	/* It has no more cells than its width was taken for: no overflow. */
	memset(&utf8, 0, sizeof utf8);
	line->mode = STREAM_LINE_CELLS;
	line->len = line->col = line->blank = 0;
	for (i = 0; i < len; i++) {
		if (stream_utf8_next(&utf8, (unsigned char)line->bytes[i]) ==
		    STREAM_UTF8_DONE &&
		    stream_line_put(line, utf8.value, NULL, NULL) != 0)
			return (-1);
	}
	return (0);
}

/* No character reaches over the left edge of a column: blanks one that does. */
static void
stream_line_split(struct stream_line *line, size_t col)
{
	if (line->mode == STREAM_LINE_CELLS)
		stream_cells_split(&line->cells, line->len, col);
}

/* Blanks cells of the line. */
static void
stream_line_fill(struct stream_line *line, size_t from, size_t to)
{
	if (line->mode == STREAM_LINE_PLAIN)
		memset(line->bytes + from, ' ', to - from);
	else
		stream_cells_fill(&line->cells, from, to);
}

/* Room for more cells at the cursor, and blanks up to it. */
static int
stream_line_pad(struct stream_line *line, size_t more)
{
	if (line->mode == STREAM_LINE_PLAIN) {
		if (STREAM_LINE_BYTES_ROOM(line, line->col + more) != 0)
			return (-1);
	} else if (stream_cells_room(&line->cells, line->col + more) != 0)
		return (-1);
	if (line->col > line->len) {
		stream_line_fill(line, line->len, line->col);
		line->len = line->col;
		if (line->mode == STREAM_LINE_PLAIN)
			line->bytes_len = line->len;
	}
	return (0);
}

/* The line is too long: writes it, and goes on with it as if from here. */
static int
stream_line_overflow(struct stream_line *line, stream_cells_write write,
    void *arg)
{
	unsigned int	base = (line->base + (unsigned int)line->col) % 8;
	int		result;

	result = stream_line_flush(line, write, arg);
	line->base = base;
	line->begun = 1;
	return (result);
}

char *
stream_line_room(struct stream_line *line, size_t n)
{
	size_t	wide;

	if (line->mode == STREAM_LINE_CELLS ||
	    (line->mode == STREAM_LINE_PLAIN && line->col != line->len))
		return (NULL);
	wide = line->bytes_len;
	if (line->mode == STREAM_LINE_TEXT)
		wide = line->wide;
	if (wide + n * 8 > STREAM_LINE_MAX ||
	    STREAM_LINE_BYTES_ROOM(line, line->bytes_len + n) != 0)
		return (NULL);
	return (line->bytes + line->bytes_len);
}

void
stream_line_added(struct stream_line *line, size_t n, size_t wide, int plain)
{
	if (line->mode == STREAM_LINE_PLAIN)
		line->wide = line->bytes_len;
	line->bytes_len += n;
	line->wide += wide;
	if (line->mode == STREAM_LINE_PLAIN && plain)
		line->len = line->col = line->bytes_len;
	else
		line->mode = STREAM_LINE_TEXT;
}

int
stream_line_ascii(struct stream_line *line, const char *s, size_t n,
    stream_cells_write write, void *arg)
{
	size_t	now, i;

	while (n != 0) {
		if (line->mode == STREAM_LINE_TEXT) {
			if (line->wide + n > STREAM_LINE_MAX) {
				if (stream_line_to_cells(line) != 0)
					return (-1);
				continue;
			}
			if (STREAM_LINE_BYTES_ROOM(line,
			    line->bytes_len + n) != 0)
				return (-1);
			memcpy(line->bytes + line->bytes_len, s, n);
			line->bytes_len += n;
			line->wide += n;
			return (0);
		}
		if (line->col >= STREAM_LINE_MAX) {
			if (stream_line_overflow(line, write, arg) != 0)
				return (-1);
			continue;
		}
		now = STREAM_LINE_MAX - line->col;
		if (now > n)
			now = n;
		if (stream_line_pad(line, now) != 0)
			return (-1);
		if (line->blank > line->col)
			line->blank = line->col;
		if (line->mode == STREAM_LINE_PLAIN)
			memcpy(line->bytes + line->col, s, now);
		else {
			stream_line_split(line, line->col);
			stream_line_split(line, line->col + now);
			for (i = 0; i < now; i++)
				stream_cells_put(&line->cells, line->col + i,
				    (unsigned char)s[i], 1);
		}
		line->col += now;
		if (line->len < line->col)
			line->len = line->col;
		if (line->mode == STREAM_LINE_PLAIN)
			line->bytes_len = line->len;
		s += now;
		n -= now;
	}
	return (0);
}

/* Adds to the cell at the left of the cursor, which there is. */
static int
stream_line_combine(struct stream_line *line, uint32_t c)
{
	if (stream_line_pad(line, 0) != 0 ||
	    stream_cells_combine(&line->cells, line->col, c) != 0)
		return (-1);

	/* Where it went to a blank, that is one no more. */
	if (line->blank >= line->col)
		line->blank = line->col - 1;
	return (0);
}

/* Puts a cell of a width at the cursor. */
static int
stream_line_put_cell(struct stream_line *line, uint32_t c, unsigned int width,
    stream_cells_write write, void *arg)
{
	if (line->col + width > STREAM_LINE_MAX &&
	    stream_line_overflow(line, write, arg) != 0)
		return (-1);
	if (stream_line_to_cells(line) != 0)
		return (-1);
	if (stream_line_pad(line, width) != 0)
		return (-1);
	if (line->blank > line->col)
		line->blank = line->col;
	stream_line_split(line, line->col);
	stream_line_split(line, line->col + width);
	stream_cells_put(&line->cells, line->col, c, width);
	line->col += width;
	if (line->len < line->col)
		line->len = line->col;
	return (0);
}

/*
 * A tab: at the end of the line it is kept as one cell, elsewhere it only
 * moves.
 */
static int
stream_line_put_tab(struct stream_line *line, stream_cells_write write,
    void *arg)
{
	unsigned int	width;

	width = 8 - (unsigned int)((line->base + line->col) % 8);
	if (line->col == line->len)
		return (stream_line_put_cell(line, STREAM_CELLS_TAB, width,
		    write, arg));
	if (line->col < STREAM_LINE_MAX)
		line->col += width;
	return (0);
}

int
stream_line_put(struct stream_line *line, uint32_t c,
    stream_cells_write write, void *arg)
{
	unsigned int	width;
	char		part[4];
	size_t		n, wide;

	/* What is appended needs no cells. */
	if (line->mode == STREAM_LINE_TEXT ||
	    (line->mode == STREAM_LINE_PLAIN && line->col == line->len)) {
		n = stream_utf8_encode(part, c);
		if (line->mode == STREAM_LINE_PLAIN)
			line->wide = line->bytes_len;
		wide = (c == '\t') ? 8 : n;
		if (line->wide + wide <= STREAM_LINE_MAX) {
			if (STREAM_LINE_BYTES_ROOM(line,
			    line->bytes_len + n) != 0)
				return (-1);
			memcpy(line->bytes + line->bytes_len, part, n);
			line->bytes_len += n;
			line->wide += wide;
			line->mode = STREAM_LINE_TEXT;
			return (0);
		}
		if (stream_line_to_cells(line) != 0)
			return (-1);
	}
	if (c == '\t')
		return (stream_line_put_tab(line, write, arg));
	width = (unsigned int)stream_width(c);
	if (width == 0 && line->col != 0) {
		if (stream_line_to_cells(line) != 0)
			return (-1);
		if (line->cells.marks_len < STREAM_LINE_MAX)
			return (stream_line_combine(line, c));
		if (stream_line_overflow(line, write, arg) != 0)
			return (-1);
	}
	return (stream_line_put_cell(line, c, (width == 2) ? 2 : 1, write,
	    arg));
}

int
stream_line_cursor(struct stream_line *line, size_t *col)
{
	if (line->mode == STREAM_LINE_TEXT && stream_line_to_cells(line) != 0)
		return (-1);
	*col = line->col;
	return (0);
}

int
stream_line_column(struct stream_line *line, size_t col)
{
	if (line->mode == STREAM_LINE_TEXT && stream_line_to_cells(line) != 0)
		return (-1);
	line->col = (col < STREAM_LINE_MAX_MOVE) ? col : STREAM_LINE_MAX_MOVE;
	return (0);
}

int
stream_line_left(struct stream_line *line, size_t n)
{
	if (line->mode == STREAM_LINE_TEXT && stream_line_to_cells(line) != 0)
		return (-1);
	line->col -= (n < line->col) ? n : line->col;
	return (0);
}

int
stream_line_right(struct stream_line *line, size_t n)
{
	if (line->mode == STREAM_LINE_TEXT && stream_line_to_cells(line) != 0)
		return (-1);
	if (line->col >= STREAM_LINE_MAX_MOVE)
		return (0);
	if (n > STREAM_LINE_MAX_MOVE - line->col)
		n = STREAM_LINE_MAX_MOVE - line->col;
	line->col += n;
	return (0);
}

int
stream_line_next_tab(struct stream_line *line)
{
	if (line->mode == STREAM_LINE_TEXT && stream_line_to_cells(line) != 0)
		return (-1);
	return (stream_line_right(line, 8 - (line->base + line->col) % 8));
}

int
stream_line_back_tab(struct stream_line *line)
{
	size_t	n;

	if (line->mode == STREAM_LINE_TEXT && stream_line_to_cells(line) != 0)
		return (-1);
	n = (line->base + line->col) % 8;
	return (stream_line_left(line, (n == 0) ? 8 : n));
}

int
stream_line_erase_right(struct stream_line *line)
{
	/* The cursor is at the end: there is nothing to erase. */
	if (line->mode == STREAM_LINE_TEXT || line->col >= line->len)
		return (0);
	stream_line_split(line, line->col);
	line->len = line->col;
	if (line->mode == STREAM_LINE_PLAIN)
		line->bytes_len = line->len;
	if (line->blank > line->len)
		line->blank = line->len;
	return (0);
}

int
stream_line_erase_left(struct stream_line *line)
{
	if (line->mode == STREAM_LINE_TEXT && stream_line_to_cells(line) != 0)
		return (-1);
	if (line->col >= line->len)
		return (stream_line_erase_all(line));
	stream_line_split(line, line->col + 1);
	if (line->blank <= line->col) {
		stream_line_fill(line, line->blank, line->col + 1);
		line->blank = line->col + 1;
	}
	return (0);
}

int
stream_line_erase_all(struct stream_line *line)
{
	if (line->mode == STREAM_LINE_TEXT && stream_line_to_cells(line) != 0)
		return (-1);
	line->mode = STREAM_LINE_PLAIN;
	line->len = line->bytes_len = line->blank = 0;
	line->cells.marks_len = 0;

	/* Or what is written next would pad all of a long line again. */
	if (line->col > STREAM_LINE_MAX_MOVE)
		line->col = STREAM_LINE_MAX_MOVE;
	return (0);
}

int
stream_line_erase(struct stream_line *line, size_t n)
{
	size_t	to;

	if (line->mode == STREAM_LINE_TEXT || line->col >= line->len)
		return (0);
	if (n > STREAM_LINE_MAX_MOVE)
		n = STREAM_LINE_MAX_MOVE;
	to = line->len;
	if (n < to - line->col)
		to = line->col + n;
	stream_line_split(line, line->col);
	stream_line_split(line, to);
	stream_line_fill(line, line->col, to);
	return (0);
}

int
stream_line_delete(struct stream_line *line, size_t n)
{
	size_t	from;

	if (line->mode == STREAM_LINE_TEXT || line->col >= line->len ||
	    line->len > STREAM_LINE_MAX_MOVE)
		return (0);
	if (n > line->len - line->col)
		n = line->len - line->col;
	from = line->col + n;
	stream_line_split(line, line->col);
	stream_line_split(line, from);
	if (line->mode == STREAM_LINE_PLAIN) {
		memmove(line->bytes + line->col, line->bytes + from,
		    line->len - from);
		line->bytes_len -= n;
	} else
		memmove(line->cells.list + line->col, line->cells.list + from,
		    (line->len - from) * sizeof *line->cells.list);
	line->len -= n;
	if (line->blank > line->col)
		line->blank = line->col;
	return (0);
}

int
stream_line_insert(struct stream_line *line, size_t n)
{
	size_t	col, tail;

	if (line->mode == STREAM_LINE_TEXT || line->col >= line->len ||
	    line->len > STREAM_LINE_MAX_MOVE)
		return (0);
	if (n > STREAM_LINE_MAX_MOVE)
		n = STREAM_LINE_MAX_MOVE;
	col = line->col;
	tail = line->len - col;
	if (line->mode == STREAM_LINE_PLAIN) {
		if (STREAM_LINE_BYTES_ROOM(line, line->len + n) != 0)
			return (-1);
		memmove(line->bytes + col + n, line->bytes + col, tail);
		line->bytes_len += n;
	} else {
		if (stream_cells_room(&line->cells, line->len + n) != 0)
			return (-1);
		stream_line_split(line, col);
		memmove(line->cells.list + col + n, line->cells.list + col,
		    tail * sizeof *line->cells.list);
	}
	line->len += n;
	stream_line_fill(line, col, col + n);
	return (0);
}

int
stream_line_empty(const struct stream_line *line)
{
	if (line->begun)
		return (0);
	if (line->mode == STREAM_LINE_TEXT)
		return (line->bytes_len == 0);
	return (line->len == 0);
}

int
stream_line_blank(const struct stream_line *line)
{
	size_t	i;

	if (line->begun)
		return (0);
	if (line->mode != STREAM_LINE_CELLS) {
		for (i = 0; i < line->bytes_len; i++) {
			if (line->bytes[i] != ' ' && line->bytes[i] != '\t')
				return (0);
		}
		return (1);
	}
	for (i = 0; i < line->len; i++) {
		if (!stream_cells_blank(&line->cells, i))
			return (0);
	}
	return (1);
}

int
stream_line_flush(struct stream_line *line, stream_cells_write write,
    void *arg)
{
	int	result = 0;

	if (line->mode == STREAM_LINE_CELLS)
		result = stream_cells_text(&line->cells, line->len, write,
		    arg);
	else if (line->bytes_len != 0)
		result = write(arg, line->bytes, line->bytes_len);

	line->mode = STREAM_LINE_PLAIN;
	line->len = line->col = line->blank = line->bytes_len = 0;
	line->cells.marks_len = 0;
	line->base = 0;
	line->begun = 0;
	if (line->bytes_size > STREAM_LINE_KEEP ||
	    line->cells.size > STREAM_LINE_KEEP ||
	    line->cells.marks_size > STREAM_LINE_KEEP) {
		stream_cells_free(&line->cells);
		stream_memory_free(line->bytes);
		line->bytes = NULL;
		line->bytes_size = 0;
	}
	return (result);
}
