"""What is to be reached, and whether it was."""

import statistics

from table import FLOOR, SWALLOWS

SOCKET = "amux patched, socket"
STOCK = "amux stock, socket"
LIBTMUX = "libtmux, as documented"


def told(figures):
    """Prints each goal that can be looked at; returns whether all are met."""
    print()
    good = True
    for case, way, than, limit in (
        ("true", SOCKET, FLOOR, 2),
        ("true", STOCK, FLOOR, 5),
        ("megabyte", SOCKET, SWALLOWS, 1.1),
    ):
        good &= at_most(figures[case], way, than, limit, case)
    ways = figures["true"]
    if SOCKET in ways and LIBTMUX in ways:
        ratio = median(ways[LIBTMUX]) / median(ways[SOCKET])
        good &= ratio >= 20
        print(f"goal: {SOCKET} 20 times faster than {LIBTMUX}: {ratio:.1f} times")
    wrong = sum(
        len(row[1])
        for ways in figures.values()
        for way, row in ways.items()
        if way.startswith("amux")
    )
    good &= wrong == 0
    print(f"goal: no wrong answer of amux: {wrong}")
    return good


def at_most(ways, way, than, limit, case):
    if way not in ways or than not in ways:
        return True
    ratio = median(ways[way]) / median(ways[than])
    says = "met" if ratio <= limit else "MISSED"
    print(f"goal: {case}, {way}: at most {limit} × {than}: {ratio:.2f}, {says}")
    return ratio <= limit


def median(row):
    return statistics.median(row[0])
