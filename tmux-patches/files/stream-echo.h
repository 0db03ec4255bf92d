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


#ifndef STREAM_ECHO_H
#define STREAM_ECHO_H

#include <stddef.h>
#include <stdint.h>

/*
 * What is echoed behind a prompt, up to the first LF: has a line been typed?
 */

struct stream_text;

/* A prompt's column is looked for in so many bytes of it. */
#define STREAM_ECHO_MAX_PROMPT (64 * 1024)

/* Zero is valid: at no prompt. */
struct stream_echo {
	int			 active;	/* no LF yet */
	int			 prompt;	/* the prompt itself so far */
	uint64_t		 from;		/* where the line begins */
	struct stream_text	*text;		/* NULL without memory */
	unsigned int		 count;		/* characters not blank */
	char			 first[2];

	uint64_t		 newline;	/* after the LF, or UINT64_MAX */
	uint64_t		 newline_time;
	int			 typed;		/* something was, before it */
};

/* A prompt begins at an offset; is the alternate screen on? */
void	stream_echo_prompt(struct stream_echo *, uint64_t, int);

/*
 * A prompt ends at an offset. What is typed begins at the column where the
 * prompt ended: shells that erase a line go there.
 */
void	stream_echo_begin(struct stream_echo *, uint64_t, int);

/* It is over, or there is none. */
void	stream_echo_end(struct stream_echo *);

/* Takes bytes that are at an offset at a time; passes over those before. */
void	stream_echo_feed(struct stream_echo *, const unsigned char *, size_t,
	    uint64_t, uint64_t);

/* Is the line empty so far? */
int	stream_echo_empty(const struct stream_echo *);

#endif
