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

#include <string.h>
#include <unistd.h>

#include "tmux.h"
#include "amux-hooks.h"
#include "amux-input.h"

/*
 * What a client may send. Every message is looked at before tmux acts on it,
 * since tmux takes for granted that its clients are its own: up to 3.5a a
 * message of a wrong size or a string without its NUL ends the server, and on
 * every version so does a message that comes at a time when its client lacks
 * what it needs. A client that sends such a message is dropped, as if it had
 * gone. Messages of types that the server does not know are left alone: a
 * newer client may send them, and nothing is done with them.
 */

/*
 * The flags that a client says of itself. The others are the server's own:
 * with CLIENT_DEAD or CLIENT_TERMINAL from outside it would go wrong. They are
 * taken away and not refused, since a newer client may send a bit that has
 * another meaning here: CLIENT_WRITE_ACK of 3.8 is one that 3.6 has for itself.
 */
#ifndef CLIENT_WRITE_ACK
#define CLIENT_WRITE_ACK 0
#endif
#define AMUX_IMSG_FLAGS		\
	(CLIENT_LOGIN|		\
	 CLIENT_NOSTARTSERVER|	\
	 CLIENT_CONTROLCONTROL|	\
	 CLIENT_UTF8|		\
	 CLIENT_DEFAULTSOCKET|	\
	 CLIENT_STARTSERVER|	\
	 CLIENT_NOFORK|		\
	 CLIENT_WRITE_ACK)

/*
 * Flags of ours, of bits that no version uses. A client becomes a control
 * client only when it is identified: before, it has no control state, and
 * without that every notification, and its end, would bring the server down.
 */
#define AMUX_IMSG_DROPPED	0x8000000000000000ULL
#define AMUX_IMSG_CONTROL	0x4000000000000000ULL

/* When a message may come. */
enum amux_imsg_when {
	AMUX_IMSG_IDENTIFYING,
	AMUX_IMSG_IDENTIFIED
};

/* What its data are. */
enum amux_imsg_form {
	AMUX_IMSG_EXACT,	/* so many bytes */
	AMUX_IMSG_PREFIX,	/* so many bytes, and any others */
	AMUX_IMSG_STRING	/* any bytes, and a NUL at the end */
};

static const struct {
	enum msgtype		type;
	enum amux_imsg_when	when;
	enum amux_imsg_form	form;
	size_t			size;
} amux_imsg_table[] = {
#define IDENTIFYING AMUX_IMSG_IDENTIFYING
#define IDENTIFIED AMUX_IMSG_IDENTIFIED
#define EXACT(size) AMUX_IMSG_EXACT, size
#define PREFIX(size) AMUX_IMSG_PREFIX, size
#define STRING AMUX_IMSG_STRING, 0
	{ MSG_IDENTIFY_FLAGS, IDENTIFYING, EXACT(sizeof (int)) },
	{ MSG_IDENTIFY_LONGFLAGS, IDENTIFYING, EXACT(sizeof (uint64_t)) },
	{ MSG_IDENTIFY_FEATURES, IDENTIFYING, EXACT(sizeof (int)) },
	{ MSG_IDENTIFY_CLIENTPID, IDENTIFYING, EXACT(sizeof (pid_t)) },
	{ MSG_IDENTIFY_TERM, IDENTIFYING, STRING },
	{ MSG_IDENTIFY_TERMINFO, IDENTIFYING, STRING },
	{ MSG_IDENTIFY_TTYNAME, IDENTIFYING, STRING },
	{ MSG_IDENTIFY_CWD, IDENTIFYING, STRING },
	{ MSG_IDENTIFY_ENVIRON, IDENTIFYING, STRING },
	{ MSG_IDENTIFY_STDIN, IDENTIFYING, EXACT(0) },
	{ MSG_IDENTIFY_STDOUT, IDENTIFYING, EXACT(0) },
	{ MSG_IDENTIFY_DONE, IDENTIFYING, EXACT(0) },

	{ MSG_COMMAND, IDENTIFIED, PREFIX(sizeof (struct msg_command)) },
	{ MSG_RESIZE, IDENTIFIED, EXACT(0) },
	{ MSG_EXITING, IDENTIFIED, EXACT(0) },
	{ MSG_WAKEUP, IDENTIFIED, EXACT(0) },
	{ MSG_UNLOCK, IDENTIFIED, EXACT(0) },
	{ MSG_SHELL, IDENTIFIED, EXACT(0) },

	{ MSG_READ, IDENTIFIED, PREFIX(sizeof (struct msg_read_data)) },
	{ MSG_READ_DONE, IDENTIFIED, EXACT(sizeof (struct msg_read_done)) },
	{ MSG_WRITE_READY, IDENTIFIED, EXACT(sizeof (struct msg_write_ready)) },
#if CLIENT_WRITE_ACK
	{ MSG_WRITE_DONE, IDENTIFIED, EXACT(sizeof (struct msg_write_done)) },
#endif
#undef IDENTIFYING
#undef IDENTIFIED
#undef EXACT
#undef PREFIX
#undef STRING
};

