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

#ifndef PANE_STREAM_H
#define PANE_STREAM_H

#include <stddef.h>
#include <stdint.h>

/*
 * The output stream of a pane: its newest bytes in a ring, 64-bit offsets that
 * only grow, a read cursor, and the records of its newest commands, made from
 * OSC 133 marks. Knows no clock, no terminal and no tmux: whoever owns it says
 * what time it is (monotonic, in nanoseconds) and decides, with
 * pane_stream_ready and what it knows about the terminal, when a submission
 * has ended.
 *
 * Every function is safe on any input. Those that allocate leave the stream
 * valid, and count what is lost, when memory runs out.
 */

/* Default limits: one ring, and all rings of a pool together, in bytes. */
#define PANE_STREAM_LIMIT (16 * 1024 * 1024)
#define PANE_STREAM_TOTAL_LIMIT (512 * 1024 * 1024)

/* Most records kept; the oldest are forgotten first. */
#define PANE_STREAM_RECORDS 1024

/* An offset, or a time, that is not known. */
#define PANE_STREAM_UNKNOWN UINT64_MAX

/* Exit status that is not known, or that there is none of. */
#define PANE_STREAM_NO_STATUS -1

/* How a command ended. */
enum pane_stream_ended {
	PANE_STREAM_SUBMITTED,	/* not seen to start yet */
	PANE_STREAM_RUNNING,
	PANE_STREAM_EXITED,	/* D with a status (or an invalid one) */
	PANE_STREAM_CANCELLED,	/* D without a status */
	PANE_STREAM_LOST,	/* a prompt without D, or the pane ended */
	PANE_STREAM_NOTHING	/* submitted, but no command ran */
};

/* Flags of a record. */
#define PANE_STREAM_C_MISSING 0x1	/* its output began without a C */
#define PANE_STREAM_ALTERNATE 0x2	/* used the alternate screen */
#define PANE_STREAM_FOREIGN 0x4		/* marks not ours were in its output */
#define PANE_STREAM_OVERWRITTEN 0x8	/* the ring no longer has all of it */
#define PANE_STREAM_BY_PROGRAM 0x10	/* came by pane_stream_submit */
#define PANE_STREAM_FINISHED 0x20	/* will not change any more */
#define PANE_STREAM_PANE_ENDED 0x40	/* the pane's process ended with it */
#define PANE_STREAM_MERGED 0x80		/* ran together with the one before */
#define PANE_STREAM_UNMARKED 0x100	/* ended by quiet, without marks */

/*
 * One command, from the first C after its submission to the last D before the
 * prompt that ends it. What zsh writes between the output and the D, where a
 * line has no newline, is not of the output. Owned by the stream; valid until
 * the next call that changes it.
 */
struct pane_stream_record {
	uint64_t		 id;		/* unique in the pool, from 1 */
	enum pane_stream_ended	 ended;
	unsigned int		 flags;
	int			 status;	/* 0 to 255, or NO_STATUS */

	uint64_t		 mark;		/* offset at its submission */
	uint64_t		 line_start;	/* where its typed line begins */
	uint64_t		 output_start;	/* after C */
	uint64_t		 output_end;	/* before D; UNKNOWN if running */

	uint64_t		 submitted;	/* times in ns, or UNKNOWN */
	uint64_t		 started;
	uint64_t		 finished;

	unsigned int		 npipe;
	const unsigned char	*pipe;		/* statuses of a pipeline */
	const char		*cmdline;	/* told by the shell, or NULL */
};

/* What all streams of one server share. The owner keeps it; zero is valid. */
struct pane_stream_pool {
	uint64_t	 limit;		/* of all rings, in bytes; 0: default */
	uint64_t	 used;		/* by all rings, in bytes */
	uint64_t	 last_id;
};

/* Where the shell is, as its marks tell. */
enum pane_stream_phase {
	PANE_STREAM_NO_MARKS,		/* no mark of its own shell yet */
	PANE_STREAM_PROMPT,		/* A: writes its prompt */
	PANE_STREAM_INPUT,		/* B: reads a line */
	PANE_STREAM_OUTPUT,		/* C: a command runs */
	PANE_STREAM_BETWEEN		/* D: before the next prompt */
};

/* Answers of pane_stream_ready. */
enum pane_stream_readiness {
	PANE_STREAM_FINISHED_ALREADY,	/* settled, or the id is forgotten */
	PANE_STREAM_NOT_READY,		/* marks say: not yet */
	PANE_STREAM_READY,		/* a prompt after a C or D */
	PANE_STREAM_READY_IF_CALM,	/* a prompt after a D of another's */
	PANE_STREAM_READY_IF_QUIET,	/* a prompt, neither C nor D */
	PANE_STREAM_READY_UNMARKED	/* no marks: only quiet can tell */
};

struct pane_stream;

/* Lifetime. The pool outlives its streams. NULL without memory. */
struct pane_stream	*pane_stream_create(struct pane_stream_pool *);
void			 pane_stream_free(struct pane_stream *);

/* The same, for a stream whose first byte has this offset. */
struct pane_stream	*pane_stream_create_at(struct pane_stream_pool *,
	    uint64_t);

/*
 * Replaceable allocation, for tests: malloc, realloc and free, or all NULL for
 * those of the C library. Call before anything is allocated.
 */
void	pane_stream_set_allocator(void *(*)(size_t),
	    void *(*)(void *, size_t), void (*)(void *));

/* Limit of the ring in bytes; shrinks at once, keeping the newest bytes. */
void	pane_stream_set_limit(struct pane_stream *, uint64_t);

/* Marks with this aid are ours; NULL: none is. Returns -1 without memory. */
int	pane_stream_set_nonce(struct pane_stream *, const char *);

