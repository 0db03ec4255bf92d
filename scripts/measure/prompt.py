"""What the shell integration costs a shell, by startup file."""

import os
import select
import shlex
import shutil
import statistics
import termios
import time
from pathlib import Path

from programs import ROOT
from server import Server

INTEGRATION = ROOT / "tmux-patches/shell/amux.bash"

# Windows of each kind, and prompts in each.
WINDOWS = 5
PROMPTS = 40

# Long enough for a busy machine.
LONG = 60

# Which of the figures is the time until a prompt is there.
ELAPSED = 2

HOOK = "hook() { local status=$?; last=$status; return $status; }\n"


def files():
    """Returns startup files: a name, and the text or why there is none."""
    skeleton = Path("/etc/skel/.bashrc")
    preexec = os.environ.get("AMUX_TEST_BASH_PREEXEC")
    direnv, starship = shutil.which("direnv"), shutil.which("starship")
    yield "none", ""
    yield (
        "Debian's `.bashrc`",
        skeleton.read_text() if skeleton.exists() else None,
    )
    yield "`set -u`", "set -u\n"
    kept = '"hook${PROMPT_COMMAND:+;$PROMPT_COMMAND}"'
    yield "a hook, `PROMPT_COMMAND` a string", f"{HOOK}PROMPT_COMMAND={kept}\n"
    yield "a hook, `PROMPT_COMMAND` an array", f"{HOOK}PROMPT_COMMAND+=(hook)\n"
    yield "`PROMPT_COMMAND` assigned", f"{HOOK}PROMPT_COMMAND=hook\n"
    yield (
        "PS1 made by a function",
        "make() { PS1=\"[$?] $(echo \"${PWD##*/}\") $ \"; }\n"
        + 'PROMPT_COMMAND="make${PROMPT_COMMAND:+;$PROMPT_COMMAND}"\n',
    )
    yield "bash-preexec", f". {shlex.quote(preexec)}\n" if preexec else None
    yield "direnv", f'eval "$({shlex.quote(direnv)} hook bash)"\n' if direnv else None
    yield (
        "starship",
        f'eval "$({shlex.quote(starship)} init bash)"\n' if starship else None,
    )


class Shell:
    """A login shell in a window, with a startup file."""

    def __init__(self, server, home, integrated, number):
        self.server = server
        self.gate = home / "gate"
        self.name = f"main:{number}"
        # For reading and writing: the shell waits for nobody when it opens it.
        self.open = os.open(self.gate, os.O_RDWR | os.O_NONBLOCK)
        environment = [f"HOME={home}"]
        if integrated:
            environment += [
                f'PROMPT_COMMAND=. "{INTEGRATION}"',
                f"AMUX_TMUX={server.program}",
                "AMUX_RECORD=1",
            ]
        given = [word for line in environment for word in ("-e", line)]
        since = time.monotonic()
        told = server.tmux(
            *("new-window", "-d", "-P", "-F", "#{pane_pid} #{pane_tty}"),
            *("-t", self.name, "-c", home, *given),
        )
        self.pid, tty = told.split()
        self.tty = os.open(tty, os.O_RDONLY | os.O_NOCTTY)
        self.command()
        self.first = time.monotonic() - since
        self.until_prompt()

    def end(self):
        os.close(self.tty)
        os.close(self.open)
        self.server.tmux("kill-window", "-t", self.name)

    def command(self):
        """Types a command that starts no process; returns when it has run."""
        # A blank in front, as some keep a history.
        line = f" echo >{shlex.quote(str(self.gate))}"
        self.server.tmux("send-keys", "-t", self.name, line, "Enter")
        if not select.select([self.open], [], [], LONG)[0]:
            raise SystemExit(f"{self.name}: the shell does not answer")
        os.read(self.open, 4096)

    def until_prompt(self):
        """Returns when the shell reads keys: a terminal has lines until then."""
        deadline = time.monotonic() + LONG
        while termios.tcgetattr(self.tty)[3] & termios.ICANON:
            if time.monotonic() > deadline:
                raise SystemExit(f"{self.name}: no prompt comes")
            time.sleep(0.0002)

    def used(self):
        """Returns the seconds of a processor of the shell and its children."""
        folder = Path("/proc") / self.pid
        own = int((folder / "schedstat").read_text().split()[0]) / 1e9
        fields = (folder / "stat").read_text().rpartition(") ")[2].split()
        # cutime and cstime, the fields 16 and 17; the first of these is the third.
        children = int(fields[13]) + int(fields[14])
        return own + children / os.sysconf("SC_CLK_TCK")

    def prompts(self):
        """Returns what a prompt takes: of a processor, and until it is there."""
        used, elapsed = self.used(), []
        for _ in range(PROMPTS):
            self.command()
            since = time.monotonic()
            self.until_prompt()
            elapsed.append(time.monotonic() - since)
        return (self.used() - used) / PROMPTS, statistics.median(elapsed)


def figures(servers, home):
    """Returns the medians of each server and kind, in milliseconds."""
    kinds = [(name, integrated) for name in servers for integrated in (False, True)]
    found = {kind: [] for kind in kinds}
    for turn in range(WINDOWS):
        # Who is first changes: the machine does other things besides.
        for kind in kinds[:: 1 if turn % 2 == 0 else -1]:
            name, integrated = kind
            shell = Shell(servers[name], home, integrated, turn + 1)
            found[kind].append((shell.first, *shell.prompts()))
            shell.end()
    return {
        kind: [statistics.median(column) * 1000 for column in zip(*rows)]
        for kind, rows in found.items()
    }


def cell(found, at, name):
    """What there is without, and with, and their ratio; how much more time passes.

    Without, a prompt is often there before anybody looks: of that no ratio.
    """
    without, given = found[name, False][at], found[name, True][at]
    if at == ELAPSED:
        return f"{given - without:+.1f}"
    return f"{without:.1f} / {given:.1f} ({given / without:.2f})"


def measure(pair, folder):
    """Prints a table; there is no goal."""
    print(f"\nshell integration, {WINDOWS} windows and {PROMPTS} prompts in each:")
    print("milliseconds without / with it (ratio), medians\n")
    columns = ("first command", "a prompt: processor", "a prompt comes later by")
    names = [f"{column}, {name}" for column in columns for name in ("custom", "stock")]
    print(f"| startup file | {' | '.join(names)} |")
    print("|---|" + "---|" * len(names))
    with Server(pair.custom) as custom, Server(pair.stock) as stock:
        servers = {"custom": custom, "stock": stock}
        for server in servers.values():
            server.tmux("set-option", "-g", "default-shell", shutil.which("bash"))
        for number, (name, text) in enumerate(files()):
            if text is None:
                print(f"| {name} | not on this machine |" + " |" * (len(names) - 1))
                continue
            home = folder / f"home-{number}"
            home.mkdir()
            (home / ".bash_profile").write_text(text)
            os.mkfifo(home / "gate")
            found = figures(servers, home)
            cells = [cell(found, at, kind) for at in range(3) for kind in servers]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
    return True
