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


#ifndef STREAM_CELLS_H
#define STREAM_CELLS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Cells of a line. A cell holds a character, a tab, or what a tab or a wide
 * character in a cell before goes on to; and a character may have others that
 * combine with it.
 */
struct stream_cell {
	uint32_t	c;
	uint32_t	marks;	/* the last that combines with it, or 0 */
};

/* In place of a character. */
#define STREAM_CELLS_TAB 0x200000
#define STREAM_CELLS_REST 0x400000

/* What combines with a cell: a ring, the last one points to the first. */
struct stream_cells_mark {
	uint32_t	c;
	uint32_t	next;
};

/* Zero is valid and has no room. How many cells count is said with each. */
struct stream_cells {
	struct stream_cell		*list;
	size_t				 size;
	struct stream_cells_mark	*marks;		/* from 1 */
	size_t				 marks_len;
	size_t				 marks_size;
};

/* Takes text; what it returns, if that is not 0, ends the writing. */
typedef int	(*stream_cells_write)(void *, const char *, size_t);

void	stream_cells_free(struct stream_cells *);

/* Makes room for so many. Returns 0, or -1 without memory. */
int	stream_cells_room(struct stream_cells *, size_t);

/* Puts a character or a tab of a width at a place where there is room. */
void	stream_cells_put(struct stream_cells *, size_t, uint32_t,
	    unsigned int);

/* Blanks those from one up to another. */
void	stream_cells_fill(struct stream_cells *, size_t, size_t);

/*
 * Of so many, blanks those of a character that reaches over the left edge of
 * one: half of it cannot be changed or moved alone.
 */
void	stream_cells_split(struct stream_cells *, size_t, size_t);

/* Adds to the character that the cell before a place, which there is, shows. */
int	stream_cells_combine(struct stream_cells *, size_t, uint32_t);

/* Is one of them nothing to be seen? */
int	stream_cells_blank(const struct stream_cells *, size_t);

/* Writes so many as text, in pieces. */
int	stream_cells_text(const struct stream_cells *, size_t,
	    stream_cells_write, void *);

#endif
