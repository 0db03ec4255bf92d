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

#include "stream-memory.h"
#include "stream-scan.h"
#include "stream-screen.h"
#include "stream-text.h"
#include "stream-utf8.h"

/*
 * Text of a terminal's output. The states are those of tmux's input.c, as in
 * stream-osc133.c, and they must agree on where a mark ends.
 */

/* Output is collected in pieces of this size. */
#define STREAM_TEXT_BUFFER 8192

/* Most bytes of a character that is not complete. */
#define STREAM_TEXT_CUT 3

/* Most of a sequence that is held back until its end has come. */
#define STREAM_TEXT_HELD 4096

/* What the header promises is what a line does. */
typedef char	stream_text_same_limit[STREAM_TEXT_MAX_LINE == STREAM_LINE_MAX ?
    1 : -1];

/* As in stream-osc133.c. */
#define STREAM_TEXT_MAX_STRING (1024 * 1024)

enum stream_text_state {
	STREAM_TEXT_GROUND,
	STREAM_TEXT_ESCAPE,
	STREAM_TEXT_INTERMEDIATE,
	STREAM_TEXT_CSI,
	STREAM_TEXT_OSC,
	STREAM_TEXT_OSC_ESCAPE,
	STREAM_TEXT_DCS,
	STREAM_TEXT_DCS_IGNORE,
	STREAM_TEXT_DCS_DATA,
	STREAM_TEXT_DCS_ESCAPE,
	STREAM_TEXT_STRING	/* APC, PM, SOS, and screen's title */
};

struct stream_text {
	unsigned int		 flags;
	stream_text_write	 write;
	void			*arg;
	int			 dead;

	enum stream_text_state	 state;
	struct stream_utf8	 utf8;		/* of text, or inside an OSC */
	size_t			 sequence;	/* bytes of it so far */
	size_t			 string;	/* of them, after its ESC P */
	int			 matched;	/* characters of 133;, or -1 */
	unsigned char		 csi[STREAM_SCREEN_MAX_CSI];
	size_t			 csi_len;

	struct stream_screen	 screen;

	/* A sequence that has no end yet; with STREAM_TEXT_ESCAPES. */
	char			*held;
	size_t			 held_len;
	size_t			 held_size;
	int			 passing;	/* too long to be held */

	char			*out;
	size_t			 out_len;
};

static int	 stream_text_put(void *, const char *, size_t);
static int	 stream_text_hold(struct stream_text *, unsigned char);
static int	 stream_text_finish(struct stream_text *);
static const unsigned char *stream_text_ground(struct stream_text *,
		     const unsigned char *, const unsigned char *);
static int	 stream_text_byte(struct stream_text *, unsigned char);

struct stream_text *
stream_text_create(unsigned int flags, stream_text_write write, void *arg)
{
	struct stream_text	*t;

	t = stream_memory_alloc(sizeof *t);
	if (t == NULL)
		return (NULL);
	memset(t, 0, sizeof *t);
	t->flags = flags;
	t->write = write;
	t->arg = arg;
	t->matched = -1;
	t->screen.write = stream_text_put;
	t->screen.arg = t;
	t->screen.alternate = (flags & STREAM_TEXT_ALTERNATE) != 0;
	return (t);
}

void
stream_text_free(struct stream_text *t)
{
	if (t == NULL)
		return;
	stream_line_free(&t->screen.line);
	stream_memory_free(t->held);
	stream_memory_free(t->out);
	stream_memory_free(t);
}

/* Collects text that is to be written. */
static int
stream_text_put(void *data, const char *s, size_t n)
{
	struct stream_text	*t = data;

	if (t->out == NULL) {
		t->out = stream_memory_alloc(STREAM_TEXT_BUFFER);
		if (t->out == NULL)
			return (-1);
	}
	if (n > STREAM_TEXT_BUFFER - t->out_len) {
		if (t->out_len != 0)
			t->write(t->arg, t->out, t->out_len);
		t->out_len = 0;
		if (n >= STREAM_TEXT_BUFFER) {
			t->write(t->arg, s, n);
			return (0);
		}
	}
	memcpy(t->out + t->out_len, s, n);
	t->out_len += n;
	return (0);
}

/*
 * A byte of a sequence. With STREAM_TEXT_ESCAPES it is held until the sequence
 * has its end, unless that is a mark, or it is so long that it has to be
 * passed on.
 */
