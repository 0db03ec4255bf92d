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


#include <string.h>

#include "stream-mark.h"
#include "stream-memory.h"
#include "stream-osc133.h"
#include "stream-scan.h"
#include "stream-utf8.h"

/*
 * Finds the marks in a terminal's output. The states are those of tmux's
 * input.c as far as they decide where a sequence ends. What begins with
 * ESC _, ESC ^ or ESC X needs no state here: an ESC ends it in any case, so
 * there can be nothing in it that is looked for.
 */

/* Payload kept without allocating; enough for all marks but long lines. */
#define OSC133_SMALL 128

/* A DCS longer than this is given up, or one without end would hide all. */
#define OSC133_MAX_DCS (1024 * 1024)

/* A CSI sequence with more bytes before its last is passed over. */
#define OSC133_MAX_CSI 64

enum osc133_state {
	OSC133_GROUND,
	OSC133_ESCAPE,
	OSC133_INTERMEDIATE,
	OSC133_CSI,
	OSC133_NUMBER,		/* OSC: is it 133; so far? */
	OSC133_PAYLOAD,
	OSC133_OTHER,		/* OSC of another number */
	OSC133_PAYLOAD_ESCAPE,	/* ESC inside the payload */
	OSC133_DCS,		/* before the DCS's final byte */
	OSC133_DCS_IGNORE,
	OSC133_DCS_DATA,
	OSC133_DCS_ESCAPE	/* ESC inside a DCS's data */
};

struct osc133_scanner {
	uint64_t		 offset;	/* of the next byte */
	uint64_t		 start;		/* of the sequence's ESC */
	enum osc133_state	 state;
	struct stream_utf8	 utf8;		/* inside of an OSC */

	unsigned int		 matched;	/* characters of 133; */
	size_t			 dcs;		/* length of the DCS so far */

	/* A CSI sequence: is it ESC [ ? with one of the screen's numbers? */
	int			 csi_private;
	int			 csi_switch;
	unsigned int		 csi_number;
	unsigned int		 csi_len;

	unsigned int		 flags;
	char			*payload;	/* small or allocated */
	size_t			 size;
	size_t			 len;
	char			 small[OSC133_SMALL];
};

/* What one call to osc133_scan works on. */
struct osc133_scan {
	struct osc133_scanner		*s;
	const struct osc133_events	*events;
	void				*arg;
	const unsigned char		*end;
	uint64_t			 base;	/* offset of pointer 0 */
};

#define OSC133_OFFSET(scan, p) ((scan)->base + (uint64_t)(uintptr_t)(p))

static void	 osc133_clear(struct osc133_scanner *);
static void	 osc133_keep(struct osc133_scanner *,
		     const unsigned char *, size_t);
static void	 osc133_mark(struct osc133_scan *, const unsigned char *);
static int	 osc133_ends(struct osc133_scanner *, unsigned char);
static int	 osc133_is_switch(const unsigned char *,
		     const unsigned char *);
static void	 osc133_csi_byte(struct osc133_scan *, const unsigned char *);
static void	 osc133_escape_byte(struct osc133_scan *,
		     const unsigned char *);
static const unsigned char *osc133_osc(struct osc133_scan *,
		     const unsigned char *);
static const unsigned char *osc133_ground(struct osc133_scan *,
		     const unsigned char *);
static const unsigned char *osc133_payload(struct osc133_scan *,
		     const unsigned char *);
static const unsigned char *osc133_dcs(struct osc133_scan *,
		     const unsigned char *);

struct osc133_scanner *
osc133_create(uint64_t offset)
{
	struct osc133_scanner	*s;

	s = stream_memory_alloc(sizeof *s);
	if (s == NULL)
		return (NULL);
	memset(s, 0, sizeof *s);
	s->offset = offset;
	s->payload = s->small;
	s->size = sizeof s->small;
	return (s);
}

void
osc133_free(struct osc133_scanner *s)
{
	if (s == NULL)
		return;
	osc133_clear(s);
	stream_memory_free(s);
}

void
osc133_reset(struct osc133_scanner *s)
{
	osc133_clear(s);
	s->state = OSC133_GROUND;
}

enum osc133_inside
osc133_inside(const struct osc133_scanner *s, uint64_t *start)
{
	*start = s->start;
	switch (s->state) {
	case OSC133_PAYLOAD:
	case OSC133_PAYLOAD_ESCAPE:
		return (OSC133_IN_MARK);
	case OSC133_NUMBER:
	case OSC133_OTHER:
	case OSC133_DCS:
	case OSC133_DCS_IGNORE:
	case OSC133_DCS_DATA:
	case OSC133_DCS_ESCAPE:
		return (OSC133_IN_STRING);
	default:
		return (OSC133_IN_NONE);
	}
}

