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

#ifndef AMUX_PANE_H
#define AMUX_PANE_H

#include "pane-stream.h"

/* How long a pane must be quiet before its silence tells something, in ns. */
#define AMUX_QUIET_WRITES 30000000ULL		/* after several writes */
#define AMUX_QUIET_NOTHING 250000000ULL		/* no command was seen */
#define AMUX_QUIET_CONTINUATION 500000000ULL	/* more input is wanted */
#define AMUX_QUIET_MARKED 150000000ULL		/* so the prompt says */

/* How long a shell whose command has ended may take to read a line, in ns. */
#define AMUX_SETTLE_LIMIT 2000000000ULL

/* What a pane does. */
enum amux_state {
	AMUX_RUNNING,
	AMUX_IDLE,
	AMUX_DEAD,
	AMUX_UNKNOWN
};

/*
 * What amux keeps of a pane beside struct window_pane, in a tree by pane id.
 * It lives from the pane's first process until the pane is destroyed.
 */
struct amux_pane {
	u_int				 id;
	struct window_pane		*wp;

	struct pane_stream		*stream;
	struct window_pane_offset	 offset;	/* read of wp's input */
	uint64_t			 read_to;	/* all that was read */
	char				 nonce[33];

	/* Foreground process group when the shell last showed a prompt. */
	pid_t				 shell;

	uint64_t			 last_id; /* newest submission */

	/*
	 * Bytes put into the terminal's queue by anybody, and what that was
	 * when the line at the prompt was last known for certain: equal while
	 * nobody else has typed.
	 */
	uint64_t			 input;
	uint64_t			 clean;
	u_char				 last_input; /* its last byte */
	int				 exact;	/* of the last write */
	uint64_t			 written; /* time of the newest input */

	/* Newest submission that did not go out in one write. */
	uint64_t			 slow_id;

	struct event			 check;
	int				 unmarked_tries;

	/*
	 * For the audit log: who has submitted what runs, when something was
	 * last typed that must stay secret, and since when the next command's
	 * line may have been typed.
	 */
	TAILQ_HEAD(, amux_audit_who)	 who;
	uint64_t			 hidden;
	uint64_t			 line_since;

	/* What the status line showed when it was last asked to be drawn. */
	struct {
		enum amux_state		 state;
		int			 status;
		uint64_t		 id;
		struct event		 timer;
	}				 shown;

	RB_ENTRY(amux_pane)		 entry;
};

/* How a pane's terminal takes input. */
enum amux_input {
	AMUX_INPUT_PROMPT,		/* the shell reads a line */
	AMUX_INPUT_CONTINUATION,	/* and wants more of one submitted */
	AMUX_INPUT_CANONICAL,		/* lines, echoed */
	AMUX_INPUT_RAW,			/* each key */
	AMUX_INPUT_SECRET,		/* lines, echo off */
	AMUX_INPUT_NONE			/* no process */
};

/* amux-pane.c */
struct amux_pane	*amux_pane_get(struct window_pane *);
u_int			 amux_pane_count(void);
struct amux_pane	*amux_pane_find(u_int);
uint64_t		 amux_pane_now(void);
void			 amux_pane_update(struct amux_pane *);
void			 amux_pane_read(struct amux_pane *, uint64_t);
void			 amux_pane_check_soon(struct amux_pane *);
void			 amux_pane_check_again(struct amux_pane *);

/* amux-state.c */
enum amux_state		 amux_state_get(struct amux_pane *);
const char		*amux_state_name(enum amux_state);
enum amux_input		 amux_state_input(struct amux_pane *);
const char		*amux_state_input_name(enum amux_input);
char			*amux_state_foreground(struct amux_pane *);
int			 amux_state_dead(struct amux_pane *);
int			 amux_state_canonical(struct amux_pane *);
int			 amux_state_shell_in_front(struct amux_pane *);
int			 amux_state_reads_keys(struct amux_pane *);
int			 amux_state_unsent(struct amux_pane *);
int			 amux_state_at_empty_prompt(struct amux_pane *);
int			 amux_state_settles(struct amux_pane *);
int			 amux_state_quiet_for(struct amux_pane *, uint64_t);

/* amux-status.c */
void			 amux_status_init(struct amux_pane *);
void			 amux_status_free(struct amux_pane *);
void			 amux_status_update(struct amux_pane *);
void			 amux_status_output(struct amux_pane *,
			     enum pane_stream_phase);

/* amux-format.c: the flags' names and the statuses, with commas. */
#define AMUX_FORMAT_FLAGS_SIZE 160
const char		*amux_format_ended(enum pane_stream_ended);
void			 amux_format_flags_of(const struct pane_stream_record *,
			     char *);
char			*amux_format_pipe(const struct pane_stream_record *);
void			 amux_format_record(struct format_tree *,
			     struct pane_stream *,
			     const struct pane_stream_record *);

/*
 * Waiting (amux-wait.c). An item that waits holds its client; it goes on when
 * the callback has run, which tells by its return value whether the commands
 * behind it run (0), do not (-1), or the item waits for something else (1).
 * The callback is called once, except when the client is lost: then data is
 * only freed. A wait never ends inside the command's exec, since the queue
 * marks an item as waiting after exec returns.
 */
enum amux_woken {
	AMUX_WOKEN_DONE,		/* finished, or idle */
	AMUX_WOKEN_TIMEOUT,
	AMUX_WOKEN_CONTINUATION,	/* the shell wants more input */
	AMUX_WOKEN_PANE_GONE,
	AMUX_WOKEN_SERVER_EXIT,
	AMUX_WOKEN_FILE			/* by amux_wait_file_done */
};

struct amux_waiter;
typedef int	(*amux_wait_cb)(struct cmdq_item *, enum amux_woken, void *);

/* May this item wait? amux_wait_allowed shows an error if not. */
int		 amux_wait_possible(struct cmdq_item *);
int		 amux_wait_allowed(struct cmdq_item *);

/*
 * Waits for a submission or command by id, or with id 0 for an empty prompt;
 * timeout in ns, 0 for none. free_cb frees data after the callback or instead
 * of it.
 */
void		 amux_wait_pane(struct cmdq_item *, struct amux_pane *,
		     uint64_t, uint64_t, amux_wait_cb, void (*)(void *),
		     void *);

/* The same, for output behind an offset of the stream. */
void		 amux_wait_output(struct cmdq_item *, struct amux_pane *,
		     uint64_t, uint64_t, amux_wait_cb, void (*)(void *),
		     void *);

/*
 * Waits for a file of the client. The token is what the file callback is
 * given as data; it says amux_wait_file_done, which runs the callback, or does
 * nothing when the client has been lost meanwhile.
 */
void		*amux_wait_file(struct cmdq_item *, amux_wait_cb,
		     void (*)(void *), void *);
void		 amux_wait_file_done(void *);
void		*amux_wait_file_data(void *);

/* Wakes those whose condition holds now. */
void		 amux_wait_check(struct amux_pane *);

/* Does anybody wait for this pane? */
int		 amux_wait_any(struct amux_pane *);

/* The pane's process has ended, or (1) the pane goes. */
void		 amux_wait_pane_ended(struct amux_pane *);

/* Parses seconds, with fractions, of an argument; ns, 0 if absent. */
int		 amux_wait_timeout(struct cmdq_item *, struct args *, u_char,
		     uint64_t *);

/* Largest status of our own: timed out, and an error of ours with -E. */
#define AMUX_EXIT_TIMEOUT 124
#define AMUX_EXIT_FAILED 125

#endif