static int
stream_text_hold(struct stream_text *t, unsigned char c)
{
	char	byte = (char)c;

	if (~t->flags & STREAM_TEXT_ESCAPES || t->matched == 4)
		return (0);
	if (t->passing)
		return (stream_text_put(t, &byte, 1));
	if (t->held_len == STREAM_TEXT_HELD) {
		t->passing = 1;
		if (stream_text_put(t, t->held, t->held_len) != 0)
			return (-1);
		t->held_len = 0;
		return (stream_text_put(t, &byte, 1));
	}
	if (stream_memory_grow((void **)&t->held, &t->held_size,
	    t->held_len + 1, 1, 64) != 0)
		return (-1);
	t->held[t->held_len++] = byte;
	return (0);
}

/* A sequence is over, by its end or by what breaks it off. */
static int
stream_text_finish(struct stream_text *t)
{
	int	result = 0;

	if (t->held_len != 0 && t->matched != 4)
		result = stream_text_put(t, t->held, t->held_len);
	t->held_len = 0;
	t->passing = 0;
	t->matched = -1;
	t->sequence = 0;
	t->state = STREAM_TEXT_GROUND;
	memset(&t->utf8, 0, sizeof t->utf8);
	return (result);
}

/* A character in the text was broken off. */
static int
stream_text_broken(struct stream_text *t)
{
	int	result;

	if (~t->flags & STREAM_TEXT_ESCAPES)
		return (stream_screen_character(&t->screen, 0xfffd));
	result = stream_text_put(t, t->held, t->held_len);
	t->held_len = 0;
	return (result);
}

/* A byte of a character of several, or one that ends it too early. */
static int
stream_text_multibyte(struct stream_text *t, unsigned char c)
{
	char	byte = (char)c;

	switch (stream_utf8_next(&t->utf8, c)) {
	case STREAM_UTF8_DONE:
		if (~t->flags & STREAM_TEXT_ESCAPES)
			return (stream_screen_character(&t->screen, t->utf8.value));
		if (stream_text_hold(t, c) != 0)
			return (-1);
		return (stream_text_broken(t));
	case STREAM_UTF8_MORE:
		return (stream_text_hold(t, c));
	case STREAM_UTF8_INVALID:
		if (t->flags & STREAM_TEXT_ESCAPES)
			return (stream_text_put(t, &byte, 1));
		return (stream_screen_character(&t->screen, 0xfffd));
	default:
		return (-1);
	}
}

/*
 * How many bytes pass as they are with STREAM_TEXT_ESCAPES: text and whole CSI
 * sequences, up to another sequence or a character that the end may cut.
 */
static size_t
stream_text_passes(const unsigned char *p, const unsigned char *end)
{
	const unsigned char	*q, *from = p;

	while ((q = memchr(from, '\033', (size_t)(end - from))) != NULL) {
		if (end - q < 3 || q[1] != '[')
			return ((size_t)(q - p));
		from = stream_scan_csi(q + 2, end);
		if (from == end || *from < 0x40 || *from >= 0x7f)
			return ((size_t)(q - p));
		from++;
	}
	if (end - from > STREAM_TEXT_CUT)
		from = end - STREAM_TEXT_CUT;
	while (from != end && *from < 0x80)
		from++;
	return ((size_t)(from - p));
}

/* Text. Returns how far it went, NULL without memory. */
static const unsigned char *
stream_text_ground(struct stream_text *t, const unsigned char *p,
    const unsigned char *end)
{
	const unsigned char	*q;
	size_t			 n;

	/* A character that is not complete takes its rest or is broken. */
	if (t->utf8.need != 0) {
		if (*p >= t->utf8.lower && *p <= t->utf8.upper) {
			if (stream_text_multibyte(t, *p) != 0)
				return (NULL);
			return (p + 1);
		}
		memset(&t->utf8, 0, sizeof t->utf8);
		if (stream_text_broken(t) != 0)
			return (NULL);
		return (p);
	}

	if (t->flags & STREAM_TEXT_ESCAPES) {
		n = stream_text_passes(p, end);
		if (n != 0) {
			if (stream_text_put(t, (const char *)p, n) != 0)
				return (NULL);
			return (p + n);
		}
	} else {
		p = stream_screen_text(&t->screen, p, end);
		if (p == NULL || p == end)
			return (p);
		n = stream_scan_printable(p, (size_t)(end - p));
		if (n != 0) {
			if (stream_screen_ascii(&t->screen, (const char *)p,
			    n) != 0)
				return (NULL);
			return (p + n);
		}
	}

	if (*p >= 0x80) {
		if (stream_text_multibyte(t, *p) != 0)
			return (NULL);
		return (p + 1);
	}
	if (*p != '\033') {
		/* A return before the end of a line has nothing to do. */
		if (*p == '\r' && end - p > 1 && p[1] == '\n')
			p++;
		if (stream_screen_control(&t->screen, *p) != 0)
			return (NULL);
		return (p + 1);
	}

	/* A CSI sequence that is all there needs no state. */
	if (~t->flags & STREAM_TEXT_ESCAPES && end - p > 2 && p[1] == '[') {
		q = stream_scan_csi(p + 2, end);
		if (q != end && *q >= 0x40 && *q < 0x7f) {
			if (stream_screen_csi(&t->screen, p + 2,
			    (size_t)(q - p - 2), *q) != 0)
				return (NULL);
			return (q + 1);
		}
	}
	t->state = STREAM_TEXT_ESCAPE;
	t->matched = -1;
	t->sequence = 1;
	if (stream_text_hold(t, *p) != 0)
		return (NULL);
	return (p + 1);
}