/* Forgets the payload. */
static void
osc133_clear(struct osc133_scanner *s)
{
	if (s->payload != s->small)
		stream_memory_free(s->payload);
	s->payload = s->small;
	s->size = sizeof s->small;
	s->len = 0;
	s->flags = 0;
}

/*
 * Adds bytes to the payload. There is always room for one more, which its end
 * needs.
 */
static void
osc133_keep(struct osc133_scanner *s, const unsigned char *p, size_t n)
{
	char	*new_payload;
	size_t	 size = s->size;

	if (s->flags & OSC133_CUT)
		return;
	if (n > OSC133_MAX_PAYLOAD - s->len) {
		n = OSC133_MAX_PAYLOAD - s->len;
		s->flags |= OSC133_CUT;
	}
	while (size < s->len + n + 1)
		size *= 2;
	if (size != s->size) {
		if (size > OSC133_MAX_PAYLOAD)
			size = OSC133_MAX_PAYLOAD + 1;
		if (s->payload != s->small)
			new_payload = stream_memory_realloc(s->payload, size);
		else {
			new_payload = stream_memory_alloc(size);
			if (new_payload != NULL)
				memcpy(new_payload, s->small, s->len);
		}
		if (new_payload == NULL) {
			s->flags |= OSC133_CUT;
			n = s->size - 1 - s->len;
		} else {
			s->payload = new_payload;
			s->size = size;
		}
	}
	memcpy(s->payload + s->len, p, n);
	s->len += n;
}

/* A payload is complete: tells the mark, if it is one. */
static void
osc133_mark(struct osc133_scan *scan, const unsigned char *after)
{
	struct osc133_scanner	*s = scan->s;
	struct osc133_mark	 mark;

	if (stream_mark_parse(s->payload, s->len, s->flags, &mark) == 0) {
		mark.start = s->start;
		mark.end = OSC133_OFFSET(scan, after);
		if (scan->events->mark != NULL)
			scan->events->mark(scan->arg, &mark);
	}
	osc133_clear(s);
	s->state = OSC133_GROUND;
}

/* Is this byte of an OSC the 8-bit ST, and not part of a character? */
static int
osc133_ends(struct osc133_scanner *s, unsigned char c)
{
	enum stream_utf8_result	result;

	result = stream_utf8_next(&s->utf8, c);
	if (result == STREAM_UTF8_BROKEN)
		result = stream_utf8_next(&s->utf8, c);
	return (result == STREAM_UTF8_INVALID && c == 0x9c);
}

/* Do parameters that begin with ? hold a number of the other screen? */
static int
osc133_is_switch(const unsigned char *p, const unsigned char *end)
{
	unsigned int	number = 0;
	int		found = 0;

	for (;; p++) {
		if (p != end && *p >= '0' && *p <= '9') {
			if (number < 100000)
				number = number * 10 + (*p - '0');
			continue;
		}
		if (p != end && *p != ';')
			return (0);
		if (number == 47 || number == 1047 || number == 1049)
			found = 1;
		if (p == end)
			return (found);
		number = 0;
	}
}

/* A byte of a CSI sequence. */
static void
osc133_csi_byte(struct osc133_scan *scan, const unsigned char *p)
{
	struct osc133_scanner	*s = scan->s;
	unsigned char		 c = *p;

	if (c < 0x20 || c >= 0x7f)
		return;
	if (c < 0x40 && ++s->csi_len > OSC133_MAX_CSI) {
		s->csi_len = OSC133_MAX_CSI;
		s->csi_private = -1;
		return;
	}
	if (c >= '0' && c <= '9') {
		if (s->csi_number < 100000)
			s->csi_number = s->csi_number * 10 + (c - '0');
		if (s->csi_private == 0)
			s->csi_private = -1;
		return;
	}
	if (c == '?' && s->csi_private == 0) {
		s->csi_private = 1;
		return;
	}
	if (s->csi_number == 47 || s->csi_number == 1047 ||
	    s->csi_number == 1049)
		s->csi_switch = 1;
	s->csi_number = 0;
	if (c == ';') {
		if (s->csi_private == 0)
			s->csi_private = -1;
		return;
	}
	if (c < 0x40) {
		s->csi_private = -1;
		return;
	}
	s->state = OSC133_GROUND;
	if ((c == 'h' || c == 'l') && s->csi_private == 1 && s->csi_switch &&
	    scan->events->alternate != NULL)
		scan->events->alternate(scan->arg, c == 'h',
		    OSC133_OFFSET(scan, p + 1));
}

