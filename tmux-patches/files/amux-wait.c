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

#include <sys/types.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tmux.h"
#include "amux-hooks.h"
#include "amux-pane.h"

/*
 * Items that wait for a pane or for a file of their client. A waiter costs
 * nothing while nothing happens, goes when its client does, and is woken when
 * its pane's process ends.
 */

struct amux_waiter {
	struct cmdq_item		*item;
	struct client			*client;

	int				 woken;	/* off the list already */
	int				 file;	/* waits for a file */
	u_int				 token;

	u_int				 pane;
	uint64_t			 id;	/* 0: an empty prompt */
	int				 output; /* waits for output */
	uint64_t			 after;	/* behind this offset */
	struct event			 timer;

	amux_wait_cb			 cb;
	void				(*free_cb)(void *);
	void				*data;

	TAILQ_ENTRY(amux_waiter)	 entry;
};

static TAILQ_HEAD(, amux_waiter) amux_waiters =
    TAILQ_HEAD_INITIALIZER(amux_waiters);
static u_int	amux_wait_next_token = 1;

/* Why may this item not wait? NULL if it may. */
static const char *
amux_wait_refusal(struct cmdq_item *item)
{
	struct client	*c = cmdq_get_client(item);

	/*
	 * On the global queue (hooks, the configuration file) everything
	 * behind would stand still. Such an item may have a client all the
	 * same, so its client is not what to ask.
	 */
	if (c == NULL || cmdq_running(NULL) == item)
		return ("not able to wait here");
	/* Its keys would queue up behind the wait. */
	if (c->session != NULL && (~c->flags & CLIENT_CONTROL))
		return ("not able to wait from an attached client");
	return (NULL);
}

int
amux_wait_possible(struct cmdq_item *item)
{
	return (amux_wait_refusal(item) == NULL);
}

int
amux_wait_allowed(struct cmdq_item *item)
{
	const char	*refusal = amux_wait_refusal(item);

	if (refusal != NULL)
		cmdq_error(item, "%s", refusal);
	return (refusal == NULL);
}

int
amux_wait_timeout(struct cmdq_item *item, struct args *args, u_char flag,
    uint64_t *ns)
{
	const char	*s = args_get(args, flag);
	char		*end;
	double		 seconds;

	*ns = 0;
	if (s == NULL)
		return (0);
	seconds = strtod(s, &end);
	if (*s == '\0' || *end != '\0' || !isfinite(seconds) ||
	    seconds < 0 || seconds > 1e9) {
		cmdq_error(item, "invalid timeout: %s", s);
		return (-1);
	}
	*ns = (uint64_t)(seconds * 1e9);
	if (*ns == 0)
		*ns = 1; /* zero seconds: what is not so now is too late */
	return (0);
}

static struct amux_waiter *
amux_wait_add(struct cmdq_item *item, amux_wait_cb cb, void (*free_cb)(void *),
    void *data)
{
	struct amux_waiter	*aw;

	aw = xcalloc(1, sizeof *aw);
	aw->item = item;
	aw->client = cmdq_get_client(item);
	aw->client->references++;
	aw->token = amux_wait_next_token++;
	aw->cb = cb;
	aw->free_cb = free_cb;
	aw->data = data;
	TAILQ_INSERT_TAIL(&amux_waiters, aw, entry);
	return (aw);
}

static void
amux_wait_free(struct amux_waiter *aw)
{
	if (!aw->woken)
		TAILQ_REMOVE(&amux_waiters, aw, entry);
	if (event_initialized(&aw->timer))
		evtimer_del(&aw->timer);
	if (aw->free_cb != NULL)
		aw->free_cb(aw->data);
	server_client_unref(aw->client);
	free(aw);
}

/*
 * End a wait. The callback may begin another for the same item (a file to
 * write), which it says by returning 1.
 */
static void
amux_wait_wake(struct amux_waiter *aw, enum amux_woken why)
{
	struct cmdq_item	*item = aw->item;
	int			 result = -1;

	TAILQ_REMOVE(&amux_waiters, aw, entry);
	aw->woken = 1;
	if (~aw->client->flags & CLIENT_DEAD)
		result = aw->cb(item, why, aw->data);
	amux_wait_free(aw);
	if (result == 0)
		cmdq_continue(item);
	else if (result < 0)
		amux_cmdq_fail(item);
}

static void
amux_wait_timer(__unused int fd, __unused short events, void *arg)
{
	amux_wait_wake(arg, AMUX_WOKEN_TIMEOUT);
}

static void
amux_wait_begin(struct amux_waiter *aw, struct amux_pane *ap, uint64_t timeout)
{
	struct timeval	tv;

	aw->pane = ap->id;
	if (timeout != 0) {
		tv.tv_sec = timeout / 1000000000ULL;
		tv.tv_usec = (timeout % 1000000000ULL) / 1000;
		evtimer_set(&aw->timer, amux_wait_timer, aw);
		evtimer_add(&aw->timer, &tv);
	}

	/* What is true already is found by the event loop, not from exec. */
	amux_pane_check_soon(ap);
}

