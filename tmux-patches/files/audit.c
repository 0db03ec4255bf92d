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


#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "stream-utf8.h"

/*
 * Entries of the audit log, as a datagram and as JSON.
 */

/* Takes a field: its name and its value, which may have any bytes. */
typedef void	(*audit_field)(struct audit_text *, const char *, const char *,
		    size_t);

static const char	*audit_events[] = { "write", "read", "command" };

static void
audit_add(struct audit_text *text, const void *data, size_t size)
{
	size_t	 space = text->space;
	char	*grown;

	if (text->failed)
		return;
	if (size > SIZE_MAX / 4 - text->size) {
		text->failed = 1;
		return;
	}
	if (text->size + size > space) {
		if (space == 0)
			space = 1024;
		while (space < text->size + size)
			space *= 2;
		grown = realloc(text->data, space);
		if (grown == NULL) {
			text->failed = 1;
			return;
		}
		text->data = grown;
		text->space = space;
	}
	memcpy(text->data + text->size, data, size);
	text->size += size;
}

static void
audit_add_string(struct audit_text *text, const char *s)
{
	audit_add(text, s, strlen(s));
}

void
audit_free(struct audit_text *text)
{
	/* What was written may be nobody else's business. */
	if (text->data != NULL)
		memset(text->data, 0, text->size);
	free(text->data);
	memset(text, 0, sizeof *text);
}

void
audit_init(struct audit_entry *entry, enum audit_event event)
{
	memset(entry, 0, sizeof *entry);
	entry->event = event;
	entry->status = -1;
	entry->now = entry->bytes = AUDIT_UNKNOWN;
	entry->start = entry->end = entry->duration = AUDIT_UNKNOWN;
	entry->pid = entry->uid = AUDIT_UNKNOWN;
}

/* A value without a newline is a line; any other comes with its length. */
static void
audit_datagram_field(struct audit_text *text, const char *name,
    const char *value, size_t size)
{
	unsigned char	length[8];
	uint64_t	n = size;
	size_t		i;

	audit_add_string(text, name);
	if (memchr(value, '\n', size) == NULL)
		audit_add(text, "=", 1);
	else {
		for (i = 0; i < sizeof length; i++) {
			length[i] = n & 0xff;
			n >>= 8;
		}
		audit_add(text, "\n", 1);
		audit_add(text, length, sizeof length);
	}
	audit_add(text, value, size);
	audit_add(text, "\n", 1);
}

static int
audit_is_utf8(const char *value, size_t size)
{
	struct stream_utf8		utf8;
	enum stream_utf8_result		result = STREAM_UTF8_DONE;
	size_t				i;

	memset(&utf8, 0, sizeof utf8);
	for (i = 0; i < size; i++) {
		result = stream_utf8_next(&utf8, (unsigned char)value[i]);
		if (result == STREAM_UTF8_INVALID ||
		    result == STREAM_UTF8_BROKEN)
			return (0);
	}
	return (result == STREAM_UTF8_DONE);
}

/* A string, or where it cannot be one, an array of bytes, as journalctl does. */
static void
audit_json_field(struct audit_text *text, const char *name, const char *value,
    size_t size)
{
	char	number[8];
	size_t	i, from = 0;
	unsigned char	ch;

	audit_add_string(text, text->size == 0 ? "{\"" : ",\"");
	audit_add_string(text, name);
	audit_add_string(text, "\":");
	if (!audit_is_utf8(value, size)) {
		for (i = 0; i < size; i++) {
			snprintf(number, sizeof number, "%c%u",
			    i == 0 ? '[' : ',', (unsigned char)value[i]);
			audit_add_string(text, number);
		}
		audit_add_string(text, "]");
		return;
	}
	audit_add_string(text, "\"");
	for (i = 0; i < size; i++) {
		ch = value[i];
		if (ch >= ' ' && ch != '"' && ch != '\\' && ch != '\177')
			continue;
		audit_add(text, value + from, i - from);
		from = i + 1;
		snprintf(number, sizeof number, "\\u%04x", ch);
		audit_add_string(text, number);
	}
	audit_add(text, value + from, size - from);
	audit_add_string(text, "\"");
}

/* Cut at the limit, but not within a character. */
static void
audit_text(struct audit_text *text, audit_field field, const char *name,
    const char *value, size_t size, size_t limit)
{
	size_t	end = size, back;

	if (value == NULL)
		return;
	if (end > limit) {
		end = limit;
		for (back = 0; back < 3 && end != 0; back++, end--) {
			if (((unsigned char)value[end] & 0xc0) != 0x80)
				break;
		}
		if (((unsigned char)value[end] & 0xc0) == 0x80)
			end = limit;
	}
	field(text, name, value, end);
}