/* A byte after ESC; those that are neither ESC, CAN nor SUB. */
static void
osc133_escape_byte(struct osc133_scan *scan, const unsigned char *p)
{
	struct osc133_scanner	*s = scan->s;
	unsigned char		 c = *p;

	if (c < 0x20 || c >= 0x7f)
		return;
	if (s->state == OSC133_INTERMEDIATE) {
		if (c >= 0x30)
			s->state = OSC133_GROUND;
		return;
	}
	switch (c) {
	case '[':
		s->csi_private = 0;
		s->csi_switch = 0;
		s->csi_number = 0;
		s->csi_len = 0;
		s->state = OSC133_CSI;
		break;
	case ']':
		s->matched = 0;
		memset(&s->utf8, 0, sizeof s->utf8);
		s->state = OSC133_NUMBER;
		break;
	case 'P':
		s->dcs = 0;
		s->state = OSC133_DCS;
		break;
	case 'c':
		s->state = OSC133_GROUND;
		if (scan->events->alternate != NULL)
			scan->events->alternate(scan->arg, 0,
			    OSC133_OFFSET(scan, p + 1));
		break;
	default:
		if (c < 0x30)
			s->state = OSC133_INTERMEDIATE;
		else
			s->state = OSC133_GROUND;
		break;
	}
}

/* An OSC, at a byte that is neither ESC, CAN nor SUB. */
static const unsigned char *
osc133_osc(struct osc133_scan *scan, const unsigned char *p)
{
	struct osc133_scanner	*s = scan->s;
	size_t			 n;

	/* Printable ASCII comes first, and breaks off any other character. */
	if (s->state != OSC133_NUMBER) {
		n = stream_scan_printable(p, (size_t)(scan->end - p));
		if (n != 0) {
			s->utf8.need = 0;
			if (s->state == OSC133_PAYLOAD)
				osc133_keep(s, p, n);
			return (p + n);
		}
	}

	if (*p == '\a' || osc133_ends(s, *p)) {
		if (s->state == OSC133_PAYLOAD)
			osc133_mark(scan, p + 1);
		else
			s->state = OSC133_GROUND;
	} else if (s->state == OSC133_PAYLOAD && *p >= 0x20)
		osc133_keep(s, p, 1);
	else if (s->state == OSC133_NUMBER && *p >= 0x20) {
		if (*p != (unsigned char)"133;"[s->matched])
			s->state = OSC133_OTHER;
		else if (++s->matched == 4) {
			osc133_clear(s);
			s->state = OSC133_PAYLOAD;
		}
	}
	return (p + 1);
}

/*
 * A CSI sequence at p. One that does not begin with ? is of no interest, and
 * needs no end either, as an ESC begins the next in any case. Returns whether
 * there is nothing more to do for it.
 */
static inline int
osc133_passes(struct osc133_scan *scan, const unsigned char *p)
{
	const unsigned char	*q;

	if (p[1] != '[')
		return (0);
	if (p[2] != '?')
		return (p[2] >= 0x20 && p[2] < 0x7f);
	q = stream_scan_csi(p + 3, scan->end);
	if (q == scan->end || *q < 0x40 || *q >= 0x7f)
		return (0);
	if ((*q == 'h' || *q == 'l') && q - p - 2 <= OSC133_MAX_CSI &&
	    scan->events->alternate != NULL && osc133_is_switch(p + 3, q))
		scan->events->alternate(scan->arg, *q == 'h',
		    OSC133_OFFSET(scan, q + 1));
	return (1);
}

/* Text, up to a sequence that cannot be passed over at once. */
static const unsigned char *
osc133_ground(struct osc133_scan *scan, const unsigned char *p)
{
	struct osc133_scanner	*s = scan->s;
	const unsigned char	*end = scan->end, *q;
	unsigned int		 mask;

	for (;;) {
		/* memchr is fast where there are few ... */
		p = memchr(p, '\033', (size_t)(end - p));
		if (p == NULL)
			return (end);

		/* ... and looking at many bytes at once where there are many. */
		while (end - p >= STREAM_SCAN_BLOCK + 2) {
			mask = stream_scan_block(p);
			if (mask == 0)
				break;
			for (; mask != 0; mask &= mask - 1) {
				q = p + stream_scan_bit(mask);
				if (!osc133_passes(scan, q)) {
					p = q;
					goto sequence;
				}
			}
			p += STREAM_SCAN_BLOCK;
		}
		if (end - p < STREAM_SCAN_BLOCK + 2) {
			p = memchr(p, '\033', (size_t)(end - p));
			if (p == NULL)
				return (end);
			if (end - p < 3 || !osc133_passes(scan, p))
				goto sequence;
			p += 2;
		}
	}

sequence:
	s->start = OSC133_OFFSET(scan, p);
	s->state = OSC133_ESCAPE;
	return (p + 1);
}

