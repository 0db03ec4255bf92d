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

#include "stream-screen.h"

/*
 * What a terminal does to the line that its cursor is on.
 */

/* Most numbers of a CSI sequence that are looked at. */
#define STREAM_SCREEN_NUMBERS 16

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
