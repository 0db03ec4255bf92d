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
#include <sys/ioctl.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tmux.h"
#include "amux-hooks.h"
#include "amux-audit.h"

/*
 * Joins a pane of tmux to its stream: output goes in, the marks and the
 * terminal together tell when a submission has ended.
 */

/*
 * Most bytes taken from a terminal whose process has ended: more than Linux
 * keeps for one (640 KiB). A process that lives on in the background could go
 * on writing for ever, and the server does nothing else meanwhile.
 */
#define AMUX_DRAIN_LIMIT (1024 * 1024)

static int	amux_pane_cmp(struct amux_pane *, struct amux_pane *);
static void	amux_pane_check_callback(int, short, void *);
static int	amux_pane_settle(struct amux_pane *, uint64_t);

static RB_HEAD(amux_panes, amux_pane) amux_panes = RB_INITIALIZER(&amux_panes);
RB_GENERATE_STATIC(amux_panes, amux_pane, entry, amux_pane_cmp);

static struct pane_stream_pool	amux_pane_pool;
static u_int	amux_pane_number;

static int
amux_pane_cmp(struct amux_pane *a, struct amux_pane *b)
{
	if (a->id < b->id)
		return (-1);
	return (a->id > b->id);
}

uint64_t
amux_pane_now(void)
{
	struct timespec	ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((uint64_t)ts.tv_sec * 1000000000ULL + ts.tv_nsec);
}

/* Follow the options; they may change at any time. */
static void
amux_pane_limits(struct amux_pane *ap)
{
	uint64_t	total;

	total = options_get_number(global_options, "stream-total-limit");
	/* Zero stands for the default in the pool. */
	amux_pane_pool.limit = total == 0 ? 1 : total;
	pane_stream_set_limit(ap->stream,
	    options_get_number(global_options, "stream-limit"));
}

struct amux_pane *
amux_pane_find(u_int id)
{
	struct amux_pane	find;

	find.id = id;
	return (RB_FIND(amux_panes, &amux_panes, &find));
}

/* Get what belongs to a pane, creating it if needed. */
struct amux_pane *
amux_pane_get(struct window_pane *wp)
{
	struct amux_pane	*ap;

	if ((ap = amux_pane_find(wp->id)) != NULL)
		return (ap);

	ap = xcalloc(1, sizeof *ap);
	ap->id = wp->id;
	ap->wp = wp;
	ap->shell = -1;
	TAILQ_INIT(&ap->who);
	ap->offset.used = wp->offset.used;
	ap->stream = pane_stream_create(&amux_pane_pool);
	if (ap->stream == NULL)
		fatalx("out of memory");
	amux_pane_limits(ap);
	evtimer_set(&ap->check, amux_pane_check_callback, ap);
	amux_status_init(ap);
	RB_INSERT(amux_panes, &amux_panes, ap);
	amux_pane_number++;
	return (ap);
}

/* How many panes are there? */
u_int
amux_pane_count(void)
{
	return (amux_pane_number);
}

/* Make 128 random bits, in hexadecimal; an empty string if there are none. */
static void
amux_pane_make_nonce(char *nonce, size_t size)
{
	u_char	bytes[16];
	size_t	i;
	ssize_t	n = -1;
	int	fd;

	if ((fd = open("/dev/urandom", O_RDONLY|O_CLOEXEC)) != -1) {
		n = read(fd, bytes, sizeof bytes);
		close(fd);
	}
	if (n != (ssize_t)sizeof bytes) {
		log_debug("%s: no random bytes", __func__);
		*nonce = '\0';
		return;
	}
	for (i = 0; i < sizeof bytes; i++)
		xsnprintf(nonce + i * 2, size - i * 2, "%02x", bytes[i]);
}

/* Everything up to an offset counts as read. */
void
amux_pane_read(struct amux_pane *ap, uint64_t to)
{
	if (to > ap->read_to)
		ap->read_to = to;
	pane_stream_set_cursor(ap->stream, to);
}

/* A process is about to be started in a pane: give it the nonce. */
void
amux_pane_spawn(struct window_pane *wp, struct environ *env)
{
	struct amux_pane	*ap = amux_pane_get(wp);

	amux_pane_make_nonce(ap->nonce, sizeof ap->nonce);
	if (*ap->nonce == '\0') {
		environ_unset(env, "AMUX_NONCE");
		pane_stream_set_nonce(ap->stream, NULL);
	} else {
		environ_set(env, "AMUX_NONCE", 0, "%s", ap->nonce);
		if (pane_stream_set_nonce(ap->stream, ap->nonce) != 0)
			fatalx("out of memory");
	}
	/* Left over when a pane's server was itself started in a pane. */
	environ_unset(env, "AMUX_SHELL_PID");
	/* The records are here: the shell need not leave its own. */
	environ_unset(env, "AMUX_RECORD");
	ap->shell = -1;
}

