"""The exceptions of this package. Each has the place and, where there is one, what to do about it."""

from __future__ import annotations

import json
from typing import Any, Optional


class Error(Exception):
    """Something could not be done. `str()` is one line: place, what, and in parentheses what to do.

    Attributes: `what`, `hint` (text, may be empty), `file`, `line`, `column` (0 where not known).
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
    """An argument is wrong: a size, a type, a name that does not exist, calls in the wrong order."""


class CompileError(Error):
    """A source that does not compile, or PTX that cannot be used; the place is that of the first message."""


class LimitError(Error, ValueError):
    """Over a limit of the device model: threads of a block, shared memory, device memory."""


class MissingToolError(Error):
    """A tool or device is missing, for example the compiler that CUDA C++ needs. `hint` says what to install."""


class KernelFault(Error):
    """A kernel ended early: a bad access, a deadlock, a trap, a failed assertion, its time limit.

    `cause` names it ("out-of-bounds", "null-pointer", "deadlock", ...); `launch` is the Launch, as far as it came.
    """

    launch: Optional[Any] = None


class Finding(Error):
    """A defect that a checker found (docs/check.md): a race, a bad access, a read of memory that was never written.

    `kind` is its name ("race-shared", "out-of-bounds"); `severity` "error" or "warning"; `kernel`; `count`, how often
    it was seen; `findings`, all that were found together, this one included; `raw`, the JSON of docs/check.md.
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
    """The exception for a status of the C interface and its JSON."""
    e = json.loads(text or "{}")
    kind = _KINDS.get(status, Error)
    text = e.get("text", "")
    return kind(e.get("what", "unknown error"), hint=e.get("hint", ""), file=e.get("file", ""), line=e.get("line", 0),
                column=e.get("column", 0), cause=e.get("cause", ""),
                text=text[len("error: "):] if text.startswith("error: ") else text)
