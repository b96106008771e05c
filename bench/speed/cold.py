"""First results with empty caches, and again with what the first run left. NVIDIA's assembler, which is asked for
registers where there is one and takes longer than all else, is left out: most who wait here have none."""

import json
import shutil

import kernels
from measure import least, run

WITHOUT = {"WARPWRIGHT_PTXAS": "off"}

BUFFER = ("--grid", "4", "--block", "256", "--arg", "u32[4096]=iota")


def tier(output):
    """Returns which code ran, as the record says it."""
    try:
        record = json.loads(output[output.index("{"):])["records"][0]
    except (ValueError, KeyError, IndexError):
        return ""
    return record.get("host_code", "best") + " code"


def first_results(table, options, folder):
    """Process start to printed result of a kernel in PTX; one processor, processor time of all threads."""
    def one(name, text, goal):
        file = folder / (name.replace(" ", "_") + ".ptx")
        file.write_text(text)
        words = [options.warpwright, "launch", file, *BUFFER, "--json", "-"]

        def empty(k):
            shutil.rmtree(folder / f"cache{k}", ignore_errors=True)
            return folder / f"cache{k}"

        first = least(words, empty, options.rounds, environment=WITHOUT)
        again = least(words, lambda k: folder / "cache0", options.rounds, environment=WITHOUT)
        off = least([*words, "--predict=off"], empty, options.rounds, environment=WITHOUT)
        table.add(f"{name}: start to result, no cache, --predict=off", off.cpu, "s", goal, tier(off.output))
        table.add(f"{name}: the same with its prediction", first.cpu, "s", None, tier(first.output))
        table.add(f"{name}: again", again.cpu, "s")

    one("small kernel", kernels.small(), 0.15)
    one("1,000 instructions, a chain", kernels.straight(1000), 0.3)
    one("1,000 instructions, mixed", kernels.mixed(1000), 0.3)
    one("10,000 instructions, a chain", kernels.straight(10000), 1.5)
    one("10,000 instructions, mixed", kernels.mixed(10000), 1.5)


def sources(table, options, folder):
    """Measures CUDA C++ to the first result: our compiler and the host's code."""
    for kind, make, lines, goal in (("plain", kernels.source, 500, None), ("plain", kernels.source, 2000, 4),
                                    ("nested", kernels.nested, 500, None), ("nested", kernels.nested, 2000, 4)):
        file = folder / f"{kind}{lines}.cu"
        file.write_text(make(lines))
        words = [options.warpwright, "launch", file, "--grid", "4", "--block", "256", "--arg", "u32[1024]=iota", "--arg",
                 "f32[1024]=iota", "--json", "-", "--predict=off"]
        # The headers are there as in every program but a user's first.
        (folder / "one.cu").write_text(kernels.source(1))
        for k in range(options.rounds):
            run([*words[:2], folder / "one.cu", *words[3:]], folder / f"{kind}{lines}_{k}", environment=WITHOUT)
        first = least(words, lambda k: folder / f"{kind}{lines}_{k}", options.rounds, environment=WITHOUT)
        table.add(f"kernel of {lines:,} source lines, {kind}: start to result", first.cpu, "s", goal, tier(first.output))
    many = folder / "many.cu"
    many.write_text(kernels.many(50))
    program, cache = folder / "many", folder / "many_cache"
    built = run([options.warpwright, "build", many, "-o", program], cache)
    table.add("program of 50 kernels: built", built.cpu, "s")
    took = {}
    for launched in (0, 1, 10, 50):
        shutil.rmtree(cache, ignore_errors=True)
        took[launched] = least([program, launched], lambda k: shutil.rmtree(cache, ignore_errors=True) or cache,
                               options.rounds, environment=WITHOUT).cpu
        table.add(f"program of 50 kernels: {launched} of them launched, no cache", took[launched], "s")
    each = (took[50] - took[0]) / 50
    table.add("what the first launch of one of 50 costs, over its share of all", (took[1] - took[0]) / max(each, 1e-9), "x", 2)