void
amux_wait_pane(struct cmdq_item *item, struct amux_pane *ap, uint64_t id,
    uint64_t timeout, amux_wait_cb cb, void (*free_cb)(void *), void *data)
{
	struct amux_waiter	*aw;

	aw = amux_wait_add(item, cb, free_cb, data);
	aw->id = id;
	amux_wait_begin(aw, ap, timeout);
}

void
amux_wait_output(struct cmdq_item *item, struct amux_pane *ap, uint64_t after,
    uint64_t timeout, amux_wait_cb cb, void (*free_cb)(void *), void *data)
{
	struct amux_waiter	*aw;

	aw = amux_wait_add(item, cb, free_cb, data);
	aw->output = 1;
	aw->after = after;
	amux_wait_begin(aw, ap, timeout);
}

void *
amux_wait_file(struct cmdq_item *item, amux_wait_cb cb, void (*free_cb)(void *),
    void *data)
{
	struct amux_waiter	*aw;

	aw = amux_wait_add(item, cb, free_cb, data);
	aw->file = 1;
	return ((void *)(uintptr_t)aw->token);
}

static struct amux_waiter *
amux_wait_find_token(void *token)
{
	struct amux_waiter	*aw;

	TAILQ_FOREACH(aw, &amux_waiters, entry) {
		if (aw->file && aw->token == (u_int)(uintptr_t)token)
			return (aw);
	}
	return (NULL);
}

/* Data of a file wait, or NULL if its client has been lost. */
void *
amux_wait_file_data(void *token)
{
	struct amux_waiter	*aw = amux_wait_find_token(token);

	return (aw == NULL ? NULL : aw->data);
}

void
amux_wait_file_done(void *token)
{
	struct amux_waiter	*aw = amux_wait_find_token(token);

	if (aw != NULL)
		amux_wait_wake(aw, AMUX_WOKEN_FILE);
}

int
amux_wait_any(struct amux_pane *ap)
{
	struct amux_waiter	*aw;

	TAILQ_FOREACH(aw, &amux_waiters, entry) {
		if (!aw->file && aw->pane == ap->id)
			return (1);
	}
	return (0);
}

/* Is what this waiter waits for so? */
static int
amux_wait_ready(struct amux_waiter *aw, struct amux_pane *ap,
    enum amux_woken *why)
{
	struct pane_stream_record	pr;
	enum pane_stream_phase		phase = pane_stream_phase(ap->stream);

	/* While a command runs, do not ask the terminal for each output. */
	*why = AMUX_WOKEN_DONE;
	if (aw->output)
		return (pane_stream_total(ap->stream) > aw->after);
	if (aw->id == 0) {
		if (phase == PANE_STREAM_OUTPUT)
			return (0);
		return (amux_state_at_empty_prompt(ap));
	}
	if (!pane_stream_find(ap->stream, aw->id, &pr))
		return (1);
	if (pr.flags & PANE_STREAM_FINISHED)
		return (1);

	if ((phase == PANE_STREAM_PROMPT || phase == PANE_STREAM_INPUT ||
	    pane_stream_continuation(ap->stream)) &&
	    pane_stream_pending(ap->stream) == aw->id &&
	    amux_state_input(ap) == AMUX_INPUT_CONTINUATION) {
		*why = AMUX_WOKEN_CONTINUATION;
		return (1);
	}
	return (0);
}

void
amux_wait_check(struct amux_pane *ap)
{
	struct amux_waiter	*aw, *aw1;
	enum amux_woken		 why;
	enum pane_stream_phase	 phase = pane_stream_phase(ap->stream);
	int			 idle = 0;

	TAILQ_FOREACH_SAFE(aw, &amux_waiters, entry, aw1) {
		if (aw->file || aw->pane != ap->id)
			continue;
		if (amux_wait_ready(aw, ap, &why))
			amux_wait_wake(aw, why);
		else if (aw->id == 0 && !aw->output)
			idle = 1;
	}

	/* Without marks an empty prompt shows by silence alone. */
	if (idle && pane_stream_pending(ap->stream) == 0 &&
	    (phase == PANE_STREAM_NO_MARKS || amux_state_settles(ap)))
		amux_pane_check_again(ap);
}

void
amux_wait_pane_ended(struct amux_pane *ap)
{
	struct amux_waiter	*aw, *aw1;

	TAILQ_FOREACH_SAFE(aw, &amux_waiters, entry, aw1) {
		if (aw->file || aw->pane != ap->id)
			continue;
		amux_wait_wake(aw, aw->id == 0 && !aw->output ?
		    AMUX_WOKEN_PANE_GONE : AMUX_WOKEN_DONE);
	}
}

/* A client is lost: its items never run again, so nothing may wait for it. */
void
amux_wait_client_lost(struct client *c)
{
	struct amux_waiter	*aw, *aw1;
	int			 ours = 0;

	TAILQ_FOREACH_SAFE(aw, &amux_waiters, entry, aw1) {
		if (aw->client != c)
			continue;
		amux_wait_free(aw);
		ours = 1;
	}
	amux_cmdq_discard(c, ours);
}

/* The server exits. */
void
amux_wait_flush(void)
{
	struct amux_waiter	*aw, *aw1;

	TAILQ_FOREACH_SAFE(aw, &amux_waiters, entry, aw1)
		amux_wait_wake(aw, AMUX_WOKEN_SERVER_EXIT);
}
