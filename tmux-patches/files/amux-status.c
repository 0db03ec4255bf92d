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
 * Has the status line drawn anew when what its formats tell of a pane has
 * changed: tmux itself does so every status-interval seconds alone. It draws
 * only what has another text then.
 */

/*
 * How long after output it is looked whether another program has the
 * foreground, which no mark tells: in microseconds.
 */
#define AMUX_STATUS_DELAY 100000

static void
amux_status_callback(__unused int fd, __unused short events, void *arg)
{
	amux_status_update(arg);
}

/* The pane is new: nothing has been shown of it. */
void
amux_status_init(struct amux_pane *ap)
{
	ap->shown.state = AMUX_UNKNOWN;
	ap->shown.status = PANE_STREAM_NO_STATUS;
	ap->shown.id = 0;
	evtimer_set(&ap->shown.timer, amux_status_callback, ap);
}

/* The pane, or its process, goes. */
void
amux_status_free(struct amux_pane *ap)
{
	evtimer_del(&ap->shown.timer);
}

/* Something may have changed: if so, draw. */
void
amux_status_update(struct amux_pane *ap)
{
	struct pane_stream_record	pr;
	enum amux_state			state = amux_state_get(ap);
	int				status = PANE_STREAM_NO_STATUS;
	uint64_t			id = 0;

	if (pane_stream_last_ended(ap->stream, &pr))
		status = pr.status;
	if (pane_stream_last(ap->stream, &pr))
		id = pr.id;
	if (state == ap->shown.state && status == ap->shown.status &&
	    id == ap->shown.id)
		return;
	ap->shown.state = state;
	ap->shown.status = status;
	ap->shown.id = id;
	server_status_window(ap->wp->window);
}

/*
 * Output has come, and the marks told another phase before. While a command
 * prints, nothing changes, so a fast one costs nothing here.
 */
void
amux_status_output(struct amux_pane *ap, enum pane_stream_phase before)
{
	struct timeval		tv = { 0, AMUX_STATUS_DELAY };
	enum pane_stream_phase	phase = pane_stream_phase(ap->stream);

	if (phase == PANE_STREAM_OUTPUT && before == PANE_STREAM_OUTPUT)
		return;
	if (phase != PANE_STREAM_NO_MARKS)
		amux_status_update(ap);
	if (phase != PANE_STREAM_OUTPUT &&
	    !evtimer_pending(&ap->shown.timer, NULL))
		evtimer_add(&ap->shown.timer, &tv);
}
