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

#include "stream-echo.h"
#include "stream-text.h"

/*
 * The echo of what is typed at a prompt.
 */

/* No terminal is wider. */
#define STREAM_ECHO_MAX_COLUMN 1024

static void	stream_echo_write(void *, const char *, size_t);
static void	stream_echo_text(struct stream_echo *, const unsigned char *,
		    size_t);

/* Follow what comes from an offset on. */
static void
stream_echo_start(struct stream_echo *echo, uint64_t from, int alternate)
{
	stream_echo_end(echo);
	echo->active = 1;
	echo->from = from;
	echo->text = stream_text_create(alternate ? STREAM_TEXT_ALTERNATE : 0,
	    stream_echo_write, echo);
}

void
stream_echo_prompt(struct stream_echo *echo, uint64_t from, int alternate)
{
	stream_echo_start(echo, from, alternate);
	echo->prompt = 1;
}

void
stream_echo_begin(struct stream_echo *echo, uint64_t from, int alternate)
{
	char	blanks[STREAM_ECHO_MAX_COLUMN];
	size_t	column = 0;

	/* The mark breaks off what is cut before it, be it there or not yet. */
	if (echo->active)
		stream_echo_text(echo, (const unsigned char *)"\030", 1);
	if (echo->active && echo->text != NULL)
		column = stream_text_column(echo->text);
	stream_echo_start(echo, from, alternate);

	/* Marks on a line without an end would else cost more and more. */
	if (column > sizeof blanks)
		column = sizeof blanks;
	memset(blanks, ' ', column);
	stream_echo_text(echo, (const unsigned char *)blanks, column);
}

void
stream_echo_end(struct stream_echo *echo)
{
	stream_text_free(echo->text);
	memset(echo, 0, sizeof *echo);
	echo->newline = UINT64_MAX;
}

/* Text of the line. */
static void
stream_echo_write(void *arg, const char *s, size_t n)
{
	struct stream_echo	*echo = arg;
	size_t			 i;

	for (i = 0; i < n && echo->count < 3; i++) {
		if (s[i] == ' ' || s[i] == '\t' || s[i] == '\n')
			continue;
		if (echo->count < 2)
			echo->first[echo->count] = s[i];
		echo->count++;
	}
}

/* Renders bytes; without memory the line is no longer known. */
static void
stream_echo_text(struct stream_echo *echo, const unsigned char *buf,
    size_t len)
{
	if (echo->text == NULL)
		return;
	if (stream_text_feed(echo->text, buf, len) != 0) {
		stream_text_free(echo->text);
		echo->text = NULL;
	}
}

void
stream_echo_feed(struct stream_echo *echo, const unsigned char *buf,
    size_t len, uint64_t offset, uint64_t now)
{
	const unsigned char	*newline;
	int			 known;

	if (!echo->active || offset + len <= echo->from)
		return;
	if (offset < echo->from) {
		buf += echo->from - offset;
		len -= (size_t)(echo->from - offset);
		offset = echo->from;
	}
	if (echo->prompt) {
		if (offset + len - echo->from > STREAM_ECHO_MAX_PROMPT)
			stream_echo_end(echo);
		else
			stream_echo_text(echo, buf, len);
		return;
	}
	newline = memchr(buf, '\n', len);
	if (newline != NULL)
		len = (size_t)(newline - buf);
	stream_echo_text(echo, buf, len);
	if (newline == NULL)
		return;

	/*
	 * Ctrl-C at an empty prompt is echoed as ^C and types nothing. Where
	 * the line is not known for want of memory, it counts as typed.
	 */
	known = (echo->text != NULL && stream_text_end(echo->text) >= 0);
	echo->typed = !known || (echo->count != 0 &&
	    !(echo->count == 2 && memcmp(echo->first, "^C", 2) == 0));
	echo->newline = offset + len + 1;
	echo->newline_time = now;
	echo->active = 0;
	stream_text_free(echo->text);
	echo->text = NULL;
}

int
stream_echo_empty(const struct stream_echo *echo)
{
	if (!echo->active || echo->prompt || echo->text == NULL ||
	    echo->count != 0)
		return (0);
	return (stream_text_blank(echo->text));
}
