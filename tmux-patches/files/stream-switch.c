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

#include <stddef.h>

#include "stream-memory.h"
#include "stream-switch.h"

void
stream_switch_free(struct stream_switches *switches)
{
	stream_memory_free(switches->newest);
	switches->newest = NULL;
	switches->count = 0;
}

void
stream_switch_note(struct stream_switches *switches, int on, uint64_t offset)
{
	struct stream_switch	*s;

	if (switches->newest == NULL) {
		switches->newest = stream_memory_alloc(STREAM_SWITCH_MAX *
		    sizeof *switches->newest);
		if (switches->newest == NULL)
			return;
		switches->count = 0;
	}
	s = &switches->newest[switches->count++ % STREAM_SWITCH_MAX];
	s->offset = offset;
	s->on = on;
}

int
stream_switch_at(const struct stream_switches *switches, uint64_t offset)
{
	const struct stream_switch	*s;
	unsigned int			 i, n = switches->count;

	for (i = 0; i < STREAM_SWITCH_MAX && i < n; i++) {
		s = &switches->newest[(n - 1 - i) % STREAM_SWITCH_MAX];
		if (s->offset <= offset)
			return (s->on);
	}
	return (0);
}
