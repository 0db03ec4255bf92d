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
#include <sys/socket.h>

#ifdef __linux__
#include <sys/epoll.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tmux.h"
#include "amux-hooks.h"

/*
 * The server's events by epoll. tmux has libevent use poll on Linux, because
 * epoll takes neither files nor /dev/null, and poll asks every terminal each
 * time: with 500 panes a quarter of a millisecond for each of the five times
 * that a command wakes the server. Of all that the server waits for only the
 * standard input and output of a control client can be a file. These are put
 * behind a socket each: a feeder copies what comes in, a sink what goes out.
 *
 * Who wants poll again sets EVENT_NOEPOLL, which is libevent's own. tmux has
 * taken it out of our environment by then, but not out of its copy.
 */

struct amux_event_copy {
	int				 fd;	/* the file */
	int				 peer;	/* our end of the socket */
	struct bufferevent		*bev;	/* on our end */

	TAILQ_ENTRY(amux_event_copy)	 entry;
};

static TAILQ_HEAD(, amux_event_copy) amux_event_sinks =
    TAILQ_HEAD_INITIALIZER(amux_event_sinks);
static pid_t	amux_event_server;

static void
amux_event_free(struct amux_event_copy *ac)
{
	bufferevent_free(ac->bev);
	close(ac->peer);
	close(ac->fd);
	free(ac);
}

/* The feeder's socket has room: copy what comes next. */
static void
amux_event_feed(struct bufferevent *bev, void *arg)
{
	struct amux_event_copy	*ac = arg;
	static char		 buf[16384];
	ssize_t			 n;

	do
		n = read(ac->fd, buf, sizeof buf);
	while (n == -1 && errno == EINTR);
	if (n <= 0) {
		amux_event_free(ac);
		return;
	}
	bufferevent_write(bev, buf, n);
}

/* The control client has gone, and took its end with it. */
static void
amux_event_fed(__unused struct bufferevent *bev, __unused short what, void *arg)
{
	amux_event_free(arg);
}

/* Write bytes to a file, as many as it takes. */
static void
amux_event_write(int fd, const char *data, size_t size)
{
	ssize_t	n;

	while (size != 0) {
		n = write(fd, data, size);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		data += n;
		size -= n;
	}
}

static void
amux_event_sink(struct bufferevent *bev, void *arg)
{
	struct amux_event_copy	*ac = arg;
	struct evbuffer		*evb = bev->input;

	amux_event_write(ac->fd, (char *)EVBUFFER_DATA(evb),
	    EVBUFFER_LENGTH(evb));
	evbuffer_drain(evb, EVBUFFER_LENGTH(evb));
}

static void
amux_event_sunk(struct bufferevent *bev, __unused short what, void *arg)
{
	struct amux_event_copy	*ac = arg;

	amux_event_sink(bev, ac);
	TAILQ_REMOVE(&amux_event_sinks, ac, entry);
	amux_event_free(ac);
}

/* Write what is on its way to files, before somebody looks there. */
void
amux_event_flush(void)
{
	struct amux_event_copy	*ac;
	char			 buf[16384];
	ssize_t			 n;

	if (getpid() != amux_event_server)
		return;
	TAILQ_FOREACH(ac, &amux_event_sinks, entry) {
		amux_event_sink(ac->bev, ac);
		while ((n = read(ac->peer, buf, sizeof buf)) > 0)
			amux_event_write(ac->fd, buf, n);
	}
}

/* The server starts: make it events of its own. */
void
amux_event_start(struct event_base *base)
{
#ifdef __linux__
	if (environ_find(global_environ, "EVENT_NOEPOLL") == NULL) {
		event_base_free(base);
		/*
		 * A pane's event goes and comes for each piece of output: of
		 * both together the kernel need not be told twice.
		 */
		setenv("EVENT_EPOLL_USE_CHANGELIST", "1", 1);
		if ((base = event_init()) == NULL)
			fatalx("no events");
		unsetenv("EVENT_EPOLL_USE_CHANGELIST");
	}
#endif
	log_debug("%s: %s", __func__, event_base_get_method(base));
	amux_event_server = getpid();
	atexit(amux_event_flush);
}

/* Can an event wait for this descriptor? */
static int
amux_event_possible(int fd)
{
#ifdef __linux__
	struct epoll_event	ev = { .events = EPOLLIN };
	int			epfd, result;

	if ((epfd = epoll_create1(EPOLL_CLOEXEC)) == -1)
		return (1);
	result = epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &ev);
	if (result == -1 && errno != EPERM)
		result = 0;
	close(epfd);
	return (result == 0);
#else
	(void)fd;
	return (1);
#endif
}

/* Put a descriptor behind a socket. NULL if that is neither needed nor possible. */
static struct amux_event_copy *
amux_event_behind(int *fd, bufferevent_data_cb read_cb,
    bufferevent_data_cb write_cb, bufferevent_event_cb error_cb)
{
	struct amux_event_copy	*ac;
	int			 pair[2];

	if (*fd == -1 || amux_event_possible(*fd))
		return (NULL);
	if (socketpair(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0, pair) != 0)
		return (NULL);
	setblocking(pair[1], 0);
	ac = xcalloc(1, sizeof *ac);
	ac->fd = *fd;
	ac->peer = pair[1];
	ac->bev = bufferevent_new(pair[1], read_cb, write_cb, error_cb, ac);
	if (ac->bev == NULL)
		fatalx("out of memory");
	*fd = pair[0];
	return (ac);
}

/* A control client starts: look at what it reads and writes. */
void
amux_event_control(struct client *c)
{
	struct amux_event_copy	*ac;

	ac = amux_event_behind(&c->fd, NULL, amux_event_feed, amux_event_fed);
	if (ac != NULL) {
		bufferevent_enable(ac->bev, EV_WRITE);
		amux_event_feed(ac->bev, ac);
	}
	ac = amux_event_behind(&c->out_fd, amux_event_sink, NULL,
	    amux_event_sunk);
	if (ac != NULL) {
		bufferevent_enable(ac->bev, EV_READ);
		TAILQ_INSERT_TAIL(&amux_event_sinks, ac, entry);
	}
}
