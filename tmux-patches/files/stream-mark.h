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


#ifndef STREAM_MARK_H
#define STREAM_MARK_H

#include <stddef.h>

#include "stream-osc133.h"

/*
 * Reads the payload of a mark: what lies between ESC ] 133 ; and its end. It
 * is a letter and options after it, each with a ; before it:
 *
 *	D;3;aid=7;pipe=3,0
 *
 * An option is key=value; of the same key the last counts, and keys that are
 * not known are passed over. The value of cmdline= is quoted as by printf %q,
 * so a ; that is quoted does not end it; that of cmdline_url= has %XX.
 */

/*
 * Fills in all of a mark but its offsets; flags says if the payload is cut.
 * The payload is changed, the mark points into it, and there must be room for
 * one byte behind it. Returns 0, or -1 if this is not a mark.
 */
int	stream_mark_parse(char *, size_t, unsigned int, struct osc133_mark *);

#endif
