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


#ifndef AUDIT_SINK_H
#define AUDIT_SINK_H

#include <sys/types.h>

#include <stdint.h>

#include "audit.h"

/*
 * Where entries of the audit log go: to the journal's socket and to a file of
 * lines of JSON. Neither is ever waited for, and nothing is tried twice: what
 * is not taken at once is dropped and counted.
 */
struct audit_sink {
	int		 open;		/* are the descriptors valid? */
	int		 socket;	/* -1: none yet */

	int		 file;		/* -1: none */
	char		*path;		/* of the file that is open */
	dev_t		 dev;
	ino_t		 ino;
	int		 torn;		/* its last line is not whole */

	/* Dropped since the last that was taken, by each; and by both. */
	uint64_t	 socket_dropped;
	uint64_t	 file_dropped;
	uint64_t	 dropped;	/* ever */
};

/*
 * Tells an entry: to the journal at the first path, and to the file at the
 * second, which is moved to its name with .1 behind it where it would grow
 * larger than the limit in bytes (0: none). An empty path is nothing to tell.
 * Changes the entry: its dropped, and its payload where it is too long.
 */
void	audit_sink_tell(struct audit_sink *, struct audit_entry *,
	    const char *, const char *, uint64_t);

/* Closes what is open; what was counted stays. */
void	audit_sink_close(struct audit_sink *);

#endif
