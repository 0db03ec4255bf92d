"""One table for each case."""

import math
import statistics

FLOOR = "bare terminal, OSC 133"
SWALLOWS = "stock tmux swallows it"
TITLES = {
    "true": "`true`",
    "seq": "`seq 1 1000`",
    "megabyte": "`cat` of 1 MB",
}


def percentile(times, part):
    """Returns the smallest time that so many per cent are not above."""
    times = sorted(times)
    return times[max(0, math.ceil(len(times) * part / 100) - 1)]


def show(case, figures, missing):
    """Prints the rows, the fastest first."""
    floor = statistics.median(figures[FLOOR][0])
    print(f"\n| {TITLES[case]} | runs | median | p99 | wrong | × floor |")
    print("|---|---|---|---|---|---|")
    rows = sorted(figures.items(), key=lambda row: statistics.median(row[1][0]))
    for way, (times, wrong) in rows:
        median = statistics.median(times)
        print(
            f"| {way} | {len(times)} | {median / 1e6:.2f} ms "
            f"| {percentile(times, 99) / 1e6:.2f} ms | {len(wrong)} "
            f"| {median / floor:.2f} |"
        )
    for way, why in missing:
        print(f"| {way} | missing: {why} | | | | |")
