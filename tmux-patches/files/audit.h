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


#ifndef AUDIT_H
#define AUDIT_H

#include <stddef.h>
#include <stdint.h>

/*
 * An entry of the audit log, and the two forms in which it is told: a datagram
 * of the journal's native protocol, and a line of JSON with the same fields.
 * Knows the C library alone.
 *
 * Both forms have each field once, in the same order, and leave out those that
 * are not known.
 */

/* A number that is not known. */
#define AUDIT_UNKNOWN UINT64_MAX

/* Most bytes of a payload, of a command line, and of any other text. */
#define AUDIT_MAX_PAYLOAD 65536
#define AUDIT_MAX_TEXT 4096

enum audit_event {
	AUDIT_WRITE,
	AUDIT_READ,
	AUDIT_COMMAND
};

/* What is told. A text may be NULL; all belong to the caller. */
struct audit_entry {
	enum audit_event	 event;
	uint64_t		 now;		/* times in us since 1970 */

	const char		*socket;	/* of the server */
	const char		*session;
	const char		*window;
	const char		*pane;

	uint64_t		 bytes;		/* written, read or printed */
	const char		*flags;		/* with commas */
	uint64_t		 id;		/* of the command */

	const char		*ended;		/* of a command that ended */
	int			 status;	/* -1: none */
	const char		*pipe;		/* statuses, with commas */
	uint64_t		 start;
	uint64_t		 end;
	uint64_t		 duration;	/* ms */

	uint64_t		 pid;		/* of the client */
	uint64_t		 uid;

	const char		*payload;
	size_t			 payload_size;
	const char		*line;		/* told by the shell */

	uint64_t		 dropped;	/* entries before; 0: none */
};

/* Bytes that grow. Zero is valid and empty; failed: memory ran out. */
struct audit_text {
	char	*data;
	size_t	 size;
	size_t	 space;
	int	 failed;
};

/* Sets every number of an entry to what is not known, every text to NULL. */
void	audit_init(struct audit_entry *, enum audit_event);

/*
 * Makes either form, in place of what the text held. A line ends with a
 * newline and has no other.
 */
void	audit_datagram(const struct audit_entry *, struct audit_text *);
void	audit_json(const struct audit_entry *, struct audit_text *);

/* Frees what a text holds, which is empty then. */
void	audit_free(struct audit_text *);

#endif
