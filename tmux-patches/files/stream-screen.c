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

#include "stream-scan.h"
#include "stream-screen.h"

/*
 * What a terminal does to the line that its cursor is on.
 */

/* Most numbers of a CSI sequence that are looked at. */
#define STREAM_SCREEN_NUMBERS 16

/*
 * Text is copied in pieces, of which so much room is asked for; and where so
 * little is left, be it room or text, it is not done so any more.
 */
#define STREAM_SCREEN_ROOM 256
#define STREAM_SCREEN_AHEAD 16

static int	stream_screen_newline(struct stream_screen *);
static int	stream_screen_vertical(struct stream_screen *, int);

int
stream_screen_ascii(struct stream_screen *screen, const char *s, size_t n)
{
	if (screen->alternate) {
		screen->left_out = 1;
		return (0);
	}
	return (stream_line_ascii(&screen->line, s, n, screen->write,
	    screen->arg));
}

/*
 * The length of a character of several bytes if it is all there and valid, and
 * none of C1; else 0. At least four bytes must be there.
 */
static inline size_t
stream_screen_length(const unsigned char *p)
{
	if (p[0] < 0xe0) {
		if (p[0] < 0xc2 || (p[1] & 0xc0) != 0x80 ||
		    (p[0] == 0xc2 && p[1] < 0xa0))
			return (0);
		return (2);
	}
	if ((p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80)
		return (0);
	if (p[0] < 0xf0) {
		if ((p[0] == 0xe0 && p[1] < 0xa0) ||
		    (p[0] == 0xed && p[1] > 0x9f))
			return (0);
		return (3);
	}
	if (p[0] > 0xf4 || (p[3] & 0xc0) != 0x80 ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return (0);
	return (4);
}

/*
 * Copies characters of several bytes, in a row and with single blanks between,
 * to out, up to a limit. Returns how far it went.
 */
static const unsigned char *
stream_screen_copy(char **out, const char *limit, const unsigned char *p,
    const unsigned char *end)
{
	char	*to = *out;
	size_t	 n;

	while (end - p >= STREAM_SCREEN_AHEAD && to <= limit) {
		n = (*p == ' ') ? 1 : stream_screen_length(p);
		if (n == 0)
			break;
		memcpy(to, p, 4);
		to += n;
		p += n;
	}
	*out = to;
	return (p);
}

const unsigned char *
stream_screen_text(struct stream_screen *screen, const unsigned char *p,
    const unsigned char *end)
{
	struct stream_line	*line = &screen->line;
	const unsigned char	*q;
	char			*room, *out;
	const char		*limit;
	size_t			 n, tabs;
	uint64_t		 mask;
	int			 plain, ended, more = 1;

	if (screen->alternate)
		return (p);
	while (more && end - p >= STREAM_SCREEN_AHEAD) {
		room = stream_line_room(line, STREAM_SCREEN_ROOM);
		if (room == NULL)
			return (p);
		out = room;
		tabs = 0;
		plain = 1;
		ended = 0;
		limit = room + STREAM_SCREEN_ROOM - STREAM_SCREEN_AHEAD;
		while (end - p >= STREAM_SCREEN_AHEAD && out <= limit) {
			memcpy(out, p, 8);
			mask = stream_scan_unprintable(stream_scan_load(p));
			if (mask == 0) {
				p += 8;
				out += 8;
				continue;
			}
			n = stream_scan_first(mask);
			p += n;
			out += n;
			if (*p == '\033' && p[1] == '[') {
				q = stream_scan_csi(p + 2, end);
				if (q != end && *q == 'm') {
					p = q + 1;
					continue;
				}
			} else if (*p == '\n' || (*p == '\r' &&
			    p[1] == '\n')) {
				p += (*p == '\n') ? 1 : 2;
				*out++ = '\n';
				stream_line_added(line, (size_t)(out - room),
				    0, plain);
				if (stream_line_flush(line, screen->write,
				    screen->arg) != 0)
					return (NULL);
				ended = 1;
				break;
			} else if (*p == '\t') {
				*out++ = '\t';
				p++;
				tabs++;
				plain = 0;
				continue;
			} else if (*p >= 0xc2) {
				q = stream_screen_copy(&out, limit, p, end);
				if (q != p) {
					p = q;
					plain = 0;
					continue;
				}
			}
			more = 0;
			break;
		}
		if (ended || out == room)
			continue;
		n = (size_t)(out - room);
		stream_line_added(line, n, n + 7 * tabs, plain);
	}
	return (p);
}

/* Ends the line. */
static int
stream_screen_newline(struct stream_screen *screen)
{
	if (stream_line_flush(&screen->line, screen->write, screen->arg) != 0)
		return (-1);
	return (screen->write(screen->arg, "\n", 1));
}

/*
 * The cursor goes to another line: what is on this one ends it, and the column
 * stays.
 */
static int
stream_screen_vertical(struct stream_screen *screen, int keep_column)
{
	size_t	col;

	if (stream_line_cursor(&screen->line, &col) != 0)
		return (-1);
	if (!stream_line_empty(&screen->line) &&
	    stream_screen_newline(screen) != 0)
		return (-1);
	return (stream_line_column(&screen->line, keep_column ? col : 0));
}

/* A control character. */
int
stream_screen_control(struct stream_screen *screen, unsigned char c)
{
	if (screen->alternate)
		return (0);
	switch (c) {
	case '\b':
		return (stream_line_left(&screen->line, 1));
	case '\t':
		return (stream_line_put(&screen->line, '\t', screen->write,
		    screen->arg));
	case '\n':
	case '\v':
	case '\f':
		return (stream_screen_newline(screen));
	case '\r':
		return (stream_line_column(&screen->line, 0));
	default:
		return (0);
	}
}

/* A character that is not ASCII. Those of C1 are controls and left out. */
int
stream_screen_character(struct stream_screen *screen, uint32_t c)
{
	if (screen->alternate) {
		screen->left_out = 1;
		return (0);
	}
	if (c < 0xa0)
		return (0);
	return (stream_line_put(&screen->line, c, screen->write, screen->arg));
}

/* A CSI sequence: its parameters and intermediates, and its last byte. */
int
stream_screen_csi(struct stream_screen *screen, const unsigned char *s,
    size_t len, unsigned char final)
{
	struct stream_line	*line = &screen->line;
	unsigned int		 numbers[STREAM_SCREEN_NUMBERS];
	unsigned int		 n = 0, count = 0;
	size_t			 i;
	int			 private, other = 0;

	if (final == 'm' || len > STREAM_SCREEN_MAX_CSI)
		return (0);
	private = (len != 0 && s[0] == '?');
	memset(numbers, 0, sizeof numbers);
	for (i = (private ? 1 : 0); i <= len; i++) {
		if (i != len && s[i] >= '0' && s[i] <= '9') {
			if (n < 100000)
				n = n * 10 + (unsigned int)(s[i] - '0');
			continue;
		}
		if (i != len && s[i] != ';')
			return (0);
		if (n == 47 || n == 1047 || n == 1049)
			other = 1;
		if (count < STREAM_SCREEN_NUMBERS)
			numbers[count++] = n;
		n = 0;
	}

	if (private && other && final == 'h')
		screen->alternate = 1;
	else if (private && other && final == 'l')
		screen->alternate = 0;
	if (private || screen->alternate)
		return (0);

	n = (numbers[0] == 0) ? 1 : numbers[0];
	switch (final) {
	case '@':
		return (stream_line_insert(line, n));
	case 'A':
	case 'B':
	case 'e':
		return (stream_screen_vertical(screen, 1));
	case 'C':
	case 'a':
		return (stream_line_right(line, n));
	case 'D':
		return (stream_line_left(line, n));
	case 'E':
	case 'F':
		return (stream_screen_vertical(screen, 0));
	case 'G':
	case '`':
		return (stream_line_column(line, n - 1));
	case 'H':
	case 'f':
		if (stream_screen_vertical(screen, 0) != 0)
			return (-1);
		n = (numbers[1] == 0) ? 1 : numbers[1];
		return (stream_line_column(line, n - 1));
	case 'I':
		for (n = (n < 128) ? n : 128; n != 0; n--) {
			if (stream_line_next_tab(line) != 0)
				return (-1);
		}
		return (0);
	case 'Z':
		for (n = (n < 128) ? n : 128; n != 0; n--) {
			if (stream_line_back_tab(line) != 0)
				return (-1);
		}
		return (0);
	case 'd':
		return (stream_screen_vertical(screen, 1));
	case 'J':
	case 'K':
		if (numbers[0] == 0)
			return (stream_line_erase_right(line));
		if (numbers[0] == 1)
			return (stream_line_erase_left(line));
		if (final == 'K' && numbers[0] == 2)
			return (stream_line_erase_all(line));
		if (final == 'J' && (numbers[0] == 2 || numbers[0] == 3))
			return (stream_screen_vertical(screen, 1));
		return (0);
	case 'P':
		return (stream_line_delete(line, n));
	case 'X':
		return (stream_line_erase(line, n));
	default:
		return (0);
	}
}

/* The byte that ends a short escape sequence. */
int
stream_screen_escape(struct stream_screen *screen, unsigned char c)
{
	if (c == 'c')
		screen->alternate = 0;
	if (screen->alternate)
		return (0);
	switch (c) {
	case 'D':
	case 'M':
		return (stream_screen_vertical(screen, 1));
	case 'E':
	case 'c':
		return (stream_screen_vertical(screen, 0));
	default:
		return (0);
	}
}