static void
audit_string(struct audit_text *text, audit_field field, const char *name,
    const char *value)
{
	if (value != NULL && *value != '\0')
		audit_text(text, field, name, value, strlen(value),
		    AUDIT_MAX_TEXT);
}

static void
audit_number(struct audit_text *text, audit_field field, const char *name,
    uint64_t value)
{
	char	number[24];
	int	size;

	if (value == AUDIT_UNKNOWN)
		return;
	size = snprintf(number, sizeof number, "%" PRIu64, value);
	field(text, name, number, (size_t)size);
}

/* One sentence for people. */
static void
audit_message(const struct audit_entry *entry, char *message, size_t size)
{
	const char	*pane = entry->pane != NULL ? entry->pane : "?";
	uint64_t	 bytes = entry->bytes;
	char		 how[64], took[48];

	if (bytes == AUDIT_UNKNOWN)
		bytes = 0;
	switch (entry->event) {
	case AUDIT_WRITE:
		if (entry->id == 0)
			snprintf(message, size, "wrote %" PRIu64 " bytes to "
			    "%.32s", bytes, pane);
		else
			snprintf(message, size, "submitted %" PRIu64 " bytes "
			    "to %.32s as command %" PRIu64, bytes, pane,
			    entry->id);
		return;
	case AUDIT_READ:
		snprintf(message, size, "read %" PRIu64 " bytes of %.32s",
		    bytes, pane);
		return;
	case AUDIT_COMMAND:
		break;
	}
	if (entry->status >= 0)
		snprintf(how, sizeof how, "exited with status %d",
		    entry->status);
	else
		snprintf(how, sizeof how, "ended without a status (%.24s)",
		    entry->ended != NULL ? entry->ended : "unknown");
	*took = '\0';
	if (entry->duration != AUDIT_UNKNOWN)
		snprintf(took, sizeof took, " after %" PRIu64 " ms",
		    entry->duration);
	snprintf(message, size, "command %" PRIu64 " in %.32s %s%s", entry->id,
	    pane, how, took);
}

static void
audit_fields(const struct audit_entry *entry, struct audit_text *text,
    audit_field field)
{
	char	message[256];

	audit_message(entry, message, sizeof message);
	audit_string(text, field, "MESSAGE", message);
	audit_string(text, field, "PRIORITY", "6");
	audit_string(text, field, "SYSLOG_IDENTIFIER", "amux");
	audit_string(text, field, "AMUX_EVENT", audit_events[entry->event]);
	audit_string(text, field, "AMUX_SOCKET", entry->socket);
	audit_string(text, field, "AMUX_SESSION", entry->session);
	audit_string(text, field, "AMUX_WINDOW", entry->window);
	audit_string(text, field, "AMUX_PANE", entry->pane);
	audit_number(text, field, "AMUX_BYTES", entry->bytes);
	audit_string(text, field, "AMUX_FLAGS", entry->flags);
	if (entry->id != 0)
		audit_number(text, field, "AMUX_COMMAND_ID", entry->id);
	audit_string(text, field, "AMUX_ENDED", entry->ended);
	if (entry->status >= 0)
		audit_number(text, field, "AMUX_EXIT_STATUS",
		    (uint64_t)entry->status);
	audit_string(text, field, "AMUX_PIPE_STATUSES", entry->pipe);
	audit_number(text, field, "AMUX_START_TIME", entry->start);
	audit_number(text, field, "AMUX_END_TIME", entry->end);
	audit_number(text, field, "AMUX_DURATION_MS", entry->duration);
	audit_number(text, field, "AMUX_CLIENT_PID", entry->pid);
	audit_number(text, field, "AMUX_CLIENT_UID", entry->uid);
	audit_text(text, field, "AMUX_PAYLOAD", entry->payload,
	    entry->payload_size, AUDIT_MAX_PAYLOAD);
	if (entry->line != NULL)
		audit_text(text, field, "AMUX_COMMAND_LINE", entry->line,
		    strlen(entry->line), AUDIT_MAX_PAYLOAD);
	if (entry->dropped != 0)
		audit_number(text, field, "AMUX_DROPPED", entry->dropped);
}

void
audit_datagram(const struct audit_entry *entry, struct audit_text *text)
{
	text->size = 0;
	text->failed = 0;
	audit_fields(entry, text, audit_datagram_field);
}

void
audit_json(const struct audit_entry *entry, struct audit_text *text)
{
	text->size = 0;
	text->failed = 0;
	/* The journal adds the time itself, by this name. */
	audit_number(text, audit_json_field, "__REALTIME_TIMESTAMP",
	    entry->now);
	audit_fields(entry, text, audit_json_field);
	audit_add_string(text, "}\n");
}
