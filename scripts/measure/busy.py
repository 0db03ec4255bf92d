"""What one pane notices of the others, and what is left of those that have gone."""

import statistics
import time

import wire
from server import Server

CALLS = 200
FULL = 20
MIB = 1 << 20
# How long reading a pane may take while another writes without end.
READING = 0.050
# Windows that come and go, and as many descriptors as may be there by chance.
GONE, BATCH, SPARE = 1000, 50, 5


def echoed(server, pane, end):
    """Presses a key, and waits for its echo; returns the seconds and the end."""
    since = time.perf_counter()
    wire.call(server.socket, "write-pane", "-n", "-t", pane, "x")
    read = ["read-pane", "-w", "-r", "-a", str(end), "-F", "#{read_end}"]
    answer = wire.call(server.socket, *read, "-t", pane)
    return time.perf_counter() - since, int(answer.split("\n", 1)[0])


def keys(server):
    """Returns the median of what a key takes to its echo, in milliseconds."""
    server.tmux("new-window", "-d", "-t", "main:", "-n", "cat", "stty -icanon; exec cat")
    pane = "main:cat"
    size = ["display-message", "-p", "-t", pane, "#{pane_stream_size}"]
    end = int(wire.call(server.socket, *size))
    times = []
    for _ in range(CALLS):
        took, end = echoed(server, pane, end)
        times.append(took)
    server.tmux("kill-window", "-t", pane)
    return 1000 * statistics.median(times)


def full_streams(pair, folder):
    """Prints what a key takes beside empty streams and beside full ones."""
    path = folder / "much"
    with open(path, "w", encoding="ascii") as file:
        for number in range(17 * MIB // 64):
            file.write(f"{number:063}\n")
    with Server(pair.custom) as server:
        empty = keys(server)
        for _ in range(FULL):
            server.show(server.window(path))
        full = keys(server)
    print(f"  a key, to its echo: {empty:.3f} ms, with {FULL} full streams {full:.3f} ms")
    # A noisy machine alone makes it twice as long at times.
    return full < 3 * empty


def without_end(pair):
    """Prints what reading a pane takes while another writes without end."""
    with Server(pair.custom) as server:
        server.tmux("new-window", "-d", "-t", "main:", "-n", "yes", "exec yes")
        server.tmux("new-window", "-d", "-t", "main:", "-n", "other", "echo here; exec cat")
        times = []
        for _ in range(CALLS):
            since = time.perf_counter()
            wire.call(server.socket, "read-pane", "-t", "main:other")
            times.append(time.perf_counter() - since)
    times.sort()
    most = times[CALLS * 99 // 100 - 1]
    print(
        f"  reading beside `yes`: {1000 * statistics.median(times):.3f} ms, "
        f"99 of 100 within {1000 * most:.3f} ms, goal {1000 * READING:.0f} ms"
    )
    return most < READING


def descriptors(pair):
    """Prints what descriptors are left of panes that have gone."""
    with Server(pair.custom) as server:
        before = server.descriptors()
        for _ in range(GONE // BATCH):
            many = []
            for _ in range(BATCH):
                many += [";", "new-window", "-d", "-t", "main:", "exec true"]
            server.tmux(*many[1:])
        deadline = time.monotonic() + 60
        while server.tmux("list-windows", "-F", "x") != "x":
            if time.monotonic() > deadline:
                raise SystemExit("windows stay")
            time.sleep(0.01)
        after = server.descriptors()
    print(f"  descriptors: {before}, and {after} after {GONE} panes")
    return after <= before + SPARE


def measure(pair, folder):
    """Prints it all; returns whether the goals are met."""
    print("\none pane among others, tmux-custom")
    good = full_streams(pair, folder)
    good &= without_end(pair)
    good &= descriptors(pair)
    return good
