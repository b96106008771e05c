"""The words that users read: docstrings and messages, in one list, with the rules that can be tested."""

import ast
import os
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = sorted((REPOSITORY / "python" / "src" / "warpwright").glob("*.py"))
TOOLS = [p for folder in ("python", "bench", "toolchain/python", "tools") for p in sorted((REPOSITORY / folder).rglob("*.py"))
         if "tests" not in p.parts and p not in PACKAGE]
DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef)


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def docstrings(path):
    """Each definition of a file with its docstring."""
    for node in ast.walk(tree(path)):
        if isinstance(node, DEFINITIONS) and ast.get_docstring(node):
            yield node, ast.get_docstring(node)


def messages(path):
    """What a file tells its users: texts of several words that are no docstrings."""
    whole = tree(path)
    docs = {id(n.body[0].value) for n in ast.walk(whole) if isinstance(n, DEFINITIONS) and ast.get_docstring(n)}
    for node in ast.walk(whole):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            if len(re.findall(r"\b[a-z]{2,}\b", node.value)) > 2:
                yield node.lineno, node.value


def where(path, line):
    return f"{path.relative_to(REPOSITORY)}:{line}"


def test_all_words_are_one_list():
    lines = []
    for path in [*PACKAGE, *TOOLS]:
        lines += [f"{where(path, getattr(n, 'lineno', 1))}: {text}" for n, text in docstrings(path)]
        lines += [f"{where(path, line)}: {text}" for line, text in messages(path)]
    if os.environ.get("WARPWRIGHT_STRINGS"):
        Path(os.environ["WARPWRIGHT_STRINGS"]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert len(lines) > 300


@pytest.mark.parametrize("path", [*PACKAGE, *TOOLS], ids=lambda p: p.name)
def test_docstrings_are_sentences(path):
    for node, text in docstrings(path):
        place = where(path, getattr(node, "lineno", 1))
        first = text.split("\n\n")[0]
        assert first.rstrip()[-1] in ".:", f"{place}: no full stop after the first sentence: {first}"
        assert text.count("`") % 2 == 0, f"{place}: a back quote is open"
        assert not re.search(r"\b(the the|a a|one a (line|launch))\b|\(s\)", text), f"{place}: {text}"


def is_property(node):
    return any(isinstance(d, ast.Name) and d.id == "property" or isinstance(d, ast.Attribute) and d.attr == "fixture"
               for d in node.decorator_list)


@pytest.mark.parametrize("path", [*PACKAGE, *TOOLS], ids=lambda p: p.name)
def test_a_function_says_what_it_does(path):
    for node, text in docstrings(path):
        if isinstance(node, ast.FunctionDef) and not is_property(node):
            verb = text.split()[0].rstrip(",")
            assert re.fullmatch("[A-Z][a-z]+s", verb), f"{where(path, node.lineno)}: begins with no verb: {text}"


@pytest.mark.parametrize("path", PACKAGE, ids=lambda p: p.name)
def test_a_refusal_says_what_to_do(path):
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
            if node.exc.func.id in ("UsageError", "MissingToolError", "LimitError"):
                assert any(k.arg == "hint" for k in node.exc.keywords), f"{where(path, node.lineno)}: no hint"


def public(body):
    return [n for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and not n.name.startswith("_")]


@pytest.mark.parametrize("path", [p for p in PACKAGE if p.name not in ("__main__.py", "_native.py")], ids=lambda p: p.name)
def test_the_public_interface_is_described(path):
    names = set(__import__("warpwright").__all__) | {"Gpu", "CountError", "gpu"}
    for node in public(tree(path).body):
        if node.name not in names:
            continue
        members = public(node.body) if isinstance(node, ast.ClassDef) else [node]
        assert ast.get_docstring(node), f"{where(path, node.lineno)}: {node.name} has no docstring"
        for member in members:
            text = ast.get_docstring(member)
            assert text, f"{where(path, member.lineno)}: {node.name}.{member.name} has no docstring"
            given = member.args.args + member.args.kwonlyargs if isinstance(member, ast.FunctionDef) else []
            given += [a for a in (member.args.vararg, member.args.kwarg) if a] if given else []
            for argument in given:
                if argument.arg not in ("self", "request") and not argument.arg.startswith("_"):
                    assert re.search(rf"\b{argument.arg}\b", text), \
                        f"{where(path, member.lineno)}: {node.name}.{member.name} does not describe '{argument.arg}'"
