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


#ifndef AMUX_AUDIT_H
#define AMUX_AUDIT_H

#include "amux-pane.h"

/*
 * The audit log: an entry for each write-pane, each read-pane that reads what
 * a pane printed, and each command that has ended. Does nothing where the
 * option audit-log is off.
 */

/*
 * Must what is typed now stay secret? Yes while the terminal's echo is off,
 * except where the shell reads a line: its editor echoes by itself. Asked
 * before anything is written; always 0 where no payload is told at all.
 */
int	amux_audit_hides(struct amux_pane *);

/* Something is typed, by whomever. */
void	amux_audit_input(struct amux_pane *);

/*
 * Bytes were written: the id of the submission or 0, flags with commas, the
 * bytes, and what amux_audit_hides said before.
 */
void	amux_audit_write(struct cmdq_item *, struct amux_pane *, uint64_t,
	    const char *, const char *, size_t, int);

/* So many bytes were read: of the command with this id, or 0; with flags. */
void	amux_audit_read(struct cmdq_item *, struct amux_pane *, uint64_t,
	    const char *, size_t);

/* Tells of the commands that have ended and were not told yet. */
void	amux_audit_commands(struct amux_pane *);

/* The pane goes. */
void	amux_audit_forget(struct amux_pane *);

/* How many entries nobody has taken. */
uint64_t	amux_audit_dropped(void);

#endif
