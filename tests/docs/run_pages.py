#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command that the pages show, and finds all code they quote.

    run_pages.py SOURCE BUILD

Runs the `sh` blocks of README.md, CONTRIBUTING.md and docs/*.md in a scratch
copy of the project whose build/ is BUILD. A block of C++ must be quoted from a
file; a block in TOML must be a run file that is accepted.
Links between pages must lead somewhere. Stops at the first fault.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pages

# These run all of this themselves.
GATES = {"./quickstart", "./check"}
TIMEOUT_S = 600
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


def fail(text):
    print(f"FAILED {text}", flush=True)
    sys.exit(1)


def run(command, scratch, place):
    print(f"{place}: {command}", flush=True)
    try:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        fail(f"{place}: more than {TIMEOUT_S} s: {command}")
    if done.returncode != 0:
        print(done.stdout.decode(errors="replace"))
        fail(f"{place}: exit {done.returncode}: {command}")


def run_commands(block, scratch):
    for command in pages.commands(block):
        if block.reason:
            print(f"{block.place()}: not run ({block.reason}): {command}")
        elif command.split()[0] in GATES:
            print(f"{block.place()}: a gate of its own: {command}")
        else:
            run(f"{command} {block.arguments}".strip(), scratch, block.place())


def check_quote(block, root):
    if not block.source:
        fail(f"{block.place()}: not marked as quoted from a file")
    source = root / block.source
    if not source.is_file():
        fail(f"{block.place()}: there is no {block.source}")
    if not pages.is_quoted_from(block, source.read_text()):
        fail(f"{block.place()}: does not stand in {block.source}")


def check_run_file(block, scratch):
    path = scratch / "shown.toml"
    path.write_text("\n".join(block.lines) + "\n")
    run(
        f"build/apps/actorpipe train {path} --print-config",
        scratch,
        block.place(),
    )


def check_links(page, text, root):
    for target in LINK.findall(text):
        if "://" not in target and not (page.parent / target).exists():
            fail(f"{page.relative_to(root)}: a link to {target}, not there")


def make_scratch(root, build, scratch):
    """The project as links, without what it builds and runs."""
    for entry in root.iterdir():
        name = entry.name
        if not name.startswith((".", "build")) and name != "runs":
            (scratch / name).symlink_to(entry)
    (scratch / "build").symlink_to(build)
    # What the pages build there remembers the scratch folder that it was for.
    for made in ("embed", "prefix"):
        shutil.rmtree(build / made, ignore_errors=True)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    build = pathlib.Path(sys.argv[2]).resolve()
    shown = [root / "README.md", root / "CONTRIBUTING.md"]
    shown += sorted((root / "docs").glob("*.md"))
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="actorpipe-docs-"))
    os.environ.pop("MAKEFLAGS", None)
    try:
        make_scratch(root, build, scratch)
        for page in shown:
            text = page.read_text()
            check_links(page, text, root)
            for block in pages.read_blocks(str(page.relative_to(root)), text):
                if block.language == "sh":
                    run_commands(block, scratch)
                elif block.language == "cpp" or block.source:
                    check_quote(block, root)
                elif block.language == "toml" and not block.reason:
                    check_run_file(block, scratch)
                elif block.language in {"bash", "shell", "console", "c++"}:
                    fail(f"{block.place()}: write sh or cpp")
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
