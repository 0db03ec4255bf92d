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


#ifndef STREAM_MEMORY_H
#define STREAM_MEMORY_H

#include <stddef.h>

/*
 * Memory of the stream engine: that of the C library, or functions that a test
 * puts in its place. Like those of the C library they return NULL without
 * memory. What is allocated here is freed here.
 */

void	*stream_memory_alloc(size_t);
void	*stream_memory_realloc(void *, size_t);
void	 stream_memory_free(void *);

/*
 * Makes room for a number of elements of a size in an array, of which there is
 * a count and a least one; at least doubles it. Returns 0, or -1 without
 * memory.
 */
int	 stream_memory_grow(void **, size_t *, size_t, size_t, size_t);

/* Replaces all three; NULL brings that of the C library back. */
void	 stream_memory_set(void *(*)(size_t), void *(*)(void *, size_t),
	     void (*)(void *));

#endif