static void
amux_pane_input(struct evbuffer *evb, const struct evbuffer_cb_info *info,
    void *arg)
{
	struct amux_pane	*ap = arg;
	struct evbuffer_ptr	 at;
	struct evbuffer_iovec	 last;

	if (info->n_added == 0)
		return;
	ap->input += info->n_added;

	/* Peek: to make one piece of a large queue each time would be slow. */
	ap->last_input = 0;
	if (evbuffer_ptr_set(evb, &at, EVBUFFER_LENGTH(evb) - 1,
	    EVBUFFER_PTR_SET) == 0 &&
	    evbuffer_peek(evb, 1, &at, &last, 1) == 1)
		ap->last_input = *(u_char *)last.iov_base;
	ap->written = amux_pane_now();
	amux_audit_input(ap);
}

/* The terminal of a new process is open: count what goes into it. */
void
amux_pane_event(struct window_pane *wp)
{
	struct amux_pane	*ap = amux_pane_get(wp);

	/*
	 * What an old process left in the buffer has gone with it. Up to 3.7
	 * the base moves only when the server's loop comes by, and then to the
	 * offset of the screen; 3.8 sets both to zero on the way here.
	 */
	ap->offset.used = wp->offset.used;
	ap->input = ap->clean = 0;
	if (evbuffer_add_cb(bufferevent_get_output(wp->event), amux_pane_input,
	    ap) == NULL)
		fatalx("out of memory");
}

/*
 * The buffer of the old terminal goes, with what a slow control client had not
 * read of it. Upstream keeps the offsets: behind the end of the new buffer they
 * make window_pane_get_new_data tell of more bytes than there are, and the
 * server reads what is not its own (seen on 3.3a and 3.5a, with a pipe and a
 * control client that does not read).
 */
static void
amux_pane_forget_unread(struct window_pane *wp)
{
	struct amux_pane	*ap = amux_pane_get(wp);
	struct client		*c;
	int			 off;

	wp->base_offset = wp->offset.used;
	wp->pipe_offset = wp->offset;
	ap->offset = wp->offset;
	TAILQ_FOREACH(c, &clients, entry) {
		if (~c->flags & CLIENT_CONTROL)
			continue;
		if (control_pane_offset(c, wp, &off) == NULL)
			continue;
		/* This takes what is queued away, and starts again from here. */
		control_pause_pane(c, wp);
		control_continue_pane(c, wp);
	}
}

/* The process of a pane makes place for another; it is closed already. */
void
amux_pane_respawn(struct window_pane *wp)
{
	struct amux_pane	*ap = amux_pane_get(wp);

	pane_stream_end(ap->stream, amux_pane_now());
	amux_audit_commands(ap);
	amux_wait_pane_ended(ap);
	amux_pane_forget_unread(wp);

	evtimer_del(&ap->check);
	amux_status_free(ap);
}

/* Output has come. */
void
amux_pane_output(struct window_pane *wp)
{
	struct amux_pane	*ap = amux_pane_get(wp);
	const u_char		*data;
	size_t			 size;
	enum pane_stream_phase	 before, phase;

	data = window_pane_get_new_data(wp, &ap->offset, &size);
	if (size == 0)
		return;

	amux_loop_output();
	amux_pane_limits(ap);
	before = pane_stream_phase(ap->stream);
	pane_stream_append(ap->stream, data, size, amux_pane_now());
	window_pane_update_used_data(wp, &ap->offset, size);
	amux_audit_commands(ap);

	phase = pane_stream_phase(ap->stream);
	if (phase == PANE_STREAM_PROMPT || phase == PANE_STREAM_INPUT) {
		ap->shell = tcgetpgrp(wp->fd);
		/*
		 * Keys before a prompt were for the command that ran, or are
		 * echoed behind the prompt: they hide nothing.
		 */
		if (before != PANE_STREAM_PROMPT && before != PANE_STREAM_INPUT)
			ap->last_input = '\r';
	}
	ap->unmarked_tries = 0;
	amux_status_output(ap, before);

	/*
	 * Not at once: the screen has not seen this output yet, and those who
	 * wait for a prompt ask it for bracketed paste.
	 */
	if (pane_stream_pending(ap->stream) != 0 || amux_wait_any(ap))
		amux_pane_check_soon(ap);
}

/* Take what a process that has ended wrote and nobody has read. */
static void
amux_pane_drain(struct amux_pane *ap)
{
	struct window_pane	*wp = ap->wp;
	static u_char		 buf[16384];
	size_t			 done = 0;
	ssize_t			 n;

	if (wp->fd == -1)
		return;
	while (done < AMUX_DRAIN_LIMIT) {
		n = read(wp->fd, buf, sizeof buf);
		if (n <= 0)
			break;
		pane_stream_append(ap->stream, buf, n, amux_pane_now());
		if (wp->ictx != NULL)
			input_parse_buffer(wp, buf, n);
		done += n;
	}
	log_debug("%s: %%%u: %zu bytes", __func__, wp->id, done);
}

/* The process of a pane has ended and its terminal is about to be closed. */
void
amux_pane_closing(struct window_pane *wp)
{
	struct amux_pane	*ap = amux_pane_get(wp);

	amux_pane_drain(ap);
	pane_stream_end(ap->stream, amux_pane_now());
	amux_audit_commands(ap);
	amux_status_update(ap);
	amux_wait_pane_ended(ap);
}

