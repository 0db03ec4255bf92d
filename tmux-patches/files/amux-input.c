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

#include <stdlib.h>
#include <string.h>

#include "tmux.h"
#include "amux-input.h"

/*
 * A command that reads its client's standard input asks the client for it, and
 * the client answers: a round trip, a tenth of the time of a short command. A
 * client that knows what will be asked for may send it right behind the command,
 * in one message.
 */
struct amux_input {
	struct client			*client;
	char				*data;
	size_t				 size;

	TAILQ_ENTRY(amux_input)		 entry;
};

static TAILQ_HEAD(, amux_input) amux_inputs = TAILQ_HEAD_INITIALIZER(amux_inputs);

static struct amux_input *
amux_input_find(struct client *c)
{
	struct amux_input	*ai;

	TAILQ_FOREACH(ai, &amux_inputs, entry) {
		if (ai->client == c)
			return (ai);
	}
	return (NULL);
}

static struct amux_input *
amux_input_add(struct client *c)
{
	struct amux_input	*ai;

	ai = xcalloc(1, sizeof *ai);
	ai->client = c;
	TAILQ_INSERT_HEAD(&amux_inputs, ai, entry);
	return (ai);
}

void
amux_input_keep(struct client *c, const char *data, size_t size)
{
	struct amux_input	*ai;

	/* One message for each client: that bounds what is kept. */
	if (amux_input_find(c) != NULL)
		return;
	ai = amux_input_add(c);
	ai->data = xmalloc(size + 1);
	memcpy(ai->data, data, size);
	ai->size = size;
}

char *
amux_input_take(struct client *c, size_t *size)
{
	struct amux_input	*ai;
	char			*data;

	if ((ai = amux_input_find(c)) == NULL)
		ai = amux_input_add(c);
	data = ai->data;
	*size = ai->size;
	ai->data = NULL;
	return (data);
}

void
amux_input_client_lost(struct client *c)
{
	struct amux_input	*ai;

	if ((ai = amux_input_find(c)) == NULL)
		return;
	TAILQ_REMOVE(&amux_inputs, ai, entry);
	/* It may be a secret. */
	if (ai->data != NULL)
		memset(ai->data, 0, ai->size);
	free(ai->data);
	free(ai);
}
