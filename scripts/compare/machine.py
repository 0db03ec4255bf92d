"""What this runs on: without that a figure means nothing."""

import os
import platform
from pathlib import Path


def machine():
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}, load {load}"