/* Is the message of the size, and at the time, that its type has? */
static int
amux_imsg_fits(struct client *c, uint32_t type, const char *data, size_t size)
{
	enum amux_imsg_when	when = AMUX_IMSG_IDENTIFYING;
	u_int			i;

	if (c->flags & CLIENT_IDENTIFIED)
		when = AMUX_IMSG_IDENTIFIED;
	for (i = 0; i < nitems(amux_imsg_table); i++) {
		if ((uint32_t)amux_imsg_table[i].type != type)
			continue;
		if (amux_imsg_table[i].when != when)
			return (0);
		switch (amux_imsg_table[i].form) {
		case AMUX_IMSG_EXACT:
			return (size == amux_imsg_table[i].size);
		case AMUX_IMSG_PREFIX:
			return (size >= amux_imsg_table[i].size);
		case AMUX_IMSG_STRING:
			return (size != 0 && data[size - 1] == '\0');
		}
	}
	return (1);
}

/* Are there as many arguments as the message says? */
static int
amux_imsg_command(const char *data, size_t size)
{
	struct msg_command	msg;
	const char		*next = data + sizeof msg, *end = data + size;
	int			i;

	memcpy(&msg, data, sizeof msg);
	if (msg.argc < 0 || (next != end && end[-1] != '\0'))
		return (0);
	for (i = 0; i < msg.argc; i++) {
		if (next == end)
			return (0);
		next += strlen(next) + 1;
	}
	return (1);
}

/* Leave of the flags those that the client may set. */
static uint64_t
amux_imsg_flags(struct client *c, uint64_t flags)
{
	if (flags & CLIENT_CONTROL)
		c->flags |= AMUX_IMSG_CONTROL;
	return (flags & AMUX_IMSG_FLAGS);
}

/* The client is identified: is what tmux needs of it there? */
static int
amux_imsg_done(struct client *c)
{
	if (c->flags & AMUX_IMSG_CONTROL) {
		/* It would never say a word, nor see that it has gone. */
		if (c->fd == -1)
			return (0);
		c->flags &= ~AMUX_IMSG_CONTROL;
		c->flags |= CLIENT_CONTROL;
	}

	/* Later versions do without these two. */
	if (c->ttyname == NULL)
		c->ttyname = xstrdup("");
	if (c->term_name == NULL)
		c->term_name = xstrdup("unknown");

	/* The configuration is read in the folder of the first client. */
	if (c->cwd == NULL && !cfg_finished)
		c->cwd = xstrdup("/");
	return (1);
}

