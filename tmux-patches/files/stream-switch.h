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

#ifndef STREAM_SWITCH_H
#define STREAM_SWITCH_H

#include <stdint.h>

/*
 * Switches of the alternate screen, by their offsets in the stream: a range that
 * is rendered may begin behind one. The newest are remembered.
 */

#define STREAM_SWITCH_MAX 64

struct stream_switch {
	uint64_t	offset;
	int		on;
};

/* Zeroed: none. */
struct stream_switches {
	struct stream_switch	*newest;	/* a ring, owned */
	unsigned int		 count;		/* ever */
};

void	stream_switch_free(struct stream_switches *);

/* Remembers a switch; without memory nothing knows of it. */
void	stream_switch_note(struct stream_switches *, int, uint64_t);

/* Was the screen on at an offset, as far as that is remembered? */
int	stream_switch_at(const struct stream_switches *, uint64_t);

#endif
