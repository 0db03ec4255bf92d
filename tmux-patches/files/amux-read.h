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

#ifndef AMUX_READ_H
#define AMUX_READ_H

#include "amux-pane.h"

/*
 * One run of read-pane: what it reads, where that is put, and how it ends.
 * Those that return an int return what a wait's callback does: 0 if the
 * commands behind it run, -1 if they do not, 1 if it waits for a file.
 */

/* What is read. */
enum amux_read_what {
	AMUX_READ_UNREAD,
	AMUX_READ_OUTPUT,		/* -O */
	AMUX_READ_SINCE_WRITE,		/* -S */
	AMUX_READ_AFTER,		/* -a */
	AMUX_READ_RECORDS,		/* -l */
	AMUX_READ_STATE			/* -s */
};

struct amux_read {
	u_int				 pane;
	enum amux_read_what		 what;
	enum pane_stream_render		 render;

	uint64_t			 id;	/* waited for or asked for */
	uint64_t			 after;	/* -a */
	int				 waited;	/* -w */
	int				 named;	/* id by -i or write-pane */
	int				 count;	/* -c */
	int				 status;	/* -E */

	char				*format;
	char				*path;	/* -o or -f */
	int				 flags;	/* of the file */
	char				*buffer;
	int				 error;	/* errno of the file */

	/* How it ends once what was read is written out. */
	int				 retval;
	char				*message;
};

/* amux-read.c */

/* Frees one, made by xcalloc. */
void	 amux_read_free(void *);

/*
 * Finds the record that is read or waited for, if there is one; -1 after an
 * error.
 */
int	 amux_read_record(struct cmdq_item *, struct amux_read *,
	     struct amux_pane *, struct pane_stream_record *, int *);

/*
 * Reads and puts it where it belongs. The caller frees the run in any case:
 * what a file still needs is taken out of it.
 */
int	 amux_read_run(struct cmdq_item *, struct amux_read *,
	     enum amux_woken);

/* amux-deliver.c */

/* Shows an error, with the status that goes with it; returns -1. */
int	 amux_deliver_error(struct cmdq_item *, struct amux_read *,
	     const char *);

/* Puts bytes where they belong, and ends as was decided. */
int	 amux_deliver(struct cmdq_item *, struct amux_read *,
	     struct evbuffer *);

#endif
