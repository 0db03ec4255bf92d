"""How fast a pane takes output."""

import re
import shutil
import statistics
import time as clock

from server import Server

# What tmux-custom must reach of the speed of stock.
GOAL = 0.98

# Of so many bytes the instructions are counted; valgrind takes its time.
COUNTED = 1_000_000


def plain(number):
    return f"{number:08} the quick brown fox jumps over the lazy dog and away\n"


def colours(number):
    return (
        f"\x1b[32m{number:08}\x1b[0m \x1b[1;31mERROR\x1b[0m "
        f"\x1b[36mmodule::name\x1b[0m: \x1b[38;5;{number % 256}mkey\x1b[0m="
        f"\x1b[35m{number}\x1b[0m done\n"
    )


CONTENTS = (("plain", plain), ("colours", colours))


def write(path, line, size):
    """Writes lines to a file until it has so many bytes; the last line is whole."""
    written = number = 0
    with open(path, "w", encoding="ascii") as file:
        while written < size:
            written += file.write(line(number))
            number += 1
    return path


def once(program, file, attached):
    """Returns the seconds that one `cat` takes, and those of the processor."""
    with Server(program) as server:
        if attached:
            server.attach()
        name = server.window(file)
        used = server.processor_time()
        start = clock.monotonic()
        server.show(name)
        took = clock.monotonic() - start
        return took, server.processor_time() - used


def time(pair, folder, runs, megabytes, attached):
    """Prints the ratio of speeds in time; returns whether the goal is met."""
    good = True
    how = "attached" if attached else "detached"
    print(f"\ncat of {megabytes} MB, {how}, {runs} runs each in turn")
    for content, line in CONTENTS:
        file = write(folder / content, line, megabytes * 1_000_000)
        figures = {"stock": [], "custom": []}
        for run in range(runs):
            # Who is first changes: the second finds a warmer machine.
            for name, program in pair.each()[:: 1 if run % 2 == 0 else -1]:
                figures[name].append(once(program, file, attached))
        for at, what in enumerate(("elapsed", "processor")):
            stock = [figure[at] for figure in figures["stock"]]
            custom = [figure[at] for figure in figures["custom"]]
            ratio = statistics.median(stock) / statistics.median(custom)
            print(
                f"  {content:8} {what:9} stock {spread(stock)} custom "
                f"{spread(custom)} speed {ratio:.3f} of stock"
            )
            # The server's own time is what the engine adds to. The elapsed one
            # holds whatever else the machine does.
            if what == "processor":
                good &= ratio >= GOAL
        file.unlink()
    return good


def spread(seconds):
    return (
        f"{statistics.median(seconds):.3f} s "
        f"({min(seconds):.3f} to {max(seconds):.3f})"
    )


def counted(program, file, log):
    """Returns the instructions of a server in whose pane a file is shown."""
    wrapper = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        f"--log-file={log}",
    ]
    with Server(program, wrapper) as server:
        server.show(server.window(file))
        server.tmux("kill-server")
        server.process.wait()
    return int(re.search(r"Collected : (\d+)", log.read_text()).group(1))


def instructions(pair, folder):
    """Prints the ratio of instructions; returns whether the goal is met."""
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is missing: apt-get install valgrind")
    good = True
    print(f"\ninstructions for each byte of {COUNTED:,}")
    log = folder / "callgrind.log"
    empty = write(folder / "empty", plain, 0)
    nothing = {name: counted(path, empty, log) for name, path in pair.each()}
    for content, line in CONTENTS:
        file = write(folder / content, line, COUNTED)
        count = {
            name: counted(path, file, log) - nothing[name]
            for name, path in pair.each()
        }
        ratio = count["stock"] / count["custom"]
        good &= ratio >= GOAL
        each = {name: n / file.stat().st_size for name, n in count.items()}
        print(
            f"  {content:8} stock {each['stock']:.2f} custom {each['custom']:.2f} "
            f"ratio {ratio:.4f}"
        )
    return good
