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

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tmux.h"
#include "amux-hooks.h"
#include "amux-pane.h"

/*
 * What a pane does, from its marks and from its terminal. Everything is asked
 * anew each time; a call costs microseconds.
 */

static const char	*amux_state_names[] = {
	"running", "idle", "dead", "unknown"
};

static const char	*amux_state_input_names[] = {
	"prompt", "continuation", "canonical", "raw", "secret", ""
};

const char *
amux_state_name(enum amux_state state)
{
	return (amux_state_names[state]);
}

const char *
amux_state_input_name(enum amux_input input)
{
	return (amux_state_input_names[input]);
}

/* Has the pane no process, or has it ended? */
int
amux_state_dead(struct amux_pane *ap)
{
	struct window_pane	*wp = ap->wp;

	return (wp->fd == -1 || (wp->flags & PANE_EXITED));
}

/*
 * Is the terminal canonical? On Linux the master shows the flags of the slave,
 * so nothing needs to be opened.
 */
int
amux_state_canonical(struct amux_pane *ap)
{
	struct termios	tio;

	if (tcgetattr(ap->wp->fd, &tio) != 0)
		return (0);
	return ((tio.c_lflag & ICANON) != 0);
}

/*
 * Is the shell in the foreground: the group that showed the last prompt, or
 * the pane's own process where no prompt was marked?
 */
int
amux_state_shell_in_front(struct amux_pane *ap)
{
	pid_t	front = tcgetpgrp(ap->wp->fd);

	if (front == -1)
		return (0);
	if (ap->shell != -1)
		return (front == ap->shell);
	return (front == ap->wp->pid);
}

/*
 * Does the shell run, or wait for a processor? A line editor shows a long
 * paste only when it has read all of it, which takes long on a busy machine.
 * Where the system does not tell (no Linux), no.
 */
static int
amux_state_shell_computes(struct amux_pane *ap)
{
	char	 path[64], line[512], *cp;
	FILE	*f;
	int	 runs = 0;

	xsnprintf(path, sizeof path, "/proc/%ld/stat",
	    (long)(ap->shell != -1 ? ap->shell : ap->wp->pid));
	if ((f = fopen(path, "r")) == NULL)
		return (0);
	if (fgets(line, sizeof line, f) != NULL &&
	    (cp = strrchr(line, ')')) != NULL)
		runs = (cp[1] == ' ' && cp[2] == 'R');
	fclose(f);
	return (runs);
}

/*
 * Does the shell have the terminal and wait for a key, and has all been read that
 * it has printed? The terminal shows the first before the marks of a prompt are
 * here that was printed earlier. On Linux poll has the kernel hand over what is
 * on its way (n_tty_poll in n_tty.c).
 */
int
amux_state_reads_keys(struct amux_pane *ap)
{
	struct pollfd	pfd;

	if (!amux_state_shell_in_front(ap) || amux_state_canonical(ap) ||
	    amux_state_shell_computes(ap))
		return (0);
	pfd.fd = ap->wp->fd;
	pfd.events = POLLIN;
	return (poll(&pfd, 1, 0) == 0);
}

/*
 * Is anything still on its way to the pane's program: in our own queue, or in
 * the terminal, not read yet?
 */
int
amux_state_unsent(struct amux_pane *ap)
{
	struct window_pane	*wp = ap->wp;
	int			 fd, n = 0;

	if (wp->event != NULL && EVBUFFER_LENGTH(wp->event->output) != 0)
		return (1);

	/* Only the slave tells what has been written to it. */
	fd = open(wp->tty, O_RDONLY|O_NOCTTY|O_NONBLOCK|O_CLOEXEC);
	if (fd == -1)
		return (0);
	if (ioctl(fd, FIONREAD, &n) != 0)
		n = 0;
	close(fd);
	return (n != 0);
}

/*
 * Has nothing come from the pane, and nothing been written to it, for a time
 * in ns?
 */