/* A pane is destroyed. */
void
amux_pane_destroy(struct window_pane *wp)
{
	struct amux_pane	*ap;

	if ((ap = amux_pane_find(wp->id)) == NULL)
		return;
	pane_stream_end(ap->stream, amux_pane_now());
	amux_audit_commands(ap);
	amux_wait_pane_ended(ap);

	RB_REMOVE(amux_panes, &amux_panes, ap);
	amux_pane_number--;
	evtimer_del(&ap->check);
	amux_status_free(ap);
	amux_audit_forget(ap);
	pane_stream_free(ap->stream);
	free(ap);
}

/* Look at the pane again after a time in ns. */
static void
amux_pane_check_in(struct amux_pane *ap, uint64_t ns)
{
	struct timeval	tv;

	/* One microsecond more: the clock must have passed the limit then. */
	tv.tv_sec = ns / 1000000000ULL;
	tv.tv_usec = (ns % 1000000000ULL) / 1000 + 1;
	evtimer_add(&ap->check, &tv);
}

/* Look at the pane again as soon as the event loop is back. */
void
amux_pane_check_soon(struct amux_pane *ap)
{
	event_active(&ap->check, EV_TIMEOUT, 1);
}

/*
 * Look at the pane again later although nothing may come: a shell without a
 * prompt shows nothing. Less and less often, up to every two seconds.
 */
void
amux_pane_check_again(struct amux_pane *ap)
{
	amux_pane_check_in(ap, AMUX_QUIET_NOTHING << ap->unmarked_tries);
	if (ap->unmarked_tries < 3)
		ap->unmarked_tries++;
}

/*
 * Settle the oldest submission if it has ended. Returns 1 if so; otherwise
 * sets the timer where only time can tell.
 */
static int
amux_pane_settle(struct amux_pane *ap, uint64_t id)
{
	struct pane_stream_record	pr;
	enum pane_stream_phase		phase;
	uint64_t			quiet = 0;
	int				in_front = 0;

	switch (pane_stream_ready(ap->stream, id)) {
	case PANE_STREAM_FINISHED_ALREADY:
		return (1);
	case PANE_STREAM_NOT_READY:
		/* A continuation prompt shows by silence, marked or not. */
		phase = pane_stream_phase(ap->stream);
		if (pane_stream_continuation(ap->stream))
			quiet = AMUX_QUIET_MARKED;
		else if (phase == PANE_STREAM_PROMPT ||
		    phase == PANE_STREAM_INPUT)
			quiet = AMUX_QUIET_CONTINUATION;
		if (quiet == 0)
			return (0);
		if (!amux_state_quiet_for(ap, quiet))
			amux_pane_check_in(ap, quiet);
		else if (amux_state_input(ap) != AMUX_INPUT_CONTINUATION)
			amux_pane_check_again(ap);
		return (0);
	case PANE_STREAM_READY:
		if (id <= ap->slow_id)
			quiet = AMUX_QUIET_WRITES;
		break;
	case PANE_STREAM_READY_IF_CALM:
		quiet = AMUX_QUIET_WRITES;
		in_front = 1;
		break;
	case PANE_STREAM_READY_IF_QUIET:
	case PANE_STREAM_READY_UNMARKED:
		quiet = AMUX_QUIET_NOTHING;
		in_front = 1;
		break;
	}

	if (amux_state_unsent(ap)) {
		/* The shell has yet to read; its echo may be off. */
		amux_pane_check_in(ap, AMUX_QUIET_WRITES);
		return (0);
	}
	if (quiet != 0 && !amux_state_quiet_for(ap, quiet)) {
		amux_pane_check_in(ap, quiet);
		return (0);
	}
	if (in_front && !amux_state_reads_keys(ap)) {
		amux_pane_check_again(ap);
		return (0);
	}

	pane_stream_settle(ap->stream, id, amux_pane_now());

	/*
	 * Of what ran nothing, something may be left on the line (histverify):
	 * only its echo tells.
	 */
	if (pane_stream_find(ap->stream, id, &pr) &&
	    pr.ended == PANE_STREAM_NOTHING)
		ap->input++;
	return (1);
}

/*
 * Settle what has ended. Wakes nobody at once, so that it may be called while
 * somebody is being woken.
 */
void
amux_pane_update(struct amux_pane *ap)
{
	uint64_t	id;
	int		settled = 0;

	while ((id = pane_stream_pending(ap->stream)) != 0) {
		if (!amux_pane_settle(ap, id))
			break;
		settled = 1;
	}
	if (settled)
		amux_audit_commands(ap);
	if (settled && amux_wait_any(ap))
		amux_pane_check_soon(ap);
}

/* Settle what has ended and wake those who wait for it. */
static void
amux_pane_check_callback(__unused int fd, __unused short events, void *arg)
{
	struct amux_pane	*ap = arg;

	amux_pane_update(ap);
	amux_status_update(ap);
	amux_wait_check(ap);
}
