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


#include "stream-utf8.h"

/*
 * A UTF-8 decoder that can stop after any byte.
 */

enum stream_utf8_result
stream_utf8_next(struct stream_utf8 *u, unsigned char c)
{
	if (u->need != 0) {
		if (c < u->lower || c > u->upper) {
			u->need = 0;
			u->have = 0;
			return (STREAM_UTF8_BROKEN);
		}
		u->lower = 0x80;
		u->upper = 0xbf;
		u->value = (u->value << 6) | (c & 0x3f);
		u->have++;
		if (--u->need != 0)
			return (STREAM_UTF8_MORE);
		u->have = 0;
		return (STREAM_UTF8_DONE);
	}
	if (c < 0x80) {
		u->value = c;
		return (STREAM_UTF8_DONE);
	}
	if (c < 0xc2 || c > 0xf4)
		return (STREAM_UTF8_INVALID);
	u->lower = 0x80;
	u->upper = 0xbf;
	u->have = 1;
	if (c < 0xe0) {
		u->need = 1;
		u->value = c & 0x1f;
	} else if (c < 0xf0) {
		u->need = 2;
		u->value = c & 0x0f;
		if (c == 0xe0)
			u->lower = 0xa0;
		else if (c == 0xed)
			u->upper = 0x9f;
	} else {
		u->need = 3;
		u->value = c & 0x07;
		if (c == 0xf0)
			u->lower = 0x90;
		else if (c == 0xf4)
			u->upper = 0x8f;
	}
	return (STREAM_UTF8_MORE);
}

size_t
stream_utf8_encode(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return (1);
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | (c >> 6));
		out[1] = (char)(0x80 | (c & 0x3f));
		return (2);
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | (c >> 12));
		out[1] = (char)(0x80 | ((c >> 6) & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return (3);
	}
	out[0] = (char)(0xf0 | (c >> 18));
	out[1] = (char)(0x80 | ((c >> 12) & 0x3f));
	out[2] = (char)(0x80 | ((c >> 6) & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return (4);
}
