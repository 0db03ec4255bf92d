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

#include <stdlib.h>
#include <string.h>

#include "tmux.h"
#include "amux-hooks.h"
#include "amux-read.h"

/*
 * Puts what read-pane has read into a paste buffer, a file or the client.
 */

int
amux_deliver_error(struct cmdq_item *item, struct amux_read *ar,
    const char *message)
{
	struct client	*c = cmdq_get_client(item);

	cmdq_error(item, "%s", message);
	if (c != NULL && ar->status)
		c->retval = AMUX_EXIT_FAILED;
	return (-1);
}

/* End as was decided before the bytes were written out. */
static int
amux_deliver_finish(struct cmdq_item *item, struct amux_read *ar)
{
	struct client	*c = cmdq_get_client(item);

	if (ar->message != NULL)
		cmdq_error(item, "%s", ar->message);
	if (c != NULL && ar->retval != 0)
		c->retval = ar->retval;
	return (ar->message == NULL ? 0 : -1);
}

/* The file has been written, or the wait for it has ended otherwise. */
static int
amux_deliver_written(struct cmdq_item *item, enum amux_woken why, void *arg)
{
	struct amux_read	*ar = arg;
	char			*message;
	int			 result;

	if (why == AMUX_WOKEN_SERVER_EXIT)
		return (amux_deliver_error(item, ar, "server exited"));
	if (ar->error != 0) {
		xasprintf(&message, "%s: %s", ar->path, strerror(ar->error));
		result = amux_deliver_error(item, ar, message);
		free(message);
		return (result);
	}
	return (amux_deliver_finish(item, ar));
}

static void
amux_deliver_file_done(__unused struct client *c, __unused const char *path,
    int error, int closed, __unused struct evbuffer *buffer, void *token)
{
	struct amux_read	*ar;

	if (!closed || (ar = amux_wait_file_data(token)) == NULL)
		return;
	ar->error = error;
	amux_wait_file_done(token);
}

/* Show bytes line by line to a client that has no standard output. */
static void
amux_deliver_show(struct cmdq_item *item, struct evbuffer *evb)
{
	char	*line, *last;
	size_t	 size;

	while ((line = evbuffer_readln(evb, NULL, EVBUFFER_EOL_LF)) != NULL) {
		cmdq_print(item, "%s", line);
		free(line);
	}
	if ((size = EVBUFFER_LENGTH(evb)) != 0) {
		last = xmalloc(size + 1);
		memcpy(last, EVBUFFER_DATA(evb), size);
		last[size] = '\0';
		cmdq_print(item, "%s", last);
		free(last);
	}
}

/*
 * Send bytes to the standard output of a client. They are moved: to copy a
 * megabyte three times on the way took a tenth of the time that it took tmux to
 * show it.
 */
static void
amux_deliver_print(struct client *c, struct evbuffer *evb)
{
	struct client_file	 find, *cf;

	/* This opens it, if need be, and sends what is left from before. */
	file_print_buffer(c, "", 0);

	find.stream = 1;
	cf = RB_FIND(client_files, &c->files, &find);
	if (cf == NULL)
		return;
	evbuffer_add_buffer(cf->buffer, evb);
	/* Not when the client says that it is ready: it takes them in turn. */
	file_push(cf);
}

int
amux_deliver(struct cmdq_item *item, struct amux_read *ar,
    struct evbuffer *evb)
{
	struct client		*c = cmdq_get_client(item);
	struct amux_read	*copy;
	size_t			 size = EVBUFFER_LENGTH(evb);
	char			*data, *cause;
	int			 result;

	if (ar->buffer != NULL) {
		if (size == 0)
			return (amux_deliver_finish(item, ar));
		data = xmalloc(size);
		memcpy(data, EVBUFFER_DATA(evb), size);
		if (paste_set(data, size, ar->buffer, &cause) != 0) {
			result = amux_deliver_error(item, ar, cause);
			free(cause);
			free(data);
			return (result);
		}
		return (amux_deliver_finish(item, ar));
	}
	if (ar->path != NULL) {
		/* The file callback comes after the caller has freed ar. */
		copy = xmalloc(sizeof *copy);
		*copy = *ar;
		ar->path = ar->format = ar->buffer = NULL;
		ar->message = NULL;
		file_write(c, copy->path, copy->flags, EVBUFFER_DATA(evb),
		    size, amux_deliver_file_done,
		    amux_wait_file(item, amux_deliver_written,
		    amux_read_free, copy));
		return (1);
	}
	if (size != 0) {
		/*
		 * 3.3a would print for a control client too, but by another
		 * way than its other lines, and so not in their order.
		 */
		if (file_can_print(c) && (~c->flags & CLIENT_CONTROL))
			amux_deliver_print(c, evb);
		else
			amux_deliver_show(item, evb);
	}
	return (amux_deliver_finish(item, ar));
}
