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

#include <sys/types.h>

#include <stdlib.h>

#include "tmux.h"
#include "amux-hooks.h"

/*
 * What a client may do, and the status it exits with.
 */

/*
 * May the client that sends this item change anything? A read-only one may
 * not, by whatever route its command came.
 */
int
amux_client_refused(struct cmdq_item *item)
{
	struct client	*c = cmdq_get_client(item);

	if (c == NULL || (~c->flags & CLIENT_READONLY))
		return (0);
	cmdq_error(item, "client is read-only");
	return (1);
}

/*
 * May this send-keys run? From 3.7 on a read-only client may use it: to move
 * about in copy mode, as long as it is itself the client that the command is
 * for, since that client's flag is the one that copy mode looks at.
 */
int
amux_client_keys_refused(struct cmdq_item *item, struct args *args)
{
	struct client	*c = cmdq_get_client(item);

	if (args_has(args, 'X') && cmdq_get_target_client(item) == c)
		return (0);
	return (amux_client_refused(item));
}

static enum cmd_retval
amux_client_read_only(struct cmdq_item *item, __unused void *data)
{
	struct client	*c = cmdq_get_client(item);

	cmdq_guard(item, "begin", 1);
	control_write(c, "client is read-only");
	cmdq_guard(item, "error", 1);
	return (CMD_RETURN_NORMAL);
}

/*
 * Must a line of a control client be refused? Up to 3.8 control mode does not
 * test the read-only flag, which server_client_dispatch_command does for every
 * other client. A line that does not parse is left to control mode, which says
 * so. One that is refused has been freed.
 */
int
amux_client_control_refused(struct client *c, char *line)
{
	struct cmd_parse_result	*pr;
	int			 allowed;

	if (~c->flags & CLIENT_READONLY)
		return (0);
	pr = cmd_parse_from_string(line, NULL);
	if (pr->status != CMD_PARSE_SUCCESS) {
		free(pr->error);
		return (0);
	}
	allowed = cmd_list_all_have(pr->cmdlist, CMD_READONLY);
	cmd_list_free(pr->cmdlist);
	if (allowed)
		return (0);
	cmdq_append(c, cmdq_get_callback(amux_client_read_only, NULL));
	free(line);
	return (1);
}

/*
 * A client is told to exit. The message for a server that exits carries no
 * status, so a command that had failed would look like success: tell an
 * unattached client its status instead.
 */
void
amux_client_exit(struct client *c)
{
	amux_event_flush();
	if (c->exit_type == CLIENT_EXIT_SHUTDOWN && c->session == NULL &&
	    (~c->flags & CLIENT_CONTROL) && c->retval != 0)
		c->exit_type = CLIENT_EXIT_RETURN;
}
