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
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit-sink.h"

/*
 * Sends entries of the audit log. Every descriptor is closed on exec: no
 * program in a pane has one.
 */

static void
audit_sink_close_file(struct audit_sink *sink)
{
	if (sink->file != -1)
		close(sink->file);
	sink->file = -1;
	free(sink->path);
	sink->path = NULL;
	sink->torn = 0;
}

static void
audit_sink_init(struct audit_sink *sink)
{
	if (sink->open)
		return;
	sink->open = 1;
	sink->socket = sink->file = -1;
}

void
audit_sink_close(struct audit_sink *sink)
{
	audit_sink_init(sink);
	audit_sink_close_file(sink);
	if (sink->socket != -1)
		close(sink->socket);
	sink->socket = -1;
}

/* Not connected: so it serves when the journal has been started anew. */
static int
audit_sink_open_socket(struct audit_sink *sink)
{
	int	fd;

	if (sink->socket != -1)
		return (0);
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	if (fd == -1)
		return (-1);
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) == -1 ||
	    fcntl(fd, F_SETFL, O_NONBLOCK) == -1) {
		close(fd);
		return (-1);
	}
	sink->socket = fd;
	return (0);
}

/* Returns 0 if the datagram was taken, else what sendto says. */
static int
audit_sink_send(struct audit_sink *sink, const struct sockaddr_un *sun,
    const struct audit_text *text)
{
	ssize_t	n;

	if (text->failed)
		return (ENOMEM);
	n = sendto(sink->socket, text->data, text->size,
	    MSG_DONTWAIT|MSG_NOSIGNAL, (const struct sockaddr *)sun,
	    sizeof *sun);
	return (n == -1 ? errno : 0);
}

/* Returns 1 if the journal has taken the entry. */
static int
audit_sink_journal(struct audit_sink *sink, struct audit_entry *entry,
    const char *path)
{
	struct sockaddr_un	 sun;
	struct audit_text	 text;
	size_t			 size = strlen(path);
	int			 error;

	memset(&sun, 0, sizeof sun);
	memset(&text, 0, sizeof text);
	sun.sun_family = AF_UNIX;

	/* Where there is none, nothing is made for it and nothing is opened. */
	if (size >= sizeof sun.sun_path || access(path, W_OK) != 0)
		goto dropped;
	memcpy(sun.sun_path, path, size + 1);
	if (audit_sink_open_socket(sink) != 0)
		goto dropped;

	entry->dropped = sink->socket_dropped;
	audit_datagram(entry, &text);
	error = audit_sink_send(sink, &sun, &text);
	if (error == EMSGSIZE &&
	    (entry->payload != NULL || entry->line != NULL)) {
		/* The system takes less than usual: better that than nothing. */
		entry->payload = entry->line = NULL;
		audit_datagram(entry, &text);
		error = audit_sink_send(sink, &sun, &text);
	}
	audit_free(&text);
	if (error != 0)
		goto dropped;
	sink->socket_dropped = 0;
	return (1);

dropped:
	sink->socket_dropped++;
	return (0);
}

/*
 * Is this a file that the log may go to: of this user (or put there by root),
 * and by no other name somebody else's?
 */
static int
audit_sink_is_ours(const struct stat *st)
{
	return (S_ISREG(st->st_mode) && st->st_nlink == 1 &&
	    (st->st_uid == geteuid() || st->st_uid == 0));
}

/* Opens the file, or makes it. O_NONBLOCK: no FIFO is waited for. */
static int
audit_sink_open_file(struct audit_sink *sink, const char *path,
    struct stat *st)
{
	size_t	size = strlen(path) + 1;

	audit_sink_close_file(sink);
	if (*path != '/')
		return (-1);
	sink->file = open(path, O_WRONLY|O_APPEND|O_CREAT|O_NOFOLLOW|O_NOCTTY|
	    O_NONBLOCK|O_CLOEXEC, 0600);
	if (sink->file == -1)
		return (-1);
	sink->path = malloc(size);
	if (sink->path == NULL || fstat(sink->file, st) != 0 ||
	    !audit_sink_is_ours(st)) {
		audit_sink_close_file(sink);
		return (-1);
	}
	memcpy(sink->path, path, size);
	sink->dev = st->st_dev;
	sink->ino = st->st_ino;
	return (0);
}

/* Is the file that is open still the one at the path? */
static int
audit_sink_is_there(struct audit_sink *sink, const char *path,
    struct stat *st)
{
	return (sink->file != -1 && strcmp(sink->path, path) == 0 &&
	    lstat(path, st) == 0 && st->st_dev == sink->dev &&
	    st->st_ino == sink->ino);
}

/*
 * Moves a full file away and opens another. Others may write to it as well:
 * whoever has the lock moves it, and only if nobody has yet. Where it cannot be
 * moved it does not grow any more.
 */
static int
audit_sink_rotate(struct audit_sink *sink, const char *path, struct stat *st)
{
	char	*old;
	size_t	 size = strlen(path);
	int	 result;

	if (flock(sink->file, LOCK_EX|LOCK_NB) != 0)
		return (errno == EWOULDBLOCK ? 0 : -1);
	if (!audit_sink_is_there(sink, path, st))
		return (audit_sink_open_file(sink, path, st));
	old = malloc(size + 3);
	if (old == NULL) {
		flock(sink->file, LOCK_UN);
		return (-1);
	}
	memcpy(old, path, size);
	memcpy(old + size, ".1", 3);
	result = rename(path, old);
	free(old);
	if (result != 0) {
		flock(sink->file, LOCK_UN);
		return (-1);
	}
	return (audit_sink_open_file(sink, path, st));
}

/* Returns 1 if the file has taken the entry. */
static int
audit_sink_file(struct audit_sink *sink, struct audit_entry *entry,
    const char *path, uint64_t limit)
{
	struct audit_text	 text;
	struct stat		 st;
	struct iovec		 iov[2];
	size_t			 size;
	ssize_t			 n = -1;

	memset(&text, 0, sizeof text);
	if (!audit_sink_is_there(sink, path, &st) &&
	    audit_sink_open_file(sink, path, &st) != 0)
		goto dropped;
	entry->dropped = sink->file_dropped;
	audit_json(entry, &text);
	if (text.failed)
		goto dropped;
	if (limit != 0 && st.st_size > 0 &&
	    (uint64_t)st.st_size + text.size > limit &&
	    audit_sink_rotate(sink, path, &st) != 0)
		goto dropped;

	/* In one write, so that lines of several servers do not mix. */
	iov[0].iov_base = (char *)"\n";
	iov[0].iov_len = sink->torn ? 1 : 0;
	iov[1].iov_base = text.data;
	iov[1].iov_len = text.size;
	size = iov[0].iov_len + iov[1].iov_len;
	n = writev(sink->file, iov, 2);
	if (n > 0)
		sink->torn = ((size_t)n != size);
	if (n == -1 || (size_t)n != size)
		goto dropped;
	audit_free(&text);
	sink->file_dropped = 0;
	return (1);

dropped:
	audit_free(&text);
	sink->file_dropped++;
	return (0);
}

void
audit_sink_tell(struct audit_sink *sink, struct audit_entry *entry,
    const char *socket, const char *file, uint64_t limit)
{
	int	taken = 0;

	audit_sink_init(sink);
	if (*socket == '\0' && *file == '\0')
		return;
	if (*file != '\0')
		taken |= audit_sink_file(sink, entry, file, limit);
	else if (sink->file != -1)
		audit_sink_close_file(sink);
	if (*socket != '\0')
		taken |= audit_sink_journal(sink, entry, socket);
	if (!taken)
		sink->dropped++;
}
