# SPDX-License-Identifier: Apache-2.0
"""Reads the fenced blocks of Markdown pages, and the marks before them.

A mark is an HTML comment on a line of its own directly before a block:

    <!-- from FILE -->         the block is quoted from FILE
    <!-- tested with: ARGS --> commands of the block get ARGS appended
    <!-- not run: REASON -->   the block is shown, but not run
"""

import re
from dataclasses import dataclass, field

MARK = re.compile(r"<!-- (from|tested with:|not run:) (.*?) -->$")


@dataclass
class Block:
    """One fenced block; `line` is its first line of content, from 1."""

    page: str
    line: int
    language: str
    lines: list = field(default_factory=list)
    source: str = ""
    arguments: str = ""
    reason: str = ""

    def place(self):
        return f"{self.page}:{self.line}"


def read_blocks(page, text):
    """All fenced blocks of `text`. Raises ValueError for an open fence."""
    blocks = []
    block = None
    marks = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if block is not None:
            if line.strip() == "```":
                blocks.append(block)
                block = None
            else:
                block.lines.append(line)
        elif line.startswith("```"):
            block = Block(
                page,
                number + 1,
                line[3:].strip(),
                source=marks.get("from", ""),
                arguments=marks.get("tested with:", ""),
                reason=marks.get("not run:", ""),
            )
            marks = {}
        else:
            found = MARK.match(line.strip())
            marks = {**marks, found[1]: found[2]} if found else {}
    if block is not None:
        raise ValueError(f"{block.place()}: the block has no end")
    return blocks


def commands(block):
    """The commands of a block: lines, joined where they end in a backslash."""
    joined = "\n".join(block.lines).replace("\\\n", " ")
    lines = (line.strip() for line in joined.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def is_quoted_from(block, text):
    """Whether the block's lines stand together in `text`, at any indent."""
    wanted = [line.strip() for line in block.lines]
    there = [line.strip() for line in text.splitlines()]
    return any(
        there[i : i + len(wanted)] == wanted
        for i in range(len(there) - len(wanted) + 1)
    )
