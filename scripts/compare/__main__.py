"""Compares ways to run a command and to have its output and exit status.

    python3 scripts/compare              one table from one run
    python3 scripts/compare --build      builds what is compared, and no more

The ways that are written in Rust are in benches/controller.rs, those in Python
beside this file. libtmux and pexpect may be missing; the table says so then:

    python3 -m venv target/compare
    target/compare/bin/pip install libtmux pexpect
    target/compare/bin/python scripts/compare

All ways take turns, so that whatever else the machine does meets all of them.
Only ratios within one table mean something.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "measure"))

import goals
import table
from machine import machine
from players import PYTHON, Rust, at_home, build

# How many rounds, and how often each way runs in a round, by case.
CASES = {"true": (1.0, 5), "seq": (0.5, 5), "megabyte": (0.2, 2)}


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--build", action="store_true", help="build, and end")
    parser.add_argument("--version", help="of tmux; default: the build's default")
    parser.add_argument("--custom", type=Path, help="a tmux-custom built with -O2")
    parser.add_argument("--stock", type=Path, help="a tmux of the same version, too")
    parser.add_argument("--rounds", type=int, default=60, help="of `true` (60)")
    parser.add_argument("--only", help="ways whose name holds this, and the floor")
    return parser.parse_args()


def play(players, rounds):
    """Returns for each case and way the nanoseconds and how many were wrong."""
    figures = {case: {} for case in CASES}
    for case, (share, count) in CASES.items():
        for _ in range(max(2, round(rounds * share))):
            # Another order each time: the one behind a slow one meets a machine
            # that has gone to sleep.
            turn = [(p, way) for p in players for way in p.ways if p.plays(way, case)]
            random.shuffle(turn)
            for player, way in turn:
                times, wrong = figures[case].setdefault(way, ([], []))
                for nanoseconds, right in player.run(way, case, count):
                    times.append(nanoseconds)
                    if not right:
                        wrong.append(nanoseconds)
    return figures


def main():
    given = arguments()
    pair, program = build(given.version, given.custom, given.stock)
    if given.build:
        return 0
    random.seed(1)
    print(f"machine: {machine()}")
    print(f"tmux {pair.version}: {pair.custom}, stock {pair.stock}")
    with tempfile.TemporaryDirectory(prefix="amux-compare-") as folder:
        folder = Path(folder)
        at_home(folder)
        players, missing = [Rust(program, folder, pair, given.only)], []
        for kind in PYTHON:
            if given.only and given.only not in kind.name:
                continue
            try:
                players.append(kind(folder, pair.stock))
            except ImportError as error:
                missing.append((kind.name, str(error)))
        try:
            figures = play(players, given.rounds)
        finally:
            for player in reversed(players):
                player.close()
    for case in CASES:
        table.show(case, figures[case], missing)
    print(f"\nmachine afterwards: {machine()}")
    return 0 if goals.told(figures) else 1


if __name__ == "__main__":
    sys.exit(main())