int
amux_state_quiet_for(struct amux_pane *ap, uint64_t ns)
{
	uint64_t	now = amux_pane_now(), last;

	last = pane_stream_last_append(ap->stream);
	if (last == PANE_STREAM_UNKNOWN || last < ap->written)
		last = ap->written;
	return (now - last >= ns);
}

/* Do the marks say that the shell is at a prompt? */
static int
amux_state_prompt_marked(struct amux_pane *ap)
{
	enum pane_stream_phase	phase = pane_stream_phase(ap->stream);

	return (phase == PANE_STREAM_PROMPT || phase == PANE_STREAM_INPUT);
}

/* What does the pane do? The manual page has the table. */
enum amux_state
amux_state_get(struct amux_pane *ap)
{
	enum pane_stream_phase	phase;
	int			front;

	if (amux_state_dead(ap))
		return (AMUX_DEAD);

	if (pane_stream_pending(ap->stream) != 0)
		return (AMUX_RUNNING);

	phase = pane_stream_phase(ap->stream);
	front = amux_state_shell_in_front(ap);
	switch (phase) {
	case PANE_STREAM_OUTPUT:
	case PANE_STREAM_BETWEEN:
		return (AMUX_RUNNING);
	case PANE_STREAM_PROMPT:
		/* The prompt is written before the shell reads a line. */
		if (!front || amux_state_canonical(ap))
			return (AMUX_RUNNING);
		return (AMUX_IDLE);
	case PANE_STREAM_INPUT:
		return (front ? AMUX_IDLE : AMUX_RUNNING);
	case PANE_STREAM_NO_MARKS:
		break;
	}
	if (!front)
		return (AMUX_RUNNING);
	return (amux_state_canonical(ap) ? AMUX_UNKNOWN : AMUX_IDLE);
}

/* How does the terminal take input? */
enum amux_input
amux_state_input(struct amux_pane *ap)
{
	struct termios	tio;
	uint64_t	id;

	if (amux_state_dead(ap) || tcgetattr(ap->wp->fd, &tio) != 0)
		return (AMUX_INPUT_NONE);
	if (tio.c_lflag & ICANON) {
		if (~tio.c_lflag & ECHO)
			return (AMUX_INPUT_SECRET);
		return (AMUX_INPUT_CANONICAL);
	}
	/* Not while the rest of the text is on its way, or is being read. */
	if (pane_stream_continuation(ap->stream) &&
	    amux_state_shell_in_front(ap) &&
	    amux_state_quiet_for(ap, AMUX_QUIET_MARKED) &&
	    !amux_state_unsent(ap) && !amux_state_shell_computes(ap))
		return (AMUX_INPUT_CONTINUATION);
	if (!amux_state_prompt_marked(ap)) {
		if (amux_state_get(ap) == AMUX_IDLE)
			return (AMUX_INPUT_PROMPT);
		return (AMUX_INPUT_RAW);
	}
	if (!amux_state_shell_in_front(ap))
		return (AMUX_INPUT_RAW);

	/*
	 * The shell reads a line. Where one was submitted, has been read and
	 * neither ran nor brought a prompt, it is not complete: so it shows
	 * where continuation prompts are not marked.
	 */
	id = pane_stream_pending(ap->stream);
	if (id != 0 &&
	    pane_stream_ready(ap->stream, id) == PANE_STREAM_NOT_READY &&
	    amux_state_quiet_for(ap, AMUX_QUIET_CONTINUATION) &&
	    !amux_state_unsent(ap) && !amux_state_shell_computes(ap))
		return (AMUX_INPUT_CONTINUATION);
	return (AMUX_INPUT_PROMPT);
}

/*
 * Name of the youngest process of a group, for a pipeline whose first command
 * has ended; an empty one where the system does not tell (no Linux).
 */
