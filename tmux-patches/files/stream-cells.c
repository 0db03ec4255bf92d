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

#include "stream-cells.h"
#include "stream-memory.h"
#include "stream-utf8.h"

/*
 * Cells, and what combines with them.
 */

void
stream_cells_free(struct stream_cells *cells)
{
	stream_memory_free(cells->list);
	stream_memory_free(cells->marks);
	memset(cells, 0, sizeof *cells);
}

int
stream_cells_room(struct stream_cells *cells, size_t need)
{
	return (stream_memory_grow((void **)&cells->list, &cells->size, need,
	    sizeof *cells->list, 64));
}

void
stream_cells_put(struct stream_cells *cells, size_t at, uint32_t c,
    unsigned int width)
{
	cells->list[at].c = c;
	cells->list[at].marks = 0;
	while (--width != 0) {
		cells->list[++at].c = STREAM_CELLS_REST;
		cells->list[at].marks = 0;
	}
}

void
stream_cells_fill(struct stream_cells *cells, size_t from, size_t to)
{
	for (; from < to; from++) {
		cells->list[from].c = ' ';
		cells->list[from].marks = 0;
	}
}

void
stream_cells_split(struct stream_cells *cells, size_t len, size_t at)
{
	size_t	first = at, last = at;

	if (at >= len || cells->list[at].c != STREAM_CELLS_REST)
		return;
	while (cells->list[first].c == STREAM_CELLS_REST)
		first--;
	while (last < len && cells->list[last].c == STREAM_CELLS_REST)
		last++;
	stream_cells_fill(cells, first, last);
}

int
stream_cells_combine(struct stream_cells *cells, size_t at, uint32_t c)
{
	struct stream_cell		*cell = &cells->list[at - 1];
	struct stream_cells_mark	*mark;

	while (cell->c == STREAM_CELLS_REST)
		cell--;
	if (stream_memory_grow((void **)&cells->marks, &cells->marks_size,
	    cells->marks_len + 2, sizeof *cells->marks, 16) != 0)
		return (-1);
	mark = &cells->marks[++cells->marks_len];
	mark->c = c;
	if (cell->marks == 0)
		mark->next = (uint32_t)cells->marks_len;
	else {
		mark->next = cells->marks[cell->marks].next;
		cells->marks[cell->marks].next = (uint32_t)cells->marks_len;
	}
	cell->marks = (uint32_t)cells->marks_len;
	return (0);
}

int
stream_cells_blank(const struct stream_cells *cells, size_t at)
{
	const struct stream_cell	*cell = &cells->list[at];

	return (cell->marks == 0 && (cell->c == ' ' ||
	    cell->c == STREAM_CELLS_TAB || cell->c == STREAM_CELLS_REST));
}

int
stream_cells_text(const struct stream_cells *cells, size_t len,
    stream_cells_write write, void *arg)
{
	char		 part[512];
	size_t		 i, n = 0;
	uint32_t	 c, last, m;
	int		 result = 0;

	for (i = 0; i < len && result == 0; i++) {
		c = cells->list[i].c;
		if (c == STREAM_CELLS_REST)
			continue;
		if (c == STREAM_CELLS_TAB)
			c = '\t';
		n += stream_utf8_encode(part + n, c);
		m = last = cells->list[i].marks;
		while (last != 0) {
			m = cells->marks[m].next;
			if (n > sizeof part - 8) {
				result = write(arg, part, n);
				if (result != 0)
					return (result);
				n = 0;
			}
			n += stream_utf8_encode(part + n, cells->marks[m].c);
			if (m == last)
				break;
		}
		if (n > sizeof part - 8) {
			result = write(arg, part, n);
			n = 0;
		}
	}
	if (result == 0 && n != 0)
		result = write(arg, part, n);
	return (result);
}
