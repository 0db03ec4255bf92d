"""The two programs that are compared: found, or built."""

import hashlib
import json
import os
import subprocess
import tarfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")


@dataclass
class Pair:
    """Programs of one version."""

    version: str
    custom: Path
    stock: Path

    def each(self):
        """Returns both with their names, stock first."""
        return (("stock", self.stock), ("custom", self.custom))


def pair(version, custom, stock):
    """Builds what is not given."""
    custom = (custom or build_custom(version)).resolve()
    found = version_of(custom)
    if version not in (None, found):
        raise SystemExit(f"{custom} is version {found}, not {version}")
    stock = (stock or build_stock(found)).resolve()
    if version_of(stock) != found:
        raise SystemExit(f"{stock} is not version {found}, as {custom} is")
    return Pair(found, custom, stock)


def version_of(program):
    printed = subprocess.run(
        [program, "-V"], check=True, capture_output=True, text=True
    ).stdout
    return printed.split()[1]


def build_custom(version):
    """Has Cargo build tmux-custom, and asks it where that is."""
    environment = dict(os.environ)
    if version is not None:
        environment["AMUX_BUILD_VERSIONS"] = version
    messages = subprocess.run(
        ["cargo", "build", "--release", "--quiet", "--message-format=json"],
        cwd=ROOT,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    for line in messages.splitlines():
        message = json.loads(line)
        variables = dict(message.get("env", []))
        if "AMUX_BUILT_TMUX" in variables:
            return Path(variables["AMUX_BUILT_TMUX"])
    raise SystemExit("cargo build names no AMUX_BUILT_TMUX")


def build_stock(version):
    """Builds the release as it is, with what build/tree.rs gives configure."""
    tarball = ROOT / f"vendor/tmux-{version}.tar.gz"
    if not tarball.exists():
        raise SystemExit(f"{tarball} is missing: run vendor/fetch {version}")
    check(tarball, version)
    folder = TARGET / "measure"
    tree = folder / f"tmux-{version}"
    program = tree / "tmux"
    if program.exists():
        return program
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(tarball) as archive:
        archive.extractall(folder, filter="data")
    environment = dict(os.environ, CFLAGS="-O2", LDFLAGS="", YACC="true")
    with open(folder / f"tmux-{version}.log", "w", encoding="utf-8") as log:
        for command in (["./configure", "--sysconfdir=/etc"], ["make", "-j2", "tmux"]):
            ended = subprocess.run(
                command, cwd=tree, env=environment, stdout=log, stderr=log
            )
            if ended.returncode != 0:
                raise SystemExit(f"{command[0]} failed: see {log.name}")
    return program


def check(tarball, version):
    """Both are to be made from the same bytes."""
    pins = tomllib.loads((ROOT / "vendor/releases.toml").read_text())
    wanted = {pin["version"]: pin["sha256"] for pin in pins["release"]}.get(version)
    if hashlib.sha256(tarball.read_bytes()).hexdigest() != wanted:
        raise SystemExit(f"{tarball} is not the release that is pinned")
