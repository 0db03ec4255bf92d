"""Those that play: the program of Rust with its ways, and ours in Python."""

import json
import os
import subprocess
import time
from pathlib import Path

import programs
from table import FLOOR, SWALLOWS


def build(version, custom, stock):
    """Builds what is not given; returns both tmux and the program of Rust."""
    pair = programs.pair(version, custom, stock)
    environment = dict(os.environ)
    if custom is not None:
        environment["AMUX_BUILD_TMUX"] = str(pair.custom)
    messages = subprocess.run(
        ["cargo", "bench", "--bench=controller", "--no-run", "--message-format=json"],
        cwd=programs.ROOT,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    for line in messages.splitlines():
        message = json.loads(line)
        if message.get("target", {}).get("name") == "controller":
            return pair, Path(message["executable"])
    raise SystemExit("cargo bench names no program")


def at_home(folder):
    """Has all that is started live where no start-up file of somebody's is."""
    os.environ.update(HOME=str(folder), TERM="screen")
    for name in ("TMUX", "TMUX_PANE", "BASH_ENV", "PROMPT_COMMAND"):
        os.environ.pop(name, None)


class Rust:
    """`controller serve`: a line asks, a line answers."""

    def __init__(self, program, folder, pair, only):
        self.process = subprocess.Popen(
            [program, "serve", folder, pair.custom, pair.stock],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        ways = self.answer().split("|")
        self.ways = [way for way in ways if only is None or only in way or way == FLOOR]

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"controller ended: {self.process.wait()}")
        return line.rstrip("\n")

    def plays(self, way, case):
        return case == "megabyte" or way != SWALLOWS

    def run(self, way, case, count):
        print(way, case, count, sep="|", file=self.process.stdin)
        for one in self.answer().split():
            nanoseconds, right = one.split(":")
            yield int(nanoseconds), right == "1"

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Python:
    """A way in Python; `once` runs a command and returns its output."""

    name = None

    def __init__(self, folder, stock):
        self.ways = [self.name]
        numbers = "".join(f"{number}\n" for number in range(1, 1001))
        file = folder / "megabyte"
        self.cases = {
            "true": ("true", ""),
            "seq": ("seq 1 1000", numbers),
            "megabyte": (f"cat {file}", file.read_text(encoding="ascii")),
        }
        self.begin(folder, stock)

    def plays(self, _way, _case):
        return True

    def before(self):
        """What is not measured."""

    def run(self, _way, case, count):
        text, expected = self.cases[case]
        for _ in range(count):
            self.before()
            since = time.perf_counter_ns()
            output = self.once(text)
            yield time.perf_counter_ns() - since, output == expected


class Libtmux(Python):
    """Markers around the output, looked for every 50 ms.

    That is what libtmux's documentation shows under "Capturing output between
    markers", with the history in which a long output is.
    """

    name = "libtmux, as documented"

    def begin(self, folder, stock):
        import libtmux

        # Room for the longest output.
        configuration = folder / "libtmux.conf"
        configuration.write_text("set-option -g history-limit 50000\n")
        self.server = libtmux.Server(
            socket_path=str(folder / type(self).__name__),
            config_file=str(configuration),
            tmux_bin=str(stock),
        )
        session = self.server.new_session(
            session_name="main",
            x=200,
            y=24,
            window_command="exec bash --norc -i",
        )
        self.pane = session.active_window.active_pane
        self.number = 0
        # Its prompt is there then.
        self.once("true")

    def typed(self, text):
        self.number += 1
        begin, end = f"BEGIN{self.number}", f"END{self.number}"
        # A quote in each, so that the line that is typed is no marker.
        line = f"echo BEG''IN{self.number}; {text}; echo EN''D{self.number}"
        return line, begin, end

    def before(self):
        self.pane.reset()

    def between(self, begin, end):
        lines = self.pane.capture_pane(start="-", join_wrapped=True)
        lines = [line.rstrip(" ") for line in lines]
        try:
            first = lines.index(begin)
            last = lines.index(end, first + 1)
        except ValueError:
            return None
        return "".join(f"{line}\n" for line in lines[first + 1 : last])

    def once(self, text):
        line, begin, end = self.typed(text)
        self.pane.send_keys(line)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            output = self.between(begin, end)
            if output is not None:
                return output
            time.sleep(0.05)
        return None

    def close(self):
        self.server.kill()


class LibtmuxChannel(Libtmux):
    """The same with a `wait-for` channel, which libtmux also has: no polling."""

    name = "libtmux, wait-for channel"

    def once(self, text):
        line, begin, end = self.typed(text)
        signal = f"{self.server.tmux_bin} -S {self.server.socket_path} wait-for -S ended"
        self.pane.send_keys(f"{line}; {signal}")
        self.server.wait_for("ended")
        return self.between(begin, end)


class Replwrap(Python):
    """pexpect's replwrap with its defaults: no emulator, a prompt to wait for."""

    name = "pexpect, replwrap"

    def begin(self, _folder, _stock):
        from pexpect import replwrap

        self.shell = replwrap.bash()

    def once(self, text):
        return self.shell.run_command(text).replace("\r\n", "\n")

    def close(self):
        self.shell.child.close(force=True)


PYTHON = (Libtmux, LibtmuxChannel, Replwrap)
