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

#include "stream-eol.h"

/* Fewer blanks are not up to the right edge of anything. */
#define STREAM_EOL_BLANKS 15

static size_t	 stream_eol_blank(const unsigned char *, size_t);
static size_t	 stream_eol_colour(const unsigned char *, size_t);
static size_t	 stream_eol_sequence(const unsigned char *, size_t);
static int	 stream_eol_no_text(const unsigned char *, size_t);
static size_t	 stream_eol_begin(const unsigned char *, size_t);

/* Where the blanks that end at a place begin. */
static size_t
stream_eol_blank(const unsigned char *buf, size_t end)
{
	while (end != 0 && buf[end - 1] == ' ')
		end--;
	return (end);
}

/* Where the colour (CSI m) that ends at a place begins; there if none does. */
static size_t
stream_eol_colour(const unsigned char *buf, size_t end)
{
	size_t	at = end;

	if (at == 0 || buf[--at] != 'm')
		return (end);
	while (at != 0 && ((buf[at - 1] >= '0' && buf[at - 1] <= '9') ||
	    buf[at - 1] == ';'))
		at--;
	if (at < 2 || buf[at - 1] != '[' || buf[at - 2] != '\033')
		return (end);
	return (at - 2);
}

/* How long the sequence or control is that bytes begin with; 0 if text is. */
static size_t
stream_eol_sequence(const unsigned char *buf, size_t len)
{
	size_t	i = 1;

	if (buf[0] != '\033')
		return (buf[0] < 0x20 && buf[0] != '\n');
	if (len == 1)
		return (0);
	switch (buf[i]) {
	case ']':
		for (i++; i < len && buf[i] >= 0x20; i++)
			;
		if (i < len && buf[i] == '\a')
			return (i + 1);
		if (len - i > 1 && buf[i] == '\033' && buf[i + 1] == '\\')
			return (i + 2);
		return (0);
	case '[':
		for (i++; i < len && buf[i] >= 0x20 && buf[i] < 0x40; i++)
			;
		return ((i < len && buf[i] >= 0x40 && buf[i] < 0x7f) ? i + 1 : 0);
	case 'P':
	case 'X':
	case '^':
	case '_':
	case 'k':
		return (0);
	default:
		for (; i < len && buf[i] >= 0x20 && buf[i] < 0x30; i++)
			;
		return ((i < len && buf[i] >= 0x30 && buf[i] < 0x7f) ? i + 1 : 0);
	}
}

/* Is there nothing to be seen, as before a mark? */
static int
stream_eol_no_text(const unsigned char *buf, size_t len)
{
	size_t	n;

	for (; len != 0; buf += n, len -= n) {
		n = stream_eol_sequence(buf, len);
		if (n == 0)
			return (0);
	}
	return (1);
}

/* Where the mark whose blanks end at a place begins; there if none does. */
static size_t
stream_eol_begin(const unsigned char *buf, size_t end)
{
	size_t	at, from, n;

	from = stream_eol_blank(buf, end);
	if (end - from < STREAM_EOL_BLANKS)
		return (end);
	at = stream_eol_colour(buf, from);
	if (at == from)
		return (end);
	for (from = at; (at = stream_eol_colour(buf, from)) != from; from = at)
		;

	/* The character: % or #, unless it is set to something else. */
	if (at == 0)
		return (end);
	if (buf[at - 1] > 0x20 && buf[at - 1] < 0x7f)
		at--;
	else {
		for (n = 0; n < 4 && at != 0 && buf[at - 1] >= 0x80; n++)
			at--;
		if (n < 2)
			return (end);
	}

	/* Standout as terminals have it (xterm's, screen's); bold before it. */
	if (at < 4 || (memcmp(buf + at - 4, "\033[7m", 4) != 0 &&
	    memcmp(buf + at - 4, "\033[3m", 4) != 0))
		return (end);
	at -= 4;
	if (at >= 4 && memcmp(buf + at - 4, "\033[1m", 4) == 0)
		at -= 4;
	return (at);
}

uint64_t
stream_eol_find(const struct stream_ring *r, uint64_t from, uint64_t to)
{
	unsigned char		 buf[STREAM_EOL_MAX];
	const unsigned char	*piece = NULL;
	uint64_t		 offset;
	size_t			 len = 0, n, at;

	if (from < r->oldest)
		from = r->oldest;
	if (to > r->total || from >= to)
		return (to);
	if (to - from > sizeof buf)
		from = to - sizeof buf;
	for (offset = from; offset != to; offset += n) {
		n = stream_ring_peek(r, offset, &piece);
		if (n > to - offset)
			n = (size_t)(to - offset);
		memcpy(buf + len, piece, n);
		len += n;
	}

	/* The last of it: the blank that overwrites the character. */
	for (n = len; n >= 3; n--) {
		if (memcmp(buf + n - 3, "\r \r", 3) != 0)
			continue;
		at = stream_eol_begin(buf, n - 3);
		if (at == n - 3 || !stream_eol_no_text(buf + n, len - n))
			return (to);
		return (from + at);
	}
	return (to);
}
