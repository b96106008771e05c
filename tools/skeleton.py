"""`tools/dev new KIND NAME`: the rows and files that a new experiment, finding, opcode or function begins with, its test among
them.

Each is made after its neighbours as they are now, so that it compiles at once. What is left to write is marked `FILL IN`,
and listed; a test refuses a repository that has such a mark left.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

MARK = "FILL IN"


class Refused(Exception):
    """What was asked for cannot be made; the text says why."""


class Skeleton:
    """Writes into the repository `root`, and notes what it wrote and what is left to do."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.left: "list[str]" = []

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def write(self, name: str, text: str, what: str) -> None:
        """Makes a file that is not there yet."""
        path = self.root / name
        if path.exists():
            raise Refused(f"{name} is there already")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.left.append(f"{name}: {what}")

    def change(self, name: str, text: str, what: str) -> None:
        """Replaces a file that is there."""
        (self.root / name).write_text(text, encoding="utf-8")
        self.left.append(f"{name}: {what}")

    def find(self, pattern: str) -> str:
        """Returns the one file or folder of a pattern, by its name from the root."""
        found = sorted(self.root.glob(pattern))
        if len(found) != 1:
            raise Refused(f"there is not one {pattern}, but {len(found)}")
        return found[0].relative_to(self.root).as_posix()


def like(name: str, known: "list[str]") -> str:
    """Returns the known name that shares the longest beginning with `name`; of several, the shortest."""
    return max(known, key=lambda k: (len(os.path.commonprefix([k, name])), -len(k)))


# An experiment of the laboratory.

EXPERIMENT = """// {mark}: what the experiment shows, in a sentence or two.
#include "lab/experiments/experiment.hpp"
#include "lab/page/ladder_page.hpp"

namespace warpwright::lab::pages {{

Result<record::Page> {name}(const Context& context, const Choices& choices) {{
    auto run = run_for_page(context, "vecadd", choices);  // {mark}: the ladder
    if (!run) return std::move(run).error();
    auto made = ladder_page(context, *run, "{name}", choices);
    if (!made) return std::move(made).error();
    record::Page page = std::move(*made);
    page.title = message("{name}.title");
    page.purpose = message("{name}.purpose");
    page.task = message("{name}.task");
    page.conclusions.insert(page.conclusions.begin(), message("{name}.conclusion.first"));
    return page;
}}

}}  // namespace warpwright::lab::pages
"""

EXPERIMENT_TEST = """// The experiment `{name}`: {mark}: what its page must show.
#include "page_of.hpp"

namespace warpwright::lab::test {{
namespace {{

TEST({camel}, ItsPageIsSound) {{
    const auto page = page_of("{name}", {{.quick = true}});
    expect_sound(page);
    EXPECT_TRUE(page.problems.empty());
    // {mark}: the figures that the page is about
}}

}}  // namespace
}}  // namespace warpwright::lab::test
"""

EXPERIMENT_TEXTS = """title = "{mark} {language} {name}"
purpose = "{mark} {language} {name}: what the reader learns."
task = "{mark} {language} {name}: what the experiment does."

[conclusion]
first = "{mark} {language} {name}: what follows from the figures."
"""


def next_order(skeleton: Skeleton) -> int:
    orders = [int(n) for f in skeleton.root.glob("data/text/**/experiments/*.toml")
              for n in re.findall(r"^order = (\d+)", f.read_text(encoding="utf-8"), re.M)]
    return max(orders) + 10


