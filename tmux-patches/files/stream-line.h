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


#ifndef STREAM_LINE_H
#define STREAM_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "stream-cells.h"

/*
 * One line as a terminal of endless width shows it: cells, a cursor, and what
 * can be done to them. Nothing is padded before something is written behind
 * the end. A line that only grew is kept as its bytes; it becomes cells once
 * something needs them.
 */

/*
 * Most cells of a line, and most characters that combine with them; what is
 * longer is written as it is, and the line goes on.
 */
#define STREAM_LINE_MAX (1024 * 1024)

/*
 * The cursor moves no further than this column, and only in lines that are no
 * longer are characters inserted and deleted: no terminal is wider, and a few
 * bytes must not cost a whole long line's work.
 */
#define STREAM_LINE_MAX_MOVE 1024

enum stream_line_mode {
	STREAM_LINE_PLAIN,	/* bytes, printable ASCII: one is one cell */
	STREAM_LINE_TEXT,	/* bytes, UTF-8 with tabs; cursor at the end */
	STREAM_LINE_CELLS
};

/* Zero is a valid empty line. */
struct stream_line {
	enum stream_line_mode	 mode;
	char			*bytes;
	size_t			 bytes_len;
	size_t			 bytes_size;
	size_t			 wide;		/* TEXT: at most so many cells */
	struct stream_cells	 cells;
	size_t			 len;		/* not in TEXT */
	size_t			 col;		/* not in TEXT */
	size_t			 blank;		/* so many first are blank */
	unsigned int		 base;		/* first column, modulo 8 */
	int			 begun;		/* its start is written */
};

/* Frees what a line has, and makes it empty. */
void	stream_line_free(struct stream_line *);

/*
 * Those that return an int return 0, or -1 without memory (or what the
 * callback returned, if that is not 0).
 */

/*
 * What only appends is fast: room for so many bytes at the end of the line and
 * of the cursor, if that is there and the line stays short enough, else NULL;
 * and how many were put there, as so many characters at most, a tab being
 * eight. plain says that they are printable ASCII.
 */
char	*stream_line_room(struct stream_line *, size_t);
void	 stream_line_added(struct stream_line *, size_t, size_t, int plain);

/* Writes printable ASCII characters at the cursor. */
int	stream_line_ascii(struct stream_line *, const char *, size_t,
	    stream_cells_write, void *);

/* Writes a character, or a tab, at the cursor. */
int	stream_line_put(struct stream_line *, uint32_t, stream_cells_write,
	    void *);

/* Moves to a column, or by so many; a tab's width with 0 and a direction. */
int	stream_line_column(struct stream_line *, size_t);
int	stream_line_left(struct stream_line *, size_t);
int	stream_line_right(struct stream_line *, size_t);
int	stream_line_back_tab(struct stream_line *);
int	stream_line_next_tab(struct stream_line *);

/* Erases from the cursor, up to and with it, all, or so many from it. */
int	stream_line_erase_right(struct stream_line *);
int	stream_line_erase_left(struct stream_line *);
int	stream_line_erase_all(struct stream_line *);
int	stream_line_erase(struct stream_line *, size_t);

/* Deletes and inserts cells at the cursor. */
int	stream_line_delete(struct stream_line *, size_t);
int	stream_line_insert(struct stream_line *, size_t);

/* Is nothing on the line, or nothing but blanks? */
int	stream_line_empty(const struct stream_line *);
int	stream_line_blank(const struct stream_line *);

/* Writes the line. It is then empty, with the cursor at its start. */
int	stream_line_flush(struct stream_line *, stream_cells_write, void *);

/* The cursor's column in cells; makes cells of the line if it must. */
int	stream_line_cursor(struct stream_line *, size_t *);

#endif
