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
#include "stream-utf8.h"

/*
 * The payload of an OSC 133 mark.
 */

static int	 stream_mark_hex(char);
static int	 stream_mark_number(const char *);
static size_t	 stream_mark_digits(const char *, size_t, int,
		     unsigned long *);
static size_t	 stream_mark_escape(const char *, char *, size_t *);
static char	*stream_mark_unquote(char *);
static void	 stream_mark_unpercent(char *);
static void	 stream_mark_pipe(const char *, struct osc133_mark *);
static void	 stream_mark_option(const char *, char *, int,
		     struct osc133_mark *);

static int
stream_mark_hex(char c)
{
	if (c >= '0' && c <= '9')
		return (c - '0');
	if (c >= 'a' && c <= 'f')
		return (c - 'a' + 10);
	if (c >= 'A' && c <= 'F')
		return (c - 'A' + 10);
	return (-1);
}

/* A number from 0 to 255 and nothing else, or -1. */
static int
stream_mark_number(const char *s)
{
	int	n = 0;

	if (*s == '\0')
		return (-1);
	for (; *s != '\0'; s++) {
		if (*s < '0' || *s > '9')
			return (-1);
		n = n * 10 + (*s - '0');
		if (n > 255)
			return (-1);
	}
	return (n);
}

/* Reads at most so many digits of a base; returns how many there were. */
static size_t
stream_mark_digits(const char *s, size_t max, int base, unsigned long *value)
{
	size_t	n;
	int	digit;

	*value = 0;
	for (n = 0; n < max; n++) {
		digit = stream_mark_hex(s[n]);
		if (digit == -1 || digit >= base)
			break;
		*value = *value * (unsigned long)base + (unsigned long)digit;
	}
	return (n);
}

/*
 * One escape of $'...', s being after the backslash. Writes its bytes and
 * returns how many were read. A NUL cannot be part of a command line and
 * writes nothing.
 */
