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

#include "tmux.h"
#include "amux-hooks.h"
#include "amux-pane.h"

/*
 * Each time that something wakes the server, its loop visits every pane: to
 * resize it, to let go of what everybody has read of it, and to name its window.
 * A message of a client wakes it too, and a command takes several. Where there
 * are hundreds of panes, none of which has printed anything and which nobody
 * looks at, the visits are put off for a moment: so they cost the same however
 * many messages come.
 */

/* As few panes as these are visited as ever. */
#define AMUX_LOOP_PANES 64

/* How long visits are put off at most, in microseconds. */
#define AMUX_LOOP_REST 2000

static int		amux_loop_wanted = 1;
static int		amux_loop_resting;
static struct event	amux_loop_timer;

/* A pane has printed something. */
void
amux_loop_output(void)
{
	amux_loop_wanted = 1;
}

static void
amux_loop_callback(__unused int fd, __unused short events, __unused void *arg)
{
	amux_loop_wanted = 1;
}

/* Does anybody look at a pane? */
static int
amux_loop_watched(void)
{
	struct client	*c;

	TAILQ_FOREACH(c, &clients, entry) {
		if (c->session != NULL)
			return (1);
	}
	return (0);
}

/*
 * May the loop leave the panes alone this time? It is asked before it visits
 * them to resize them, and what it was told holds for the rest.
 */
int
amux_loop_rests(void)
{
	struct timeval	tv = { .tv_usec = AMUX_LOOP_REST };

	if (amux_loop_wanted || amux_pane_count() < AMUX_LOOP_PANES ||
	    amux_loop_watched()) {
		amux_loop_wanted = 0;
		amux_loop_resting = 0;
		return (0);
	}
	if (!event_initialized(&amux_loop_timer))
		evtimer_set(&amux_loop_timer, amux_loop_callback, NULL);
	if (!evtimer_pending(&amux_loop_timer, NULL))
		evtimer_add(&amux_loop_timer, &tv);
	amux_loop_resting = 1;
	return (1);
}

int
amux_loop_rested(void)
{
	return (amux_loop_resting);
}
