"""Runs sdl-mcp, the MCP server, in place of this process."""

import os
import subprocess
import sys
import sysconfig


def find_program(name):
    """Its path: in the environment's folder of scripts, or beside the script that runs."""
    file = name + (".exe" if os.name == "nt" else "")
    folders = [sysconfig.get_path("scripts"), os.path.dirname(os.path.abspath(sys.argv[0]))]
    paths = [os.path.join(folder, file) for folder in folders]
    for path in paths:
        if os.path.isfile(path):
            return path
    sys.exit(f"sdl-ledger: {file} was not found in {' or '.join(folders)}; install sdl-ledger again")


def main():
    """The script `sdl-ledger`."""
    command = [find_program("sdl-mcp"), *sys.argv[1:]]
    if os.name == "nt":
        # There exec would give the client's pipes to a process that it does not wait for.
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)
