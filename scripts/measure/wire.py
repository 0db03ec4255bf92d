"""One command over a server's socket, as the tmux client does it.

No process is started for it, so that what is measured is the server.
"""

import os
import socket
import struct

FLAGS, TERM, TTYNAME, DONE, COMMAND = 111, 101, 102, 106, 200
CWD, CLIENTPID = 108, 107
EXIT, WRITE_OPEN, WRITE, WRITE_READY = 203, 303, 304, 305
HEADER = struct.Struct("=IHHII")
VERSION, NOBODY, UTF8 = 8, 0xFFFFFFFF, 0x10000


def frame(kind, data=b""):
    return HEADER.pack(kind, HEADER.size + len(data), 0, VERSION, NOBODY) + data


def hello(arguments):
    text = b"".join(argument.encode() + b"\0" for argument in arguments)
    return b"".join(
        (
            frame(FLAGS, struct.pack("=Q", UTF8)),
            frame(TERM, b"\0"),
            frame(TTYNAME, b"\0"),
            frame(CWD, b"/\0"),
            frame(CLIENTPID, struct.pack("=i", os.getpid())),
            frame(DONE),
            frame(COMMAND, struct.pack("=i", len(arguments)) + text),
        )
    )


def call(path, *arguments):
    """Returns what a command printed."""
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(str(path))
        server.sendall(hello(arguments))
        unread, output = b"", b""
        while True:
            while len(unread) >= HEADER.size:
                kind, length, _, _, _ = HEADER.unpack_from(unread)
                if len(unread) < length:
                    break
                data, unread = unread[HEADER.size : length], unread[length:]
                if kind == WRITE_OPEN:
                    ready = frame(WRITE_READY, data[:4] + struct.pack("=i", 0))
                    server.sendall(ready)
                elif kind == WRITE:
                    output += data[4:]
                elif kind == EXIT:
                    status = struct.unpack_from("=i", data)[0] if data else 0
                    if status != 0:
                        raise SystemExit(f"tmux {arguments}: {status} {data[4:]}")
                    return output.decode()
            piece = server.recv(65536)
            if not piece:
                raise SystemExit(f"tmux {arguments}: the server hung up")
            unread += piece