static char *
amux_state_member(pid_t group)
{
	DIR		*dir;
	struct dirent	*de;
	char		 path[64], line[512], *name = NULL, *cp;
	FILE		*f;
	int		 pid, newest = 0, member;

	if (group == -1 || (dir = opendir("/proc")) == NULL)
		return (xstrdup(""));
	while ((de = readdir(dir)) != NULL) {
		if ((pid = atoi(de->d_name)) <= newest)
			continue;
		xsnprintf(path, sizeof path, "/proc/%d/stat", pid);
		if ((f = fopen(path, "r")) == NULL)
			continue;
		if (fgets(line, sizeof line, f) != NULL &&
		    (cp = strrchr(line, ')')) != NULL &&
		    sscanf(cp, ") %*c %*d %d", &member) == 1 &&
		    member == group && cp[2] != 'Z') {
			*cp = '\0';
			cp = strchr(line, '(');
			free(name);
			name = xstrdup(cp == NULL ? "" : cp + 1);
			newest = pid;
		}
		fclose(f);
	}
	closedir(dir);
	return (name == NULL ? xstrdup("") : name);
}

/*
 * Name of the program in the foreground, without its folder; the caller frees
 * it. A login shell is named without its leading dash.
 */
char *
amux_state_foreground(struct amux_pane *ap)
{
	char	*name = NULL, *copy, *cp;

	if (!amux_state_dead(ap))
		name = osdep_get_name(ap->wp->fd, ap->wp->tty);
	if (name == NULL || *name == '\0') {
		free(name);
		return (amux_state_member(tcgetpgrp(ap->wp->fd)));
	}
	if ((cp = strrchr(name, '/')) != NULL && cp[1] != '\0')
		copy = xstrdup(cp + 1);
	else
		copy = xstrdup(*name == '-' ? name + 1 : name);
	free(name);
	return (copy);
}

/*
 * Is the shell at a prompt with nothing typed, and nothing on its way to it?
 * Where nobody but us has put anything into the terminal, nothing can be typed,
 * whatever a background job prints behind the prompt; otherwise the echo tells.
 * Without marks the prompt cannot be told from a text that was typed, so a
 * quiet shell that reads keys is all that can be asked for.
 */
int
amux_state_at_empty_prompt(struct amux_pane *ap)
{
	enum pane_stream_phase	phase = pane_stream_phase(ap->stream);

	if (amux_state_get(ap) != AMUX_IDLE || amux_state_unsent(ap))
		return (0);
	if (phase == PANE_STREAM_NO_MARKS)
		return (amux_state_quiet_for(ap, AMUX_QUIET_NOTHING) &&
		    amux_state_reads_keys(ap));
	/*
	 * The end of the prompt is on its way, and the request for bracketed
	 * paste with it; or a prompt tool has dropped its mark.
	 */
	if (phase == PANE_STREAM_PROMPT &&
	    (!amux_state_quiet_for(ap, AMUX_QUIET_MARKED) ||
	    !amux_state_reads_keys(ap)))
		return (0);
	if (ap->input == ap->clean)
		return (1);

	/*
	 * Keys without an echo (an ESC that waits for the next, the commands
	 * of vi mode), or with one that has not come yet, leave the line empty
	 * to look at. After those that end or erase a line it is.
	 */
	if (strchr("\r\n\003\010\014\025\177", ap->last_input) == NULL)
		return (0);
	return (pane_stream_prompt_empty(ap->stream));
}

/*
 * Has the command in front ended, but does the shell not read a line yet, or
 * is what was submitted not settled yet? It takes moments.
 */
int
amux_state_settles(struct amux_pane *ap)
{
	if (amux_state_dead(ap) || !amux_state_shell_in_front(ap))
		return (0);
	switch (pane_stream_phase(ap->stream)) {
	case PANE_STREAM_BETWEEN:
	case PANE_STREAM_PROMPT:
		return (1);
	case PANE_STREAM_INPUT:
		if (amux_state_input(ap) == AMUX_INPUT_CONTINUATION)
			return (0);
		return (pane_stream_pending(ap->stream) != 0 ||
		    amux_state_unsent(ap));
	case PANE_STREAM_NO_MARKS:
		return (!amux_state_canonical(ap) &&
		    (!amux_state_quiet_for(ap, AMUX_QUIET_NOTHING) ||
		    amux_state_unsent(ap) || !amux_state_reads_keys(ap)));
	default:
		return (0);
	}
}
