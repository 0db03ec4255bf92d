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


#ifndef STREAM_EOL_H
#define STREAM_EOL_H

#include <stdint.h>

#include "stream-ring.h"

/*
 * Before its prompt zsh (5.9, PROMPT_SP) marks the end of a line that has no
 * newline: a character in standout, blanks up to the right edge, and what takes
 * the character away again if it is on a line of its own. A D that comes with
 * the prompt, as that of VTE's integration, or from a hook, as that of kitty's,
 * comes after it; but it is not of the command.
 */

/* It is looked for in so many bytes before the end. */
#define STREAM_EOL_MAX 2048

/*
 * Where output that goes from one offset up to another ends without it: where
 * it begins, or the end where there is none or the bytes are not kept.
 */
uint64_t	stream_eol_find(const struct stream_ring *, uint64_t,
		    uint64_t);

#endif
