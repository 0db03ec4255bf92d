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


#ifndef STREAM_SCAN_H
#define STREAM_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Looks at eight bytes at a time. What is found is told by masks: of each byte
 * that is meant the top bit is set; what is set above the first of them means
 * nothing.
 */

#define STREAM_SCAN_ONES UINT64_C(0x0101010101010101)
#define STREAM_SCAN_TOPS UINT64_C(0x8080808080808080)

/* Eight bytes, the first of them lowest. */
static inline uint64_t
stream_scan_load(const unsigned char *p)
{
	uint64_t	v;

	memcpy(&v, p, sizeof v);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return (v);
}

/* Which is the first byte of a mask that is not 0? */
static inline size_t
stream_scan_first(uint64_t mask)
{
#ifdef __GNUC__
	return ((size_t)__builtin_ctzll(mask) / 8);
#else
	size_t	n;

	for (n = 0; (mask & 0xff) == 0; n++)
		mask >>= 8;
	return (n);
#endif
}

/* Bytes that are an ESC; this mask is right in all of them. */
static inline uint64_t
stream_scan_escapes(uint64_t v)
{
	v ^= STREAM_SCAN_ONES * 0x1b;
	return (~(((v & ~STREAM_SCAN_TOPS) + STREAM_SCAN_ONES * 0x7f) | v) &
	    STREAM_SCAN_TOPS);
}

/*
 * Which bytes of a block are an ESC, as bits. The product brings the top bits
 * of eight bytes together in its highest byte.
 */
#define STREAM_SCAN_BLOCK 32
static inline unsigned int
stream_scan_block(const unsigned char *p)
{
	const uint64_t	gather = UINT64_C(0x0002040810204081);
	unsigned int	bits = 0;
	int		i;

	for (i = 0; i < STREAM_SCAN_BLOCK; i += 8)
		bits |= (unsigned int)((stream_scan_escapes(
		    stream_scan_load(p + i)) * gather) >> 56) << i;
	return (bits);
}

/* Which is the lowest bit that is set? */
static inline size_t
stream_scan_bit(unsigned int bits)
{
#ifdef __GNUC__
	return ((size_t)__builtin_ctz(bits));
#else
	size_t	n;

	for (n = 0; (bits & 1) == 0; n++)
		bits >>= 1;
	return (n);
#endif
}

/* Bytes that are not printable ASCII. */
static inline uint64_t
stream_scan_unprintable(uint64_t v)
{
	return ((v | (v + STREAM_SCAN_ONES) | (v - STREAM_SCAN_ONES * 0x20)) &
	    STREAM_SCAN_TOPS);
}

/* Bytes that are no parameters or intermediates of a CSI sequence. */
static inline uint64_t
stream_scan_finals(uint64_t v)
{
	/* Without the low bits nothing is carried from one to the next. */
	v = (v & (STREAM_SCAN_ONES * 0xe0)) ^ (STREAM_SCAN_ONES * 0x20);
	return (((v >> 1) + STREAM_SCAN_ONES * 0x7f) & STREAM_SCAN_TOPS);
}

/*
 * Where parameters and intermediates of a CSI sequence end, at a byte that is
 * none or at the end.
 */
static inline const unsigned char *
stream_scan_csi(const unsigned char *p, const unsigned char *end)
{
	uint64_t	mask;

	if (end - p >= 8) {
		mask = stream_scan_finals(stream_scan_load(p));
		if (mask != 0)
			return (p + stream_scan_first(mask));
		p += 8;
	}
	while (p != end && *p >= 0x20 && *p < 0x40)
		p++;
	return (p);
}

/* How many printable ASCII characters come first? */
static inline size_t
stream_scan_printable(const unsigned char *p, size_t n)
{
	uint64_t	mask;
	size_t		i;

	for (i = 0; n - i >= 8; i += 8) {
		mask = stream_scan_unprintable(stream_scan_load(p + i));
		if (mask != 0)
			return (i + stream_scan_first(mask));
	}
	while (i < n && p[i] >= 0x20 && p[i] < 0x7f)
		i++;
	return (i);
}

#endif
