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


#ifndef STREAM_SUBMIT_H
#define STREAM_SUBMIT_H

#include <stdint.h>

#include "stream-command.h"

/*
 * Submissions: records that wait for their command. They are pending, the
 * oldest first, until they are settled.
 */

/* The oldest that is pending, or NULL; and only if it was made by an offset. */
struct stream_record	*stream_submit_oldest(const struct stream_command *);
struct stream_record	*stream_submit_oldest_at(const struct stream_command *,
			     uint64_t);

/* Those that were made before a D may have been read by what it ends. */
void			 stream_submit_pass(struct stream_command *, uint64_t);

/*
 * Settles one at an offset and a time; says whether it may have run together
 * with the one before.
 */
void			 stream_submit_settle_one(struct stream_command *,
			     struct stream_record *, uint64_t, uint64_t, int);

/* As those of pane-stream.h; the first number is the stream's total. */
uint64_t		 stream_submit_add(struct stream_command *, uint64_t,
			     unsigned int, int, uint64_t);
enum pane_stream_readiness stream_submit_ready(const struct stream_command *,
			     uint64_t);
void			 stream_submit_settle(struct stream_command *,
			     uint64_t, uint64_t, uint64_t);

#endif
