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


#ifndef STREAM_UTF8_H
#define STREAM_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Follows UTF-8 byte by byte, as strictly as the Unicode standard asks (table
 * 3-7: no overlong forms, no surrogates, nothing beyond U+10FFFF). Zero is
 * the state between two characters.
 */
struct stream_utf8 {
	unsigned char	need;	/* bytes still to come */
	unsigned char	lower;	/* range of the next one */
	unsigned char	upper;
	unsigned char	have;	/* bytes so far */
	uint32_t	value;
};

enum stream_utf8_result {
	STREAM_UTF8_DONE,	/* value is a character */
	STREAM_UTF8_MORE,	/* inside of one */
	STREAM_UTF8_INVALID,	/* this byte cannot be part of one */
	STREAM_UTF8_BROKEN	/* what came before is invalid: give it again */
};

enum stream_utf8_result	stream_utf8_next(struct stream_utf8 *,
			    unsigned char);

/* Writes a character as UTF-8, at most four bytes; returns how many. */
size_t			stream_utf8_encode(char *, uint32_t);

#endif