/*
 * The ESC of an ESC ] inside a DCS: as for marks, the DCS has no end, and the
 * OSC begins there. What was passed on already is ended by that ESC.
 */
static int
stream_text_unended(struct stream_text *t)
{
	if (t->passing) {
		if (stream_text_put(t, "\\", 1) != 0)
			return (-1);
	} else if (t->held_len != 0)
		t->held_len--;
	if (stream_text_finish(t) != 0)
		return (-1);
	t->state = STREAM_TEXT_ESCAPE;
	t->sequence = 1;
	return (stream_text_hold(t, '\033'));
}

/* A byte inside a sequence. */
static int
stream_text_byte(struct stream_text *t, unsigned char c)
{
	enum stream_utf8_result	result;
	int			dcs_data;

	if (t->state == STREAM_TEXT_DCS_ESCAPE && c == ']' &&
	    stream_text_unended(t) != 0)
		return (-1);
	dcs_data = (t->state == STREAM_TEXT_DCS_DATA ||
	    t->state == STREAM_TEXT_DCS_ESCAPE);

	/* An ESC begins anew, unless it may be that of ESC \. */
	if (c == '\033' && !dcs_data) {
		if (t->state == STREAM_TEXT_OSC) {
			t->state = STREAM_TEXT_OSC_ESCAPE;
			t->sequence++;
			return (0);
		}
		if (stream_text_finish(t) != 0)
			return (-1);
		t->state = STREAM_TEXT_ESCAPE;
		t->sequence = 1;
		return (stream_text_hold(t, c));
	}
	t->sequence++;
	if (stream_text_hold(t, c) != 0)
		return (-1);
	if ((c == 0x18 || c == 0x1a) && !dcs_data)
		return (stream_text_finish(t));

	switch (t->state) {
	case STREAM_TEXT_ESCAPE:
	case STREAM_TEXT_INTERMEDIATE:
		if (c < 0x20 && ~t->flags & STREAM_TEXT_ESCAPES)
			return (stream_screen_control(&t->screen, c));
		if (c < 0x20 || c >= 0x7f)
			return (0);
		if (c < 0x30) {
			t->state = STREAM_TEXT_INTERMEDIATE;
			return (0);
		}
		if (t->state == STREAM_TEXT_INTERMEDIATE)
			return (stream_text_finish(t));
		break;
	case STREAM_TEXT_CSI:
		if (c < 0x20 && ~t->flags & STREAM_TEXT_ESCAPES)
			return (stream_screen_control(&t->screen, c));
		if (c < 0x20 || c >= 0x7f)
			return (0);
		if (c < 0x40) {
			if (t->csi_len < STREAM_SCREEN_MAX_CSI)
				t->csi[t->csi_len] = c;
			t->csi_len++;
			return (0);
		}
		if (~t->flags & STREAM_TEXT_ESCAPES &&
		    stream_screen_csi(&t->screen, t->csi, t->csi_len, c) != 0)
			return (-1);
		return (stream_text_finish(t));
	case STREAM_TEXT_OSC:
		result = stream_utf8_next(&t->utf8, c);
		if (result == STREAM_UTF8_BROKEN)
			result = stream_utf8_next(&t->utf8, c);
		if (c == '\a' || (result == STREAM_UTF8_INVALID && c == 0x9c))
			return (stream_text_finish(t));
		if (c < 0x20 || t->matched == -1 || t->matched == 4)
			return (0);
		if (c != (unsigned char)"133;"[t->matched])
			t->matched = -1;
		else
			t->matched++;
		return (0);
	case STREAM_TEXT_DCS:
	case STREAM_TEXT_DCS_IGNORE:
	case STREAM_TEXT_DCS_DATA:
	case STREAM_TEXT_DCS_ESCAPE:
		t->string++;
		if (t->state == STREAM_TEXT_DCS_ESCAPE) {
			if (c == '\\')
				return (stream_text_finish(t));
			t->state = STREAM_TEXT_DCS_DATA;
		} else if (t->state == STREAM_TEXT_DCS_DATA) {
			if (c == '\033')
				t->state = STREAM_TEXT_DCS_ESCAPE;
		} else if (t->state == STREAM_TEXT_DCS) {
			if (c == ':')
				t->state = STREAM_TEXT_DCS_IGNORE;
			else if (c >= 0x40 && c < 0x7f)
				t->state = STREAM_TEXT_DCS_DATA;
		}
		return (0);
	default:
		t->string++;
		return (0);
	}

	/* The byte after ESC. */
	switch (c) {
	case '[':
		t->csi_len = 0;
		t->state = STREAM_TEXT_CSI;
		return (0);
	case ']':
		t->matched = 0;
		t->state = STREAM_TEXT_OSC;
		return (0);
	case 'P':
		t->string = 0;
		t->state = STREAM_TEXT_DCS;
		return (0);
	case '_':
	case '^':
	case 'X':
	case 'k':
		t->string = 0;
		t->state = STREAM_TEXT_STRING;
		return (0);
	default:
		break;
	}
	if (~t->flags & STREAM_TEXT_ESCAPES &&
	    stream_screen_escape(&t->screen, c) != 0)
		return (-1);
	return (stream_text_finish(t));
}