/* Is the message one that tmux can act on? Also makes it so. */
static int
amux_imsg_good(struct client *c, uint32_t type, char *data, size_t size)
{
	uint64_t	longflags;
	int		flags;

	if (!amux_imsg_fits(c, type, data, size))
		return (0);
	switch (type) {
	case MSG_IDENTIFY_FLAGS:
		memcpy(&flags, data, sizeof flags);
		flags = (int)amux_imsg_flags(c, (u_int)flags);
		memcpy(data, &flags, sizeof flags);
		return (1);
	case MSG_IDENTIFY_LONGFLAGS:
		memcpy(&longflags, data, sizeof longflags);
		longflags = amux_imsg_flags(c, longflags);
		memcpy(data, &longflags, sizeof longflags);
		return (1);

	/* A second one would take the place of the first, which stays. */
	case MSG_IDENTIFY_TERM:
		return (c->term_name == NULL);
	case MSG_IDENTIFY_TTYNAME:
		return (c->ttyname == NULL);
	case MSG_IDENTIFY_CWD:
		return (c->cwd == NULL);
	case MSG_IDENTIFY_STDIN:
		return (c->fd == -1);
	case MSG_IDENTIFY_STDOUT:
		return (c->out_fd == -1);

	case MSG_IDENTIFY_DONE:
		return (amux_imsg_done(c));
	case MSG_COMMAND:
		return (amux_imsg_command(data, size));
	case MSG_RESIZE:
		return (c->flags & (CLIENT_CONTROL|CLIENT_TERMINAL));
	default:
		return (1);
	}
}

/* Is this input that nobody has asked for? Then it is kept. */
static int
amux_imsg_input(struct client *c, uint32_t type, const char *data, size_t size)
{
	struct msg_read_data	msg;

	if (type != MSG_READ)
		return (0);
	memcpy(&msg, data, sizeof msg);
	if (msg.stream != AMUX_INPUT_STREAM)
		return (0);
	amux_input_keep(c, data + sizeof msg, size - sizeof msg);
	return (1);
}

static void
amux_imsg_drop_cb(__unused int fd, __unused short events, void *arg)
{
	struct client	*c = arg;

	if (~c->flags & CLIENT_DEAD)
		server_client_lost(c);
	server_client_unref(c);
}

/*
 * Must this message be kept from tmux? It is for us, or malformed: then its client
 * is dropped, but by the event loop: the caller still reads from it.
 */
int
amux_imsg_refused(struct client *c, struct imsg *imsg)
{
	uint32_t	type = imsg->hdr.type;
	size_t		size = imsg->hdr.len - IMSG_HEADER_SIZE;
	int		refused = 1;

	if (~c->flags & AMUX_IMSG_DROPPED)
		refused = !amux_imsg_good(c, type, imsg->data, size);

#ifdef IMSGF_HASFD
	/* Up to 3.5a nobody closes a descriptor that nobody takes. */
	if (imsg->fd != -1 && (refused ||
	    (type != MSG_IDENTIFY_STDIN && type != MSG_IDENTIFY_STDOUT))) {
		close(imsg->fd);
		imsg->fd = -1;
	}
#endif

	if (!refused && amux_imsg_input(c, type, imsg->data, size))
		return (1);
	if (refused && (~c->flags & AMUX_IMSG_DROPPED)) {
		c->flags |= AMUX_IMSG_DROPPED;
		server_add_message("client %s dropped: malformed message %u",
		    c->name == NULL ? "unknown" : c->name, type);
		c->references++;
		event_once(-1, EV_TIMEOUT, amux_imsg_drop_cb, c, NULL);
	}
	return (refused);
}

/*
 * Has the end of this file been told already? A client that says so twice, or
 * goes when it has, would have the file freed twice. The server has no
 * descriptor of its own for a client's file, so that field keeps it.
 */
int
amux_imsg_file_ended(struct client_file *cf)
{
	if (cf->fd == -1)
		return (1);
	cf->fd = -1;
	return (0);
}

/*
 * A client is lost. Up to 3.7 the configuration would still be read in its
 * folder, whose name is freed.
 */
void
amux_imsg_client_lost(struct client *c)
{
	amux_input_client_lost(c);
	if (cfg_client == c)
		cfg_client = NULL;
}
