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


#ifndef STREAM_SCREEN_H
#define STREAM_SCREEN_H

#include <stddef.h>
#include <stdint.h>

#include "stream-line.h"

/*
 * The line of a terminal's screen that its cursor is on. A sequence that moves
 * to another line ends this one if anything is on it; lines that have ended
 * are never changed. What goes to the alternate screen is left out.
 */
struct stream_screen {
	struct stream_line	 line;
	int			 alternate;	/* is it on? */
	int			 left_out;	/* was anything written there? */
	stream_cells_write	 write;		/* takes the text */
	void			*arg;
};

/* A CSI sequence with more bytes before its last does nothing. */
#define STREAM_SCREEN_MAX_CSI 64

/* All return 0, or -1 without memory. */

/*
 * Text as it mostly is: takes what only adds to the line, line ends, and
 * colours. Returns how far it went, which may be nowhere, or NULL without
 * memory.
 */
const unsigned char *stream_screen_text(struct stream_screen *,
	    const unsigned char *, const unsigned char *);

/* Printable ASCII; another character; a control character. */
int	stream_screen_ascii(struct stream_screen *, const char *, size_t);
int	stream_screen_character(struct stream_screen *, uint32_t);
int	stream_screen_control(struct stream_screen *, unsigned char);

/* A CSI sequence: what is between its ESC [ and its last byte, and that. */
int	stream_screen_csi(struct stream_screen *, const unsigned char *,
	    size_t, unsigned char);

/* The byte after an ESC. */
int	stream_screen_escape(struct stream_screen *, unsigned char);

#endif
