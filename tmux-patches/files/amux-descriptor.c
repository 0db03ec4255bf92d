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

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "amux-descriptor.h"

/*
 * Returns how many descriptors are in use: at least as many as are below the
 * lowest one that is free, which is the one that would come with a message.
 *
 * Up to 3.5a imsg_read asks before each message whether there is room for one.
 * tmux's own getdtablecount lists the directory of descriptors in /proc for
 * that and sorts it, which takes milliseconds where there are hundreds of panes.
 */
int
amux_descriptor_count(void)
{
	int	fd;

	if ((fd = open("/dev/null", O_RDONLY|O_CLOEXEC)) != -1) {
		close(fd);
		return (fd);
	}
	if (errno == EMFILE || errno == ENFILE)
		return (getdtablesize());
	return (0);
}
