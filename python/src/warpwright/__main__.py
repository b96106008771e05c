"""This module is what `warpwright ...` and `python -m warpwright ...` start: it hands over to the program."""

from __future__ import annotations

import os
import sys


def main() -> None:
    from ._errors import Error
    from ._native import program

    try:
        path = str(program())
    except Error as e:
        print(f"warpwright: error: {e}", file=sys.stderr)
        sys.exit(3)
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
