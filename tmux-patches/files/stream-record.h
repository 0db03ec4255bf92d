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


#ifndef STREAM_RECORD_H
#define STREAM_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "pane-stream.h"
#include "stream-osc133.h"

/*
 * The records of a stream, in the order of their ids. There are at most
 * PANE_STREAM_RECORDS; those that are finished make room, the oldest first.
 */

/* A record, and what is kept beside it until it is settled. */
struct stream_record {
	struct pane_stream_record	 r;	/* running is told beside it */
	int				 running;
	int				 ended;	/* a D (or a prompt) was seen */
	int				 pending;
	int				 exact;
	int				 passed;	/* a D came behind its mark */
	int				 blank;		/* an empty line was entered */
	int				 untold;	/* that it is finished */
	unsigned int			 lines;
	uint64_t			 newline;	/* after the first LF */
	uint64_t			 newline_time;	/* behind its mark */
	unsigned char			*pipe;
	char				*cmdline;
};

/* Zero is valid and empty. */
struct stream_records {
	struct stream_record	**list;		/* a ring of size */
	unsigned int		  size;		/* 0 or a power of two */
	unsigned int		  head;
	unsigned int		  count;
	unsigned int		  untold;	/* finished, not yet told */
	uint64_t		  first_id;	/* 0: none yet */
	uint64_t		  forgotten;	/* newest that is forgotten */
};

/*
 * Creates a record; its id is one more than the last that was given out. NULL
 * without memory, or if there are too many of which none is finished.
 */
struct stream_record	*stream_record_create(struct stream_records *,
			     uint64_t *);

/* Removes one as if it had never been. */
void			 stream_record_remove(struct stream_records *,
			     struct stream_record *);

/* By index from the oldest, and by id; NULL if there is none. */
struct stream_record	*stream_record_at(const struct stream_records *,
			     unsigned int);
struct stream_record	*stream_record_find(const struct stream_records *,
			     uint64_t);

/* Was this id given out, and is it not kept any more? */
int			 stream_record_forgotten(const struct stream_records *,
			     uint64_t);

/* Adds to the command line; without memory it stays as it is. */
void			 stream_record_cmdline(struct stream_record *,
			     const char *);

/* Sets the statuses of a pipeline; without memory there are none. */
void			 stream_record_pipe(struct stream_record *,
			     const unsigned char *, unsigned int);

/* Did it start, by a C or by a D alone? */
int			 stream_record_started(const struct stream_record *);

/* A D ended it, at a time. */
void			 stream_record_exited(struct stream_record *,
			     const struct osc133_mark *, uint64_t);

/* It ended at an offset and a time, but it is not known how. */
void			 stream_record_lost(struct stream_record *, uint64_t,
			     uint64_t);

/* No marks told of it: its output is what came behind its echo. */
void			 stream_record_unmarked(struct stream_record *,
			     uint64_t);

/* It will not change any more. */
void			 stream_record_finish(struct stream_records *,
			     struct stream_record *);

/* Id of the oldest that is finished and was not returned yet; 0 if none. */
uint64_t		 stream_record_next_finished(struct stream_records *);

/* A submission has not started after all. */
void			 stream_record_revert(struct stream_record *);

/* What it looks like from outside, the oldest byte kept being known. */
void			 stream_record_get(const struct stream_record *,
			     uint64_t, struct pane_stream_record *);

void			 stream_record_free_all(struct stream_records *);

#endif