def experiment(skeleton: Skeleton, name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise Refused("an experiment's name has small letters, digits and '_'")
    skeleton.write(f"src/lab/experiments/{name}.cpp", EXPERIMENT.format(mark=MARK, name=name), "what is run, shown and concluded")
    order = f"order = {next_order(skeleton)}  # its place in the report\n\n"
    for folder in sorted(f for f in (skeleton.root / "data/text").glob("*/experiments") if f.is_dir()):
        language = folder.parent.name
        skeleton.write((folder / f"{name}.toml").relative_to(skeleton.root).as_posix(),
                       f"# The texts of the experiment `{name}`.\n" + (order if language == "en" else "")
                       + EXPERIMENT_TEXTS.format(mark=MARK, language=language, name=name), "its texts")
    camel = "".join(part.capitalize() for part in name.split("_"))
    skeleton.write(f"tests/lab/{name}_test.cpp", EXPERIMENT_TEST.format(mark=MARK, name=name, camel=camel),
                   "the figures that the page is about")


# A kind of finding.

FINDING_KERNELS = """// {mark}: the defect, in a sentence.
// check: --grid 1 --block 32 --arg i32[32]=zero
extern "C" __global__ void wrong(int* out) {{
    out[threadIdx.x] = threadIdx.x;  // {mark}: the defect; "FINDING {kind}" ends the line at which it must be found
}}
extern "C" __global__ void right(int* out) {{
    out[threadIdx.x] = threadIdx.x;  // {mark}: the same without it
}}
"""


def finding(skeleton: Skeleton, name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise Refused("a finding's name has small letters, digits and '_'; users see it with dashes")
    table = skeleton.find("src/*/findings.inc")
    text = skeleton.read(table)
    rows = list(re.finditer(r"^WARPWRIGHT_FINDING\((\w+), (?:[^()]|\([^()]*\))*?\)$", text, re.M))
    if name in [r.group(1) for r in rows]:
        raise Refused(f"{table} has a row of {name}")
    row = (f'\nWARPWRIGHT_FINDING({name}, error, memory,\n    "{MARK}: a phrase for lists of rules",\n'
           f'    "{MARK}: what is found, for docs/check.md",\n    "{MARK}: what to do")')
    end = rows[-1].end()
    skeleton.change(table, text[:end] + row + text[end:],
                    "severity, checker and texts; its place among the rows is its place when findings are printed")
    skeleton.write(f"tests/check/faults/{name}.cu", FINDING_KERNELS.format(mark=MARK, kind=name.replace("_", "-")),
                   "a kernel with the defect, and its repaired twin")
    skeleton.left.append(f"{skeleton.find('src/engine/**/checked')}, or src/cudart/observe for whole programs: where it is found; "
                         f"FindingKind::{name} is its kind")
    skeleton.left.append("tools/dev accept record: writes the table of docs/check.md")


# An opcode of PTX.

OPCODE_TEST = """// {spelling}: {mark}: what it computes.
#include "support.hpp"

namespace {{

using namespace device_tests;

TEST({camel}, ComputesItsResult) {{
    const auto ptx = module("u64 out, u32 a", R"(
ld.param.u64 %rd1, [out];
ld.param.u32 %r1, [a];
{spelling}.s32 %r2, %r1;
st.global.u32 [%rd1], %r2;)");  // {mark}: its types and operands
    Gpu gpu;
    for (const std::uint32_t a : {{0u, 1u, 0x80000000u, 0xffffffffu}}) {{
        auto out = gpu.buffer(std::vector<std::uint32_t>(1));
        gpu.launch(ptx, {{1}}, {{1}}, parameters(out, a));
        EXPECT_EQ(gpu.read<std::uint32_t>(out, 1)[0], a) << "{mark}: the expected result";
    }}
}}

}}  // namespace
"""


def opcode(skeleton: Skeleton, name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*([._:][a-z0-9]+)*", name):
        raise Refused("an opcode is written as in PTX, such as 'bmsk' or 'prefetch.tensormap'")
    table = "src/ptx/opcodes.inc"
    text = skeleton.read(table)
    rows = {m.group(2): m for m in re.finditer(r'^OPCODE\((\w+), "([^"]+)", .*\)$', text, re.M)}
    if name in rows:
        raise Refused(f"{table} has a row of {name}")
    model = "abs"
    row = rows[model].group(0).replace(f'({rows[model].group(1)}, "{model}"', f'({re.sub(r"[.:]+", "_", name)}, "{name}"')
    end = rows[model].end()
    skeleton.change(table, text[:end] + "\n" + row + text[end:],
                    f"its row is that of {model}: operands, class, form, types, family and cost; its place among those of its kind")
    family = re.search(r"VALUE\((\w+)", row)
    skeleton.left.append(f"{skeleton.find('src/engine/**/arith')}: what it computes, by the row's family {family.group(1)}; a row with "
                         "another form has its file in src/engine/runtime")
    camel = "".join(part.capitalize() for part in re.split(r"[._:]+", name))
    skeleton.write(f"tests/device/{re.sub(r'[.:]+', '_', name)}_test.cpp",
                   OPCODE_TEST.format(mark=MARK, spelling=name, camel=camel), "its types, operands and results")
    skeleton.left.append("tests/oracle/forms_*.cpp: its forms, so that a real GPU's results are recorded")
    skeleton.left.append("tools/dev accept ptx; tools/dev accept simt")


# A function of the CUDA runtime.

FUNCTION_BODY = """
cudaError_t {name}{parameters} {{
    // {mark}: what it does, and its errors
    return cudaErrorNotSupported;
}}
"""

FUNCTION_TEST = """// {mark}: what {name} promises.
#include "check.h"
int main() {{
    // {mark}: calls of {name}, right and wrong ones
    std::puts("passed");
}}
"""


def function(skeleton: Skeleton, name: str) -> None:
    if not re.fullmatch(r"cuda[A-Z]\w*", name):
        raise Refused("a function of the CUDA runtime begins with 'cuda', such as cudaMemGetInfo")
    table = skeleton.find("toolchain/include/warpwright/runtime_api.inc")
    text = skeleton.read(table)
    rows = {m.group(2): m for m in re.finditer(r"^(WW_API\w*)\((\w+)[,)].*$", text, re.M)}
    kinds = {n: m.group(1) for n, m in rows.items()}
    if name in rows and "MISSING" not in kinds[name]:
        raise Refused(f"{table} has a row of {name}")
    bodies = {}
    for file in sorted(skeleton.root.glob("src/cudart/**/*.cpp")):
        source = file.read_text(encoding="utf-8")
        for m in re.finditer(r"^cudaError_t (cuda\w+)(\((?:[^()]|\([^()]*\))*\)) \{\n(?:.*\n)*?\}\n", source, re.M):
            bodies[m.group(1)] = (file, m)
    model = like(name, [n for n, k in kinds.items() if n in bodies and k == "WW_API"])
    row = rows[model].group(0).replace(f"({model},", f"({name},", 1)
    before = rows.get(name)
    if before:
        text = text[:before.start()] + row + text[before.end():]
    else:
        text = text[:rows[model].end()] + "\n" + row + text[rows[model].end():]
    skeleton.change(table, text, f"its row is that of {model}: parameters, arguments, and what else the row says")
    file, body = bodies[model]
    source = file.read_text(encoding="utf-8")
    made = FUNCTION_BODY.format(mark=MARK, name=name, parameters=body.group(2))
    skeleton.change(file.relative_to(skeleton.root).as_posix(), source[:body.end()] + made + source[body.end():],
                    f"its body, behind {model}; another file of that folder may suit it better")
    program = re.sub(r"(?<!^)(?=[A-Z])", "_", name.removeprefix("cuda")).lower()
    skeleton.write(f"tests/cudart/programs/{program}.cu", FUNCTION_TEST.format(mark=MARK, name=name),
                   "calls of it, right and wrong ones")
    tests = skeleton.find("tests/cudart/*programs*.cpp") if (skeleton.root / "tests/cudart").is_dir() else ""
    listed = skeleton.read(tests)
    first = 'INSTANTIATE_TEST_SUITE_P(All, Programs,\n                         testing::Values('
    if first not in listed:
        raise Refused(f"{tests} has no list of programs")
    skeleton.change(tests, listed.replace(first, f'{first}"{program}", ', 1), f"{program} is in its list; tools/dev format lays it out")


KINDS = {"experiment": experiment, "finding": finding, "opcode": opcode, "function": function}


def marked(root: Path, files: "list[str]") -> "list[str]":
    """Returns the files in which something is left to fill in, but for those that make, test or explain the marks."""
    own = ("tools/skeleton.py", "tests/tools/", "CONTRIBUTING.md")
    out = []
    for name in files:
        path = root / name
        if not name.startswith(own) and path.is_file() and MARK.encode() in path.read_bytes():
            out.append(name)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/dev new", description=__doc__.split("\n\n")[0])
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("name")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1], help="another repository's folder")
    given = parser.parse_args()
    skeleton = Skeleton(given.root)
    try:
        KINDS[given.kind](skeleton, given.name)
    except Refused as e:
        print(f"tools/dev: error: {e}", file=sys.stderr)
        return 2
    print(f"The {given.kind} {given.name} has its files. To fill in (marked '{MARK}' in them):")
    for line in skeleton.left:
        print("  " + line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