static size_t
stream_mark_escape(const char *s, char *out, size_t *outlen)
{
	static const char	 names[] = "abeEfnrtv\\'\"?";
	static const char	 values[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	const char		*name;
	unsigned long		 value;
	size_t			 n, used;

	if (*s == '\0') {
		out[0] = '\\';
		*outlen = 1;
		return (0);
	}
	name = strchr(names, *s);
	if (name != NULL) {
		out[0] = values[name - names];
		*outlen = 1;
		return (1);
	}
	used = 1;
	switch (*s) {
	case 'x':
		n = stream_mark_digits(s + 1, 2, 16, &value);
		break;
	case 'u':
		n = stream_mark_digits(s + 1, 4, 16, &value);
		break;
	case 'U':
		n = stream_mark_digits(s + 1, 8, 16, &value);
		break;
	case 'c':
		n = (s[1] != '\0');
		value = (unsigned char)s[1] & 0x1f;
		break;
	default:
		used = 0;
		n = stream_mark_digits(s, 3, 8, &value);
		break;
	}
	if (n == 0) {
		out[0] = '\\';
		out[1] = *s;
		*outlen = 2;
		return (1);
	}
	if (*s == 'u' || *s == 'U') {
		/* Its UTF-8 is never longer than the escape. */
		if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
			value = 0xfffd;
		*outlen = 0;
		if (value != 0)
			*outlen = stream_utf8_encode(out, (uint32_t)value);
	} else {
		out[0] = (char)(value & 0xff);
		*outlen = (out[0] != '\0');
	}
	return (used + n);
}

/*
 * Takes the quoting of printf %q off, in place, up to a ; that is not quoted.
 * What comes out is never longer than what went in. Returns the place of the
 * ; or NULL if the value went to the end.
 */
static char *
stream_mark_unquote(char *value)
{
	char	*in = value, *out = value, *end, quote = '\0', part[4];
	size_t	 n;
	int	 escapes = 0;

	for (; *in != '\0'; in++) {
		if (quote == '\0' && *in == ';')
			break;
		if (quote == '\0' && in[0] == '$' && in[1] == '\'') {
			quote = '\'';
			escapes = 1;
			in++;
		} else if (quote == '\0' && (*in == '\'' || *in == '"')) {
			quote = *in;
			escapes = 0;
		} else if (*in == quote)
			quote = '\0';
		else if (*in == '\\' && quote == '\'' && escapes) {
			in += stream_mark_escape(in + 1, part, &n);
			memcpy(out, part, n);
			out += n;
		} else if (*in == '\\' && quote != '\'' && in[1] != '\0' &&
		    (quote == '\0' || strchr("$`\"\\", in[1]) != NULL))
			*out++ = *++in;
		else
			*out++ = *in;
	}
	end = (*in == ';') ? in : NULL;
	*out = '\0';
	return (end);
}

/* Replaces %XX in place; what is no such thing stays. */
static void
stream_mark_unpercent(char *value)
{
	char	*in, *out = value, c;

	for (in = value; *in != '\0'; in++) {
		c = *in;
		if (c == '%' && stream_mark_hex(in[1]) != -1 &&
		    stream_mark_hex(in[2]) != -1) {
			c = (char)(stream_mark_hex(in[1]) * 16 +
			    stream_mark_hex(in[2]));
			in += 2;
			if (c == '\0')
				continue;
		}
		*out++ = c;
	}
	*out = '\0';
}

/* Statuses with commas between them; none if one of them is none. */
static void
stream_mark_pipe(const char *value, struct osc133_mark *mark)
{
	const char	*next;
	char		 number[4];
	size_t		 len;
	int		 status;

	mark->npipe = 0;
	for (; value != NULL; value = next) {
		next = strchr(value, ',');
		len = (next != NULL) ? (size_t)(next - value) : strlen(value);
		if (next != NULL)
			next++;
		status = -1;
		if (len < sizeof number) {
			memcpy(number, value, len);
			number[len] = '\0';
			status = stream_mark_number(number);
		}
		if (status == -1) {
			mark->npipe = 0;
			return;
		}
		if (mark->npipe < OSC133_MAX_PIPE)
			mark->pipe[mark->npipe++] = (unsigned char)status;
	}
}

/* One option. A value that is cut is of use only for a command line. */
static void
stream_mark_option(const char *key, char *value, int cut,
    struct osc133_mark *mark)
{
	if (strcmp(key, "cmdline_url") == 0) {
		stream_mark_unpercent(value);
		mark->cmdline = value;
	} else if (cut)
		return;
	else if (strcmp(key, "aid") == 0)
		mark->aid = value;
	else if (strcmp(key, "k") == 0) {
		mark->prompt = '\0';
		if (*value != '\0' && value[1] == '\0' &&
		    strchr("icsr", *value) != NULL)
			mark->prompt = *value;
	} else if (strcmp(key, "w") == 0) {
		mark->flags &= ~OSC133_WAITING;
		if (strcmp(value, "1") == 0)
			mark->flags |= OSC133_WAITING;
	} else if (strcmp(key, "err") == 0) {
		mark->flags &= ~OSC133_ERROR;
		if (*value != '\0')
			mark->flags |= OSC133_ERROR;
	} else if (strcmp(key, "pipe") == 0)
		stream_mark_pipe(value, mark);
}

int
stream_mark_parse(char *payload, size_t len, unsigned int flags,
    struct osc133_mark *mark)
{
	char	*field, *next, *value;
	int	 first;

	if (len == 0 || payload[0] == '\0' ||
	    strchr("ABCDILNP", payload[0]) == NULL)
		return (-1);
	if (len > 1 && payload[1] != ';')
		return (-1);
	payload[len] = '\0';

	memset(mark, 0, sizeof *mark);
	mark->kind = payload[0];
	mark->flags = flags;
	mark->status = OSC133_STATUS_ABSENT;

	first = 1;
	for (field = (len > 1) ? payload + 2 : NULL; field != NULL;
	    field = next) {
		if (strncmp(field, "cmdline=", 8) == 0) {
			next = stream_mark_unquote(field + 8);
			mark->cmdline = field + 8;
			first = 0;
			if (next != NULL)
				next++;
			continue;
		}
		next = strchr(field, ';');
		if (next != NULL)
			*next++ = '\0';
		value = strchr(field, '=');
		if (value != NULL) {
			*value++ = '\0';
			stream_mark_option(field, value,
			    next == NULL && (flags & OSC133_CUT), mark);
		} else if (first && mark->kind == 'D' && *field != '\0') {
			mark->status = stream_mark_number(field);
			if (mark->status == -1)
				mark->status = OSC133_STATUS_INVALID;
		}
		first = 0;
	}
	return (0);
}
