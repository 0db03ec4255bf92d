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

#ifndef AMUX_INPUT_H
#define AMUX_INPUT_H

/*
 * What clients have sent of their standard input before they were asked for it.
 */

/* The stream that such a message names; tmux numbers its own from one. */
#define AMUX_INPUT_STREAM 0

/* Keep the input of a client, which is whole. */
void	 amux_input_keep(struct client *, const char *, size_t);

/*
 * Give what a client has sent, or NULL if it has to be asked; the caller frees
 * it. A client gives it once: what it sends from then on is thrown away.
 */
char	*amux_input_take(struct client *, size_t *);

void	 amux_input_client_lost(struct client *);

#endif