int
stream_text_feed(struct stream_text *t, const unsigned char *p, size_t len)
{
	const unsigned char	*end = p + len;

	if (t->dead)
		return (-1);
	while (len != 0 && p != end) {
		if (t->state == STREAM_TEXT_GROUND) {
			p = stream_text_ground(t, p, end);
			if (p == NULL)
				break;
			continue;
		}

		/* A string that does not end is given up. */
		if (t->state >= STREAM_TEXT_DCS &&
		    t->string == STREAM_TEXT_MAX_STRING) {
			if (stream_text_finish(t) != 0)
				break;
			continue;
		}

		/* An ESC in an OSC that ends nothing has begun a sequence. */
		if (t->state == STREAM_TEXT_OSC_ESCAPE) {
			if (*p == '\\') {
				if (stream_text_hold(t, '\033') != 0 ||
				    stream_text_hold(t, *p) != 0 ||
				    stream_text_finish(t) != 0)
					break;
				p++;
				continue;
			}
			if (stream_text_finish(t) != 0)
				break;
			t->state = STREAM_TEXT_ESCAPE;
			t->sequence = 1;
			if (stream_text_hold(t, '\033') != 0)
				break;
		}
		if (stream_text_byte(t, *p) != 0)
			break;
		p++;
	}
	if (len != 0 && p != end)
		t->dead = 1;
	return (t->dead ? -1 : 0);
}

void
stream_text_flush(struct stream_text *t)
{
	if (t->out_len != 0)
		t->write(t->arg, t->out, t->out_len);
	t->out_len = 0;
}

long
stream_text_end(struct stream_text *t)
{
	long	unused = 0;

	if (t->dead)
		return (-1);
	if (t->state != STREAM_TEXT_GROUND) {
		/* So long a CSI sequence is not waited for, nor with escapes. */
		unused = (long)t->sequence;
		if (t->passing || (t->state < STREAM_TEXT_OSC &&
		    t->sequence > STREAM_TEXT_HELD))
			unused = (t->state == STREAM_TEXT_OSC_ESCAPE);
	} else if (t->utf8.need != 0)
		unused = t->utf8.have;
	if (t->flags & STREAM_TEXT_FINAL && unused != 0) {
		unused = 0;
		if (t->state == STREAM_TEXT_GROUND) {
			if (stream_text_broken(t) != 0)
				t->dead = 1;
		} else {
			if (t->state == STREAM_TEXT_OSC_ESCAPE &&
			    stream_text_hold(t, '\033') != 0)
				t->dead = 1;
			if (stream_text_finish(t) != 0)
				t->dead = 1;
		}
	}
	if (!t->dead && stream_line_flush(&t->screen.line, stream_text_put, t) != 0)
		t->dead = 1;
	stream_text_flush(t);
	return (t->dead ? -1 : unused);
}

int
stream_text_blank(const struct stream_text *t)
{
	size_t	i;

	for (i = 0; i < t->out_len; i++) {
		if (strchr(" \t\n", t->out[i]) == NULL)
			return (0);
	}
	return (stream_line_blank(&t->screen.line));
}

int
stream_text_opened(const struct stream_text *t)
{
	return (t->sequence == 2 && (t->state == STREAM_TEXT_OSC ||
	    t->state == STREAM_TEXT_DCS));
}

size_t
stream_text_column(struct stream_text *t)
{
	size_t	column;

	if (t->dead || stream_line_cursor(&t->screen.line, &column) != 0)
		return (0);
	return (column);
}

int
stream_text_alternate(const struct stream_text *t)
{
	return (t->screen.left_out);
}
