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


#include <stdlib.h>

#include "stream-memory.h"

/*
 * Where the engine's memory comes from.
 */

static void	*(*stream_memory_alloc_cb)(size_t) = malloc;
static void	*(*stream_memory_realloc_cb)(void *, size_t) = realloc;
static void	 (*stream_memory_free_cb)(void *) = free;

void *
stream_memory_alloc(size_t size)
{
	return (stream_memory_alloc_cb(size));
}

void *
stream_memory_realloc(void *p, size_t size)
{
	return (stream_memory_realloc_cb(p, size));
}

void
stream_memory_free(void *p)
{
	if (p != NULL)
		stream_memory_free_cb(p);
}

int
stream_memory_grow(void **p, size_t *size, size_t need, size_t unit,
    size_t first)
{
	void	*new_p;
	size_t	 new_size = (*size != 0) ? *size : first;

	if (need <= *size)
		return (0);
	while (new_size < need)
		new_size *= 2;
	new_p = stream_memory_realloc(*p, new_size * unit);
	if (new_p == NULL)
		return (-1);
	*p = new_p;
	*size = new_size;
	return (0);
}

void
stream_memory_set(void *(*alloc_cb)(size_t),
    void *(*realloc_cb)(void *, size_t), void (*free_cb)(void *))
{
	stream_memory_alloc_cb = (alloc_cb != NULL) ? alloc_cb : malloc;
	stream_memory_realloc_cb = (realloc_cb != NULL) ? realloc_cb : realloc;
	stream_memory_free_cb = (free_cb != NULL) ? free_cb : free;
}
