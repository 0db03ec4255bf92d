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


#ifndef STREAM_RING_H
#define STREAM_RING_H

#include <stddef.h>
#include <stdint.h>

/*
 * The newest bytes of a stream, each at the offset that it has in the stream.
 * The memory grows from nothing, by doubling, up to a limit; from then on the
 * oldest bytes are overwritten.
 */
struct stream_ring {
	unsigned char	*data;
	uint64_t	 size;		/* of the memory: 0 or a power of two */
	uint64_t	 limit;
	uint64_t	 total;		/* offset after the newest byte */
	uint64_t	 oldest;	/* offset of the oldest that is kept */
};

/*
 * Adds bytes. used is what all rings take together, which this one keeps up to
 * date, and total_limit what they may: where a ring cannot grow it goes on as
 * large as it is. Some of that is left to small rings.
 */
void	stream_ring_append(struct stream_ring *, const unsigned char *, size_t,
	    uint64_t *used, uint64_t total_limit);

/* Sets the limit, and shrinks to it. */
void	stream_ring_set_limit(struct stream_ring *, uint64_t, uint64_t *used);

/* Bytes in one piece at an offset; 0 if it is not kept. */
size_t	stream_ring_peek(const struct stream_ring *, uint64_t,
	    const unsigned char **);

void	stream_ring_free(struct stream_ring *, uint64_t *used);

#endif
