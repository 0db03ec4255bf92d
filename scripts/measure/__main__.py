"""Measures tmux-custom against stock tmux of the same version.

    python3 scripts/measure speed         `cat` of 100 MB in a pane, time
    python3 scripts/measure instructions  the same of less, counted by callgrind
    python3 scripts/measure memory        idle panes, a full one, 500 panes
    python3 scripts/measure panes         what many panes cost any command
    python3 scripts/measure busy          a key and a read beside busy panes; what is left
    python3 scripts/measure prompt        what the shell integration costs a shell
    python3 scripts/measure               all of it

Both programs are compiled with the same flags from the same tarball. What the
machine does besides is in the figures of time: they are taken in turn, and only
their ratio means something. The exit status is 1 where a goal is missed.
"""

import argparse
import os
import platform
import sys
import tempfile
from pathlib import Path

import busy
import memory
import panes
import programs
import prompt
import speed

PARTS = ("speed", "instructions", "memory", "panes", "busy", "prompt")


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/measure",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=" ".join(PARTS))
    parser.add_argument("--version", help="of tmux; default: the build's default")
    parser.add_argument("--custom", type=Path, help="a tmux-custom built with -O2")
    parser.add_argument("--stock", type=Path, help="a tmux of the same version, too")
    parser.add_argument("--runs", type=int, default=9, help="of each (9)")
    parser.add_argument("--megabytes", type=int, default=100, help="of a run (100)")
    parser.add_argument(
        "--attached", action="store_true", help="with a client that shows the pane"
    )
    given = parser.parse_args()
    for part in given.parts:
        if part not in PARTS:
            parser.error(f"{part}: no such part")
    given.parts = given.parts or PARTS
    return given


def machine():
    """Describes what this runs on: without that a figure means nothing."""
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    return f"{model}, {os.cpu_count()} cores, {platform.release()}, load {load}"


def main():
    given = arguments()
    pair = programs.pair(given.version, given.custom, given.stock)
    print(f"machine: {machine()}")
    print(f"tmux {pair.version}: {pair.custom} against {pair.stock}")
    good = True
    with tempfile.TemporaryDirectory(prefix="amux-measure-") as folder:
        folder = Path(folder)
        if "speed" in given.parts:
            good &= speed.time(
                pair, folder, given.runs, given.megabytes, given.attached
            )
        if "instructions" in given.parts:
            good &= speed.instructions(pair, folder)
        if "memory" in given.parts:
            good &= memory.measure(pair, folder)
        if "panes" in given.parts:
            good &= panes.measure(pair, folder)
        if "busy" in given.parts:
            good &= busy.measure(pair, folder)
        if "prompt" in given.parts:
            good &= prompt.measure(pair, folder)
    print("all goals are met" if good else "a goal is missed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
