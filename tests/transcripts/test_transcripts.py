"""The transcripts in Markdown pages are what the program prints.

A comment `<!-- printed by: warpwright lab ... -->` stands before an indented block: the command's standard output must
have the block's lines, one after the other. With WARPWRIGHT_UPDATE_GOLDEN=1 the block is written anew, as many lines
from the first that begins with the block's first word."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["WARPWRIGHT_SOURCE"])
PROGRAM = os.environ["WARPWRIGHT_PROGRAM"]
MARK = re.compile(r"<!-- printed by: (warpwright .*) -->")
INDENT = "    "


def blocks(lines):
    """Each command with the first and the last but one line number of its block."""
    for number, line in enumerate(lines):
        found = MARK.fullmatch(line)
        if not found:
            continue
        first = number + 1
        while first < len(lines) and not lines[first].startswith(INDENT):
            first += 1
        last = first
        while last < len(lines) and (lines[last].startswith(INDENT) or not lines[last]):
            last += 1
        while not lines[last - 1]:
            last -= 1
        yield found[1], first, last


def printed(command):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([PROGRAM, *shlex.split(command)[1:]], capture_output=True, text=True, timeout=280,
                              cwd=SOURCE, check=False,
                              env={**os.environ, "XDG_CACHE_HOME": folder, "XDG_DATA_HOME": folder,
                                   "LC_ALL": "C.UTF-8", "COLUMNS": "160"})
    if done.returncode:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


def comparable(line):
    """The line without the name of the machine that it ran on."""
    return re.sub(r" · on [A-Z].*", " · on this machine", line.rstrip())


def place(output, wanted):
    """Where `wanted` stands in the output, or None."""
    have = [comparable(line) for line in output]
    want = [comparable(line) for line in wanted]
    return next((k for k in range(len(have)) if have[k:k + len(want)] == want), None)


class Transcripts(unittest.TestCase):
    def test_pages_show_what_is_printed(self):
        checked = 0
        for page in [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]:
            lines = page.read_text(encoding="utf-8").splitlines()
            for command, first, last in blocks(lines):
                output = printed(command)
                wanted = [line[len(INDENT):] for line in lines[first:last]]
                checked += 1
                if os.environ.get("WARPWRIGHT_UPDATE_GOLDEN") == "1":
                    word = wanted[0].split()[0]
                    start = next(k for k, line in enumerate(output) if line.split()[:1] == [word])
                    lines[first:last] = [(INDENT + line).rstrip() for line in output[start:start + last - first]]
                    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
                else:
                    self.assertIsNotNone(place(output, wanted), f"{page.name}: '{command}' prints\n" + "\n".join(output)
                                         + "\n(WARPWRIGHT_UPDATE_GOLDEN=1 writes it into the page)")
        self.assertGreater(checked, 0, "no page has a transcript")

    def test_a_figure_that_differs_is_found(self):
        self.assertEqual(place(["a", "b 1", "c"], ["b 1", "c"]), 1)
        self.assertIsNone(place(["a", "b 1", "c"], ["b 2", "c"]))
        self.assertEqual(place(["m · on AMD EPYC"], ["m · on Intel Xeon"]), 0)


if __name__ == "__main__":
    sys.exit(unittest.main())