/* The byte after an ESC inside a payload: it ends it, or it begins anew. */
static const unsigned char *
osc133_payload(struct osc133_scan *scan, const unsigned char *p)
{
	struct osc133_scanner	*s = scan->s;

	if (*p == '\\') {
		osc133_mark(scan, p + 1);
		return (p + 1);
	}
	osc133_clear(s);
	s->start = OSC133_OFFSET(scan, p) - 1;
	s->state = OSC133_ESCAPE;
	return (p);
}

/*
 * Inside a DCS, where ESC \ ends the data; and none goes on for ever. An ESC ]
 * ends it too: what a DCS carries to another terminal has its ESCs doubled, so
 * this one's end is missing, and it must not hide the marks of the shell.
 */
static const unsigned char *
osc133_dcs(struct osc133_scan *scan, const unsigned char *p)
{
	struct osc133_scanner	*s = scan->s;
	const unsigned char	*q;
	size_t			 left;
	unsigned char		 c = *p;

	left = OSC133_MAX_DCS - s->dcs;
	if (left == 0) {
		s->state = OSC133_GROUND;
		return (p);
	}
	if (s->state == OSC133_DCS_DATA) {
		if (left > (size_t)(scan->end - p))
			left = (size_t)(scan->end - p);
		q = memchr(p, '\033', left);
		if (q == NULL)
			q = p + left;
		else {
			q++;
			s->state = OSC133_DCS_ESCAPE;
		}
		s->dcs += (size_t)(q - p);
		return (q);
	}

	s->dcs++;
	if (s->state == OSC133_DCS_ESCAPE) {
		if (c == ']') {
			s->start = OSC133_OFFSET(scan, p) - 1;
			s->state = OSC133_ESCAPE;
			return (p);
		}
		s->state = (c == '\\') ? OSC133_GROUND : OSC133_DCS_DATA;
		return (p + 1);
	}
	if (c == 0x18 || c == 0x1a)
		s->state = OSC133_GROUND;
	else if (c == '\033') {
		s->start = OSC133_OFFSET(scan, p);
		s->state = OSC133_ESCAPE;
	} else if (s->state == OSC133_DCS) {
		if (c == ':')
			s->state = OSC133_DCS_IGNORE;
		else if (c >= 0x40 && c < 0x7f)
			s->state = OSC133_DCS_DATA;
	}
	return (p + 1);
}

void
osc133_scan(struct osc133_scanner *s, const struct osc133_events *events,
    void *arg, const unsigned char *buf, size_t len)
{
	struct osc133_scan	 scan;
	const unsigned char	*p = buf;

	if (len == 0)
		return;
	scan.s = s;
	scan.events = events;
	scan.arg = arg;
	scan.end = buf + len;
	scan.base = s->offset - (uint64_t)(uintptr_t)buf;

	while (p != scan.end) {
		switch (s->state) {
		case OSC133_GROUND:
			p = osc133_ground(&scan, p);
			continue;
		case OSC133_PAYLOAD_ESCAPE:
			p = osc133_payload(&scan, p);
			continue;
		case OSC133_DCS:
		case OSC133_DCS_IGNORE:
		case OSC133_DCS_DATA:
		case OSC133_DCS_ESCAPE:
			p = osc133_dcs(&scan, p);
			continue;
		default:
			break;
		}

		/* The rest is ended by CAN and SUB, and begun anew by ESC. */
		if (*p == 0x18 || *p == 0x1a) {
			osc133_clear(s);
			s->state = OSC133_GROUND;
		} else if (*p == '\033') {
			if (s->state == OSC133_PAYLOAD)
				s->state = OSC133_PAYLOAD_ESCAPE;
			else {
				s->start = OSC133_OFFSET(&scan, p);
				s->state = OSC133_ESCAPE;
			}
		} else if (s->state == OSC133_CSI)
			osc133_csi_byte(&scan, p);
		else if (s->state == OSC133_ESCAPE ||
		    s->state == OSC133_INTERMEDIATE)
			osc133_escape_byte(&scan, p);
		else {
			p = osc133_osc(&scan, p);
			continue;
		}
		p++;
	}
	s->offset += len;
}
