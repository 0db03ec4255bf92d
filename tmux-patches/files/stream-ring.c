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
#include "stream-ring.h"

/*
 * The bytes of a stream.
 */

/* The first size, if the limit allows it. */
#define STREAM_RING_FIRST 512

/*
 * One part of so many of what all rings may take is left to small ones: a few
 * panes that write without end must not leave nothing for what the others run.
 * With the default of 512 MiB that is enough for 512 small rings.
 */
#define STREAM_RING_SHARE 8
#define STREAM_RING_SMALL (128 * 1024)

static uint64_t	 stream_ring_largest(const struct stream_ring *);
static int	 stream_ring_resize(struct stream_ring *, uint64_t,
		     uint64_t *);
static void	 stream_ring_grow(struct stream_ring *, uint64_t, uint64_t *,
		     uint64_t);
static void	 stream_ring_copy(struct stream_ring *, uint64_t,
		     const unsigned char *, size_t);

/* The largest power of two within the limit, or 0. */
static uint64_t
stream_ring_largest(const struct stream_ring *r)
{
	uint64_t	size = 1;

	if (r->limit == 0)
		return (0);
	while (size <= r->limit / 2)
		size *= 2;
	return (size);
}

/* Changes the size, keeping the newest bytes that fit. */
static int
stream_ring_resize(struct stream_ring *r, uint64_t size, uint64_t *used)
{
	struct stream_ring	 old = *r;
	const unsigned char	*piece = NULL;
	unsigned char		*data = NULL;
	uint64_t		 offset;
	size_t			 n;

	if (size > SIZE_MAX)
		return (-1);

	/*
	 * Where all bytes stay at their places the memory can be extended,
	 * which does not need both at once. That is so until a ring is full
	 * for the first time.
	 */
	if (size > old.size && old.size != 0 && old.total != 0 &&
	    (old.oldest & (size - 1)) <= ((old.total - 1) & (size - 1)) &&
	    ((old.total - 1) & (size - 1)) < old.size) {
		data = stream_memory_realloc(old.data, (size_t)size);
		if (data == NULL)
			return (-1);
		r->data = data;
		r->size = size;
		*used += size - old.size;
		return (0);
	}

	if (size != 0) {
		data = stream_memory_alloc((size_t)size);
		if (data == NULL)
			return (-1);
	}
	r->data = data;
	r->size = size;
	if (r->total - r->oldest > size)
		r->oldest = r->total - size;
	for (offset = r->oldest; offset != r->total; offset += n) {
		n = stream_ring_peek(&old, offset, &piece);
		stream_ring_copy(r, offset, piece, n);
	}
	stream_memory_free(old.data);
	*used += size - old.size;
	return (0);
}

/* Makes room for so many bytes in all, as far as that is possible. */
static void
stream_ring_grow(struct stream_ring *r, uint64_t need, uint64_t *used,
    uint64_t total_limit)
{
	uint64_t	size, largest = stream_ring_largest(r), room, share;

	room = *used - r->size;
	if (room >= total_limit)
		return;
	room = total_limit - room;
	share = total_limit / STREAM_RING_SHARE;
	size = (r->size != 0) ? r->size : STREAM_RING_FIRST;
	if (size > largest)
		size = largest;
	while (size < need && size < largest)
		size *= 2;
	while (size > room ||
	    (size > STREAM_RING_SMALL && size + share > room))
		size /= 2;

	/* Without memory for all of it, as much as there is. */
	for (; size > r->size; size /= 2) {
		if (stream_ring_resize(r, size, used) == 0)
			break;
	}
}

/* Copies bytes to where their offset says; no more than fit. */
static void
stream_ring_copy(struct stream_ring *r, uint64_t offset,
    const unsigned char *buf, size_t len)
{
	size_t	at = (size_t)(offset & (r->size - 1)), first;

	first = (size_t)r->size - at;
	if (first > len)
		first = len;
	memcpy(r->data + at, buf, first);
	memcpy(r->data, buf + first, len - first);
}

void
stream_ring_append(struct stream_ring *r, const unsigned char *buf, size_t len,
    uint64_t *used, uint64_t total_limit)
{
	uint64_t	kept;

	if (len == 0)
		return;
	kept = r->total - r->oldest;
	if (kept + len > r->size && r->size < r->limit)
		stream_ring_grow(r, kept + len, used, total_limit);

	r->total += len;
	if (r->size == 0) {
		r->oldest = r->total;
		return;
	}
	if (len > r->size) {
		buf += len - r->size;
		len = (size_t)r->size;
	}
	stream_ring_copy(r, r->total - len, buf, len);
	if (r->total - r->oldest > r->size)
		r->oldest = r->total - r->size;
}

void
stream_ring_set_limit(struct stream_ring *r, uint64_t limit, uint64_t *used)
{
	uint64_t	size;

	r->limit = limit;
	size = stream_ring_largest(r);
	if (r->size <= size)
		return;
	if (stream_ring_resize(r, size, used) == 0)
		return;

	/* Not even memory to make it smaller: nothing is kept then. */
	r->oldest = r->total;
	stream_ring_resize(r, 0, used);
}

size_t
stream_ring_peek(const struct stream_ring *r, uint64_t offset,
    const unsigned char **piece)
{
	uint64_t	at, n;

	if (offset < r->oldest || offset >= r->total)
		return (0);
	at = offset & (r->size - 1);
	n = r->total - offset;
	if (n > r->size - at)
		n = r->size - at;
	*piece = r->data + at;
	return ((size_t)n);
}

void
stream_ring_free(struct stream_ring *r, uint64_t *used)
{
	*used -= r->size;
	stream_memory_free(r->data);
	r->data = NULL;
	r->size = 0;
	r->oldest = r->total;
}
