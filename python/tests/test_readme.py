"""The README's lines of Python print what stands below them, where the README lies beside the tests."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_readme_prints_what_it_shows():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```python\n(.*?)```\n\n((?:    [^\n]*\n)+)", page, re.S)
    assert shown, "the README has no lines of Python with their output"
    wanted = [line[4:] for line in shown[2].splitlines()]
    done = subprocess.run([sys.executable, "-c", shown[1]], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == wanted
