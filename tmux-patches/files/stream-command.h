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


#ifndef STREAM_COMMAND_H
#define STREAM_COMMAND_H

#include <stddef.h>
#include <stdint.h>

#include "pane-stream.h"
#include "stream-echo.h"
#include "stream-osc133.h"
#include "stream-record.h"

/*
 * What marks and submissions make of a stream: where the shell is, and the
 * records of its commands. All marks of a pane come here; the rules are:
 *
 * Marks with the nonce are ours, and once one came no others count. Until then
 * the first mark's aid, or that it has none, is adopted, and marks with another
 * are foreign.
 *
 * A C belongs to the oldest submission that is pending and was made before it,
 * else it begins a record of its own (a person's). More C's before the next
 * prompt or D are of the same command. A D ends it, and of several D's the
 * last counts; a prompt without a D means that the D was lost. A C that is
 * followed by a B was none. A D without a C ends a command if one was
 * submitted, or if a line was typed.
 */
struct stream_command {
	struct pane_stream_pool	*pool;
	struct stream_records	 records;
	enum pane_stream_phase	 phase;

	char			*nonce;
	char			*adopted;	/* aid, NULL: none */
	int			 adopted_any;	/* is one, or none, adopted? */
	int			 integrated;
	int			 foreign;
	int			 waiting;
	int			 alternate;
	int			 prompted;	/* was there ever a prompt? */
	int			 inputs;	/* was there ever a B? */
	int			 uncounted;	/* prompt whose B is to come */
	int			 bare;		/* last prompt had no A */
	uint64_t		 stray;		/* a B while a command runs */
	uint64_t		 stray_end;
	int			 secondary;	/* newest is a PS2 */

	uint64_t		 prompt;	/* start of the last A */
	uint64_t		 input;		/* end of the last B since */
	struct stream_echo	 echo;		/* behind it */
	unsigned int		 seen;		/* flags since the prompt */

	struct stream_record	*open;		/* from its C to the prompt */
	unsigned int		 pending;
	unsigned int		 no_newline;	/* of them, without LF yet */
};

void	stream_command_init(struct stream_command *,
	    struct pane_stream_pool *);
void	stream_command_free(struct stream_command *);

int	stream_command_set_nonce(struct stream_command *, const char *);

/*
 * Takes a mark, and a switch of the screen, at a time. All bytes before must
 * have been taken.
 */
void	stream_command_mark(struct stream_command *,
	    const struct osc133_mark *, uint64_t);
void	stream_command_alternate(struct stream_command *, int);

/* Takes all bytes, those of marks too; the offset of the first, and a time. */
void	stream_command_bytes(struct stream_command *, const unsigned char *,
	    size_t, uint64_t, uint64_t);

/* The pane's process ended: as pane_stream_end, at a total and a time. */
void	stream_command_end(struct stream_command *, uint64_t, uint64_t);

#endif
