"""A tmux server of our own, and programs in its panes."""

import fcntl
import os
import pty
import shlex
import shutil
import socket
import struct
import subprocess
import tempfile
import termios
import threading
import time
from pathlib import Path

# Long enough for a server under callgrind on a busy machine.
LONG = 1800

# What runs in a pane. It says that it is there, waits for a key, writes, and
# asks the terminal where its cursor is: tmux answers when it has taken
# everything before the question, and not earlier.
PANE = r"""
stty -echo -icanon
tmux=$1 socket=$2 name=$3 file=$4
"$tmux" -S "$socket" wait-for -S "there-$name"
IFS= read -rsn 1 _
cat "$file"
printf '\033[6n'
IFS= read -rsd R _
"$tmux" -S "$socket" wait-for -S "done-$name"
exec sleep infinity
"""


class Server:
    """A server with one session `main` of 200 by 50; use it by `with`.

    `wrapper` is the command that runs the server, such as valgrind; clients
    always run as they are.
    """

    def __init__(self, program, wrapper=()):
        self.program = program
        self.folder = Path(tempfile.mkdtemp(prefix="amux-measure-"))
        self.socket = self.folder / "s"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "SHELL": "/bin/sh",
            "TERM": "screen",
            "LC_CTYPE": "C.UTF-8",
        }
        self.process = subprocess.Popen(
            [*wrapper, program, "-D", "-S", self.socket, "-f", "/dev/null"],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.until_there()
        size = ["-x", "200", "-y", "50"]
        self.tmux("new-session", "-d", "-s", "main", *size, "exec sleep infinity")
        self.panes = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.tmux("kill-server")
            self.process.wait(LONG)
        shutil.rmtree(self.folder)

    def until_there(self):
        deadline = time.monotonic() + LONG
        while True:
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(self.socket)) == 0:
                    return
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{self.program}: the server did not start")
            time.sleep(0.01)

    def tmux(self, *arguments):
        """Runs a client and returns what it printed."""
        ended = subprocess.run(
            [self.program, "-N", "-S", self.socket, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=LONG,
        )
        if ended.returncode != 0:
            raise SystemExit(f"tmux {arguments}: {ended.stderr}")
        return ended.stdout.strip()

    def window(self, file):
        """Makes a window whose pane will show a file; returns its name."""
        self.panes += 1
        name = str(self.panes)
        command = ["bash", "-c", PANE, "pane", self.program, self.socket, name, file]
        command = " ".join(shlex.quote(str(word)) for word in command)
        self.tmux("new-window", "-t", "main:", "-n", name, f"exec {command}")
        self.tmux("wait-for", f"there-{name}")
        return name

    def show(self, name):
        """Has a pane show its file; returns when the server has taken it all."""
        self.tmux("send-keys", "-t", f"main:{name}", "x")
        self.tmux("wait-for", f"done-{name}")

    def processor_time(self):
        """Returns the seconds of a processor that the server has used."""
        path = Path(f"/proc/{self.process.pid}/schedstat")
        return int(path.read_text().split()[0]) / 1e9

    def descriptors(self):
        """Returns how many descriptors the server has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory(self):
        """Returns the bytes of memory that are the server's own."""
        path = Path(f"/proc/{self.process.pid}/smaps_rollup")
        for line in path.read_text().splitlines():
            if line.startswith("Anonymous:"):
                return int(line.split()[1]) * 1024
        raise SystemExit(f"{path} has no line Anonymous")

    def attach(self):
        """Attaches a client in a terminal of ours, which reads what it shows."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 51, 200, 0, 0))
        environment = dict(self.environment, TERM="xterm-256color")
        process = subprocess.Popen(
            [self.program, "-N", "-S", self.socket, "attach-session", "-t", "main"],
            env=environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        threading.Thread(target=drain, args=(master, process), daemon=True).start()
        deadline = time.monotonic() + LONG
        while self.tmux("list-clients") == "":
            if time.monotonic() > deadline:
                raise SystemExit("the client did not attach")
            time.sleep(0.01)


def drain(master, process):
    """Reads a terminal until nobody writes to it any more."""
    try:
        while os.read(master, 65536):
            pass
    except OSError:
        # The other side is closed: Linux says EIO.
        pass
    os.close(master)
    process.wait()
