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

#ifndef AMUX_HOOKS_H
#define AMUX_HOOKS_H

/*
 * What the upstream files call. Each hook is a call into the files laid over
 * the release; none has logic of its own. Included after tmux.h.
 */

/* amux-pane.c: the stream of a pane. */
void	amux_pane_output(struct window_pane *);
void	amux_pane_spawn(struct window_pane *, struct environ *);
void	amux_pane_event(struct window_pane *);
void	amux_pane_respawn(struct window_pane *);
void	amux_pane_closing(struct window_pane *);
void	amux_pane_destroy(struct window_pane *);

/* amux-format.c: formats of a pane. */
void	amux_format_add(struct format_tree *);
int	amux_format_ours(const char *);

/* amux-wait.c: items that wait. */
void	amux_wait_client_lost(struct client *);
void	amux_wait_flush(void);

/* amux-client.c: what a client may do, and its exit status. */
int	amux_client_control_refused(struct client *, char *);
int	amux_client_refused(struct cmdq_item *);
int	amux_client_keys_refused(struct cmdq_item *, struct args *);
void	amux_client_exit(struct client *);

/* amux-imsg.c: what a client may send. */
int	amux_imsg_refused(struct client *, struct imsg *);
int	amux_imsg_file_ended(struct client_file *);
void	amux_imsg_client_lost(struct client *);

/* amux-event.c: the server's events. */
void	amux_event_start(struct event_base *);
void	amux_event_control(struct client *);
void	amux_event_flush(void);

/* amux-loop.c: what the server's loop does for each pane. */
int	amux_loop_rests(void);
int	amux_loop_rested(void);
void	amux_loop_output(void);

/* cmd-queue.c, by AMUX_CMDQ_FUNCTIONS. */
void	amux_cmdq_fail(struct cmdq_item *);
void	amux_cmdq_discard(struct client *, int);

/*
 * struct cmdq_item is private to cmd-queue.c, so these live there.
 *
 * amux_cmdq_fail ends a waiting item as an error: what follows it in its group
 * does not run. amux_cmdq_discard empties the queue of a client that is gone:
 * nothing in it would ever run. An item that has been fired may be held by
 * whoever it waits for, so it goes only where the caller says it is ours.
 */
#define AMUX_CMDQ_FUNCTIONS						\
void									\
amux_cmdq_fail(struct cmdq_item *item)					\
{									\
	cmdq_remove_group(item);					\
	cmdq_continue(item);						\
}									\
									\
void									\
amux_cmdq_discard(struct client *c, int ours)				\
{									\
	struct cmdq_item	*item, *next;				\
									\
	TAILQ_FOREACH_SAFE(item, &c->queue->list, entry, next) {	\
		if (item == cmdq_running(c))				\
			continue;					\
		if ((item->flags & CMDQ_FIRED) && !ours)		\
			continue;					\
		if (item == c->queue->item)				\
			c->queue->item = NULL;				\
		cmdq_remove(item);					\
	}								\
}

/* Server options, for the table in options-table.c. */
#define AMUX_OPTIONS							\
	{ .name = "stream-limit",					\
	  .type = OPTIONS_TABLE_NUMBER,					\
	  .scope = OPTIONS_TABLE_SERVER,				\
	  .minimum = 0,							\
	  .maximum = INT_MAX,						\
	  .default_num = PANE_STREAM_LIMIT,				\
	  .text = "The most bytes of output kept for each pane for "	\
		  "'read-pane'."					\
	},								\
	{ .name = "stream-total-limit",					\
	  .type = OPTIONS_TABLE_NUMBER,					\
	  .scope = OPTIONS_TABLE_SERVER,				\
	  .minimum = 0,							\
	  .maximum = INT_MAX,						\
	  .default_num = PANE_STREAM_TOTAL_LIMIT,			\
	  .text = "The most bytes of output kept for all panes "	\
		  "together."						\
	},								\
	{ .name = "audit-log",						\
	  .type = OPTIONS_TABLE_CHOICE,					\
	  .scope = OPTIONS_TABLE_SERVER,				\
	  .choices = (const char *[]){ "off", "on", "full", NULL },	\
	  .default_num = 1,						\
	  .text = "Whether 'write-pane', 'read-pane' and commands that "	\
		  "end are logged, and with what is written."		\
	},								\
	{ .name = "audit-socket",					\
	  .type = OPTIONS_TABLE_STRING,					\
	  .scope = OPTIONS_TABLE_SERVER,				\
	  .default_str = "/run/systemd/journal/socket",			\
	  .text = "The journal's socket, to which the audit log goes."	\
	},								\
	{ .name = "audit-file",						\
	  .type = OPTIONS_TABLE_STRING,					\
	  .scope = OPTIONS_TABLE_SERVER,				\
	  .default_str = "",						\
	  .text = "A file to which the audit log goes as lines of JSON."	\
	},								\
	{ .name = "audit-file-limit",					\
	  .type = OPTIONS_TABLE_NUMBER,					\
	  .scope = OPTIONS_TABLE_SERVER,				\
	  .minimum = 0,							\
	  .maximum = INT_MAX,						\
	  .default_num = 16 * 1024 * 1024,				\
	  .text = "The size in bytes at which 'audit-file' is moved "	\
		  "away and begun anew."				\
	},

/* Defaults of these options; pane-stream.h says the same. */
#ifndef PANE_STREAM_LIMIT
#define PANE_STREAM_LIMIT (16 * 1024 * 1024)
#define PANE_STREAM_TOTAL_LIMIT (512 * 1024 * 1024)
#endif

#endif
