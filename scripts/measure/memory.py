"""What a pane costs: memory of tmux-custom beyond what stock tmux takes."""

import speed
from server import Server

KIB = 1024
MIB = 1024 * KIB

# The goals: of an idle pane, and of one whose stream is full.
IDLE = 4 * KIB
FULL = 16 * MIB

# Panes that are idle, from whose memory that of one is told.
IDLE_PANES = 200

# The panes of the last part, and what all of them may keep together: an eighth
# of the default, as writing twice of that takes its time.
PANES = 500
TOTAL = 64 * MIB

# The allocator's share, and what the two servers happen to hold otherwise. A
# full pane added 1,096, 1,120 and 1,076 KiB to stock 3.5a in three runs.
SLACK = 512 * KIB


def grown(program, file, panes, total=None):
    """Returns what panes that show a file add to a server, and their streams."""
    with Server(program) as server:
        if total is not None:
            server.tmux("set-option", "-s", "stream-total-limit", str(total))
        # The first one brings what all share.
        server.show(server.window(file))
        before = server.memory()
        for _ in range(panes):
            server.show(server.window(file))
        after = server.memory()
        # Empty in stock, which knows no such format.
        sizes = server.tmux("list-panes", "-a", "-F", "#{pane_stream_size}")
        return after - before, sum(int(size) for size in sizes.split())


def compare(pair, file, panes, total=None):
    """Returns how much more panes cost in tmux-custom, and the streams' sum."""
    stock, _ = grown(pair.stock, file, panes)
    custom, streams = grown(pair.custom, file, panes, total)
    return custom - stock, streams


def told(what, more, limit, slack=0):
    good = more <= limit + slack
    print(
        f"  {what}: {more / KIB:,.1f} KiB more than stock, goal {limit / KIB:,.0f} KiB"
        f"{'' if good else ': MISSED'}"
    )
    return good


def measure(pair, folder):
    """Prints what panes cost; returns whether the goals are met."""
    print("\nmemory")
    kib = speed.write(folder / "kib", speed.plain, KIB)
    more, _ = compare(pair, kib, IDLE_PANES)
    good = told(f"an idle pane, of {IDLE_PANES}", more / IDLE_PANES, IDLE)

    # Two are full then, one of which is counted.
    full = speed.write(folder / "full", speed.plain, 48 * MIB)
    more, streams = compare(pair, full, 1)
    good &= told("a full pane", more, FULL, SLACK)
    print(f"    its stream: {streams // 2:,} bytes")
    good &= streams == 2 * FULL

    # Together they write twice of what may be kept.
    much = speed.write(folder / "much", speed.plain, 2 * TOTAL // PANES)
    more, streams = compare(pair, much, PANES - 1, TOTAL)
    good &= told(f"{PANES} panes", more, TOTAL + PANES * IDLE, SLACK)
    print(f"    their streams: {streams / MIB:,.1f} of {TOTAL // MIB} MiB")
    good &= streams <= TOTAL
    return good