/* Takes output of the pane at a time in ns. */
void	pane_stream_append(struct pane_stream *, const unsigned char *, size_t,
	    uint64_t);

/*
 * The pane's process ended at a time in ns: what ran is lost, what was
 * submitted is finished. Bytes, cursor and records stay. Also called at a
 * respawn, which then sets a new nonce; marks start afresh.
 */
void	pane_stream_end(struct pane_stream *, uint64_t);

/* What pane_stream_submit is told of the prompt. */
#define PANE_STREAM_EXACT 1		/* empty, nothing on its way to it */
#define PANE_STREAM_EXACT_LINE 2	/* and the submission is one line */

/*
 * Notes that a program submits input at a time in ns: sets the mark, creates a
 * record and returns its id (0 without memory). lines is how many lines the
 * shell can read from it at most (1 for a bracketed paste). exact, if not 0,
 * says that the shell was at an empty prompt with nothing on its way to it:
 * then the prompt that follows the last line ends the submission whatever else
 * was typed meanwhile.
 */
uint64_t pane_stream_submit(struct pane_stream *, unsigned int, int, uint64_t);

/* Sets the mark without submitting. */
void	pane_stream_set_mark(struct pane_stream *);

/* What do the marks say about a submission? */
enum pane_stream_readiness pane_stream_ready(const struct pane_stream *,
	    uint64_t);

/*
 * Settles all submissions up to an id at a time in ns: their records are
 * finished and will not change any more. The owner calls it when
 * pane_stream_ready and the terminal agree.
 */
void	pane_stream_settle(struct pane_stream *, uint64_t, uint64_t);

/* The oldest submission that is not settled, or 0. */
uint64_t pane_stream_pending(const struct pane_stream *);

/* Offsets and counters, in bytes. */
uint64_t pane_stream_total(const struct pane_stream *);	  /* ever appended */
uint64_t pane_stream_oldest(const struct pane_stream *);  /* still kept */
uint64_t pane_stream_cursor(const struct pane_stream *);  /* read up to here */
uint64_t pane_stream_mark(const struct pane_stream *);	  /* last write */
uint64_t pane_stream_unread(const struct pane_stream *);  /* kept, not read */
uint64_t pane_stream_dropped(const struct pane_stream *); /* never read, gone */
uint64_t pane_stream_size(const struct pane_stream *);	  /* ring's memory */
uint64_t pane_stream_last_append(const struct pane_stream *); /* time, ns */

/* Counts everything up to an offset as read. Never moves back. */
void	pane_stream_set_cursor(struct pane_stream *, uint64_t);

enum pane_stream_phase pane_stream_phase(const struct pane_stream *);

/* Is the shell's marks' A the newest told with w=1 (a typed line waits)? */
int	pane_stream_waiting(const struct pane_stream *);

/*
 * Does the shell want more of a line: is the newest mark a continuation prompt
 * (k=s or k=c)?
 */
int	pane_stream_continuation(const struct pane_stream *);

/* Has a mark with the nonce been seen since it was set? */
int	pane_stream_integrated(const struct pane_stream *);

/* Were there marks of another shell since our command began (or ever)? */
int	pane_stream_foreign(const struct pane_stream *);

/* Is the alternate screen on? */
int	pane_stream_alternate(const struct pane_stream *);

/*
 * Is the line at the prompt empty, as far as its echo tells? 1 if so, 0 if
 * something is typed there or the shell is not at a prompt.
 */
int	pane_stream_prompt_empty(const struct pane_stream *);

/*
 * Records. A record that is PANE_STREAM_NOTHING is found by its id but is
 * neither counted nor last. Index 0 is the oldest that is kept.
 */
unsigned int pane_stream_count(const struct pane_stream *);
int	pane_stream_get(const struct pane_stream *, unsigned int,
	    struct pane_stream_record *);
int	pane_stream_find(const struct pane_stream *, uint64_t,
	    struct pane_stream_record *);

/* The newest record that has started; and the newest that has ended. */
int	pane_stream_last(const struct pane_stream *,
	    struct pane_stream_record *);
int	pane_stream_last_ended(const struct pane_stream *,
	    struct pane_stream_record *);

/*
 * Gives the id of each record once when it is finished, also of one that is
 * PANE_STREAM_NOTHING; 0 when there is no other, which costs nothing.
 */
uint64_t pane_stream_next_finished(struct pane_stream *);

/* Was this id given out by this stream and is its record no longer kept? */
int	pane_stream_forgotten(const struct pane_stream *, uint64_t);

/*
 * Bytes at an offset: sets the pointer and returns how many lie there in one
 * piece, 0 at the end or where they were overwritten.
 */
size_t	pane_stream_peek(const struct pane_stream *, uint64_t,
	    const unsigned char **);

/* How a range is rendered. */
enum pane_stream_render {
	PANE_STREAM_RAW,	/* every byte as it came */
	PANE_STREAM_ESCAPES,	/* without the marks */
	PANE_STREAM_CLEAN	/* text */
};

/* What a rendering left out, in bytes and otherwise. */
struct pane_stream_rendered {
	uint64_t	 end;		/* offset up to which it goes */
	uint64_t	 missing;	/* bytes of the range overwritten */
	int		 alternate;	/* alternate screen left out */
	int		 failed;	/* memory ran out */
};

/*
 * Renders the bytes from one offset up to another through a callback. Where
 * final is 0, a character or sequence that the end cuts is left for the next
 * time and end says where it begins.
 */
void	pane_stream_render(const struct pane_stream *, uint64_t, uint64_t,
	    enum pane_stream_render, int,
	    void (*)(void *, const char *, size_t), void *,
	    struct pane_stream_rendered *);

#endif
