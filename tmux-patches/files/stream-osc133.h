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

#ifndef STREAM_OSC133_H
#define STREAM_OSC133_H

#include <stddef.h>
#include <stdint.h>

/*
 * Finds OSC 133 marks, and switches of the alternate screen, in a terminal's
 * output. Bytes come in any chunks; the scanner keeps what it needs between
 * two of them. A mark begins with ESC ] 133 ; and ends with BEL, ESC \ or the
 * 8-bit ST (0x9c) where that is not part of a UTF-8 character.
 *
 * Nothing that a DCS carries is a mark: its ESCs are doubled. One that is not,
 * before a ], means that the DCS's end is missing. In APC, PM and SOS strings
 * and in another OSC, an ESC that does not end them begins the next sequence.
 * A string that never ends is skipped in bounded memory; a DCS for 1 MiB.
 */

/* Longest payload kept; what is longer is cut there and flagged. */
#define OSC133_MAX_PAYLOAD 4096

/* Most pipe statuses kept of one mark. */
#define OSC133_MAX_PIPE 32

/* Exit status of a D mark that tells none, or none that is one. */
#define OSC133_STATUS_ABSENT -1		/* D alone: the command was cancelled */
#define OSC133_STATUS_INVALID -2	/* not a number from 0 to 255 */

/* Flags of a mark. */
#define OSC133_CUT 0x1		/* payload longer than OSC133_MAX_PAYLOAD */
#define OSC133_WAITING 0x2	/* A: w=1, a typed line waits to be read */
#define OSC133_ERROR 0x4	/* D: err= is there and not empty */

/* One mark. Pointers are valid during the callback alone. */
struct osc133_mark {
	char		 kind;		/* 'A' 'B' 'C' 'D' 'I' 'L' 'N' 'P' */
	char		 prompt;	/* k=: 'i' 'c' 's' 'r', or 0 */
	unsigned int	 flags;
	int		 status;	/* D: 0 to 255 or OSC133_STATUS_* */

	uint64_t	 start;		/* offset of its ESC */
	uint64_t	 end;		/* offset after its last byte */

	const char	*aid;		/* aid=, NULL if absent; NUL-terminated */
	const char	*cmdline;	/* decoded command line, or NULL */

	unsigned int	 npipe;
	unsigned char	 pipe[OSC133_MAX_PIPE];
};

struct osc133_events {
	void	(*mark)(void *, const struct osc133_mark *);

	/* The alternate screen was entered (1) or left (0) at an offset. */
	void	(*alternate)(void *, int, uint64_t);
};

struct osc133_scanner;

/* Creates a scanner whose first byte is at offset; NULL without memory. */
struct osc133_scanner	*osc133_create(uint64_t);
void			 osc133_free(struct osc133_scanner *);

/* Forgets a sequence that has begun; the offset goes on. */
void			 osc133_reset(struct osc133_scanner *);

/* What the bytes until now end inside of. */
enum osc133_inside {
	OSC133_IN_NONE,		/* or in what needs no end */
	OSC133_IN_MARK,		/* OSC 133 */
	OSC133_IN_STRING	/* another OSC, or a DCS */
};

/* Tells that, and where its ESC is. */
enum osc133_inside	 osc133_inside(const struct osc133_scanner *,
			     uint64_t *);

/* Scans the next bytes, calling back in their order. */
void			 osc133_scan(struct osc133_scanner *,
			     const struct osc133_events *, void *,
			     const unsigned char *, size_t);

#endif
