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

#ifndef STREAM_TEXT_H
#define STREAM_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Turns a terminal's output into text. Within a line, carriage returns,
 * backspaces, tabs, cursor movement and erasing are resolved as a terminal of
 * endless width would; CRLF is one newline. Escape sequences are left out, and
 * so is what was written to the alternate screen.
 */

/* Keep colours and other escapes as they came, but leave out OSC 133 marks. */
#define STREAM_TEXT_ESCAPES 0x1

/* No more bytes follow: what is incomplete at the end is written, not kept. */
#define STREAM_TEXT_FINAL 0x2

/* The first byte is on the alternate screen. */
#define STREAM_TEXT_ALTERNATE 0x4

/*
 * A line longer than this many cells is written up to there and can no longer
 * be overwritten; the rest goes on as the same line.
 */
#define STREAM_TEXT_MAX_LINE (1024 * 1024)

/* Takes text; what is returned is ignored. */
typedef void (*stream_text_write)(void *, const char *, size_t);

struct stream_text;

/* Creates a renderer; NULL without memory. */
struct stream_text	*stream_text_create(unsigned int, stream_text_write,
			     void *);
void			 stream_text_free(struct stream_text *);

/* Takes bytes. Returns 0, or -1 without memory (the renderer is then dead). */
int			 stream_text_feed(struct stream_text *,
			     const unsigned char *, size_t);

/* Writes the lines that have ended, without waiting for more. */
void			 stream_text_flush(struct stream_text *);

/*
 * Ends the text: writes the last line. Returns the number of bytes at the end
 * of the input that were not used because a character or a sequence is cut
 * there (0 with STREAM_TEXT_FINAL), or -1 without memory. A CSI sequence that
 * has no end after 4096 bytes is not waited for.
 */
long			 stream_text_end(struct stream_text *);

/*
 * Is what has not been given to the callback yet, the line included, nothing
 * but blanks?
 */
int			 stream_text_blank(const struct stream_text *);

/* Was the start of an OSC or a DCS, and nothing of it, what came last? */
int			 stream_text_opened(const struct stream_text *);

/* The column of the cursor, or 0 without memory. */
size_t			 stream_text_column(struct stream_text *);

/* Has anything on the alternate screen been left out? */
int			 stream_text_alternate(const struct stream_text *);

#endif
