"""What many panes cost a command that has nothing to do with them."""

import statistics
import time

import wire
from server import Server

COUNTS = (1, 100, 500)
# A command with 500 panes may take so long, in milliseconds.
GOAL = 1.0
CALLS = 300


def filled(server, panes):
    """Makes windows until there are so many panes. Nothing runs in them."""
    there = int(server.tmux("list-panes", "-a").count("\n")) + 1
    for first in range(there, panes, 50):
        many = []
        for _ in range(first, min(first + 50, panes)):
            many += [";", "new-window", "-d", "-t", "main:", "exec sleep infinity"]
        server.tmux(*many[1:])


def once(server):
    """Returns the seconds that a command takes."""
    since = time.perf_counter()
    if wire.call(server.socket, "display-message", "-p", "here") != "here\n":
        raise SystemExit("another answer")
    return time.perf_counter() - since


def measure(pair, _folder):
    """Prints what a command takes; returns whether the goal is met."""
    print(f"\na command over the socket, median of {CALLS} in turn")
    good = True
    with Server(pair.stock) as stock, Server(pair.custom) as custom:
        servers = {"stock": stock, "custom": custom}
        for panes in COUNTS:
            times = {name: [] for name in servers}
            used = {}
            for name, server in servers.items():
                filled(server, panes)
                once(server)
                used[name] = -server.processor_time()
            for _ in range(CALLS):
                for name, server in servers.items():
                    times[name].append(once(server))
            shown = []
            for name, server in servers.items():
                used[name] += server.processor_time()
                milliseconds = 1000 * statistics.median(times[name])
                each = 1000 * used[name] / CALLS
                shown.append(f"{name} {milliseconds:.3f} ms ({each:.3f} ms processor)")
            print(f"  {panes:4} panes: {', '.join(shown)}")
            if panes == COUNTS[-1] and milliseconds >= GOAL:
                good = False
                print(f"    goal: under {GOAL} ms in tmux-custom: MISSED")
    return good
