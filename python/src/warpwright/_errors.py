"""This module has the exceptions of the package. Each says what happened, where, and, if that is known, what to do."""

from __future__ import annotations

import json
from typing import Any, Optional


class Error(Exception):
    """Something could not be done. `str()` is one line: the place, what happened, and in parentheses what to do.

    what    what happened
    hint    what to do about it; may be empty
    cause   a word for programs ("out-of-bounds", ...); may be empty
    file    the source file; empty where it is not known
    line    the line in it, and `column`, both from 1; 0 where they are not known
    """

    def __init__(self, what: str, *, hint: str = "", file: str = "", line: int = 0, column: int = 0, cause: str = "",
                 text: str = "") -> None:
        self.what, self.hint, self.cause = what, hint, cause
        self.file, self.line, self.column = file, line, column
        if not text:
            place = ":".join([file] + [str(n) for n in (line, column) if n]) + ": " if file else ""
            text = place + what + (f" ({hint})" if hint else "")
        super().__init__(text)


class UsageError(Error, ValueError):
    """An argument is wrong (a size, a type, a name that does not exist), or calls were made in the wrong order."""


class CompileError(Error):
    """A source does not compile, or PTX cannot be used; the place is that of the compiler's first message."""


class LimitError(Error, ValueError):
    """A limit of the device model is exceeded: threads per block, shared memory or device memory."""


class MissingToolError(Error):
    """A tool or device is missing, for example the compiler that CUDA C++ needs. `hint` says what to install."""


class KernelFault(Error):
    """A kernel ended early: by a bad access, a deadlock, a trap, a failed assertion or its time limit.

    `cause` names the reason ("out-of-bounds", "null-pointer", "deadlock", ...). `launch` is the Launch with what was
    counted until then, or None.
    """

    launch: Optional[Any] = None


class Finding(Error):
    """A checker found a defect (docs/check.md): a race, a bad access, or a read of memory that was never written.

    kind      its name ("race-shared", "out-of-bounds", ...)
    severity  "error" or "warning"
    kernel    the kernel in which it was found
    count     how often it was seen
    findings  all that were found together, this one included
    launch    the Launch in which it was found, or None
    raw       the JSON of docs/check.md
    """

    def __init__(self, raw: "dict[str, Any]") -> None:
        at = raw.get("at") or {}
        self.raw = raw
        self.kind: str = raw.get("kind", "")
        self.severity: str = raw.get("severity", "error")
        self.kernel: str = raw.get("kernel", "")
        self.count: int = raw.get("count", 1)
        self.findings: "list[Finding]" = [self]
        self.launch: Optional[Any] = None
        message = f"{raw.get('message', '')}"
        super().__init__(f"{self.kind} in {self.kernel}: {message}", hint=raw.get("advice", ""),
                         file=at.get("file", ""), line=at.get("line", 0), column=at.get("column", 0))


class FindingWarning(UserWarning):
    """A kernel did what a GPU does not notice, for example an access a few bytes past the end of an array."""


_KINDS = {1: UsageError, 2: CompileError, 3: KernelFault, 4: LimitError, 5: MissingToolError, 6: Error}


def from_native(status: int, text: str) -> Error:
    """Makes the exception for a status of the C interface and its JSON."""
    e = json.loads(text or "{}")
    kind = _KINDS.get(status, Error)
    text = e.get("text", "")
    return kind(e.get("what", "the library failed and gave no reason"), hint=e.get("hint", ""), file=e.get("file", ""),
                line=e.get("line", 0), column=e.get("column", 0), cause=e.get("cause", ""),
                text=text[len("error: "):] if text.startswith("error: ") else text)
