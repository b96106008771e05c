"""What predictions add to `run`: processor time of whole programs with defaults, without predictions, and with all of them."""

import pathlib

from measure import least, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The kernels of bench/run/programs.cu with their grids, blocks, sizes and launches.
CASES = (("add", 4096, 1, 256, 1, 1 << 20, 10), ("add", 8, 1, 256, 1, 2048, 2000), ("transpose", 64, 64, 32, 8, 2048, 10),
         ("matmul", 32, 32, 16, 16, 512, 8), ("tiled", 64, 64, 16, 16, 1024, 2), ("diverge", 16384, 1, 256, 1, 1 << 20, 4))



def first(words, cache, rounds):
    """Measures the least of runs of which each has compiled code and no kept predictions."""
    def without_predictions(_):
        for entry in cache.rglob("*.prediction"):
            entry.unlink()
        return cache
    return least(words, without_predictions, rounds).cpu


def costs(table, options, folder):
    program, cache = folder / "programs", folder / "cache"
    built = run([options.warpwright, "build", ROOT / "bench/run/programs.cu", "-o", program, "-lineinfo"], cache)
    if built.code:
        raise SystemExit(built.output)
    goals = {"": 1.1, "all": 5}
    total = dict.fromkeys(["off", *((kind, when) for kind in goals for when in ("later", "first"))], 0.0)

    def add(what, off, took, note=""):
        for (kind, when), seconds in took.items():
            words = "run" + (f" --predict={kind}" if kind else "")
            table.add(f"{words} over off, {when} run{'s' if when == 'later' else ''}, {what}", seconds / off, "x", goals[kind], note)

    for case in CASES:
        words = {kind: [options.warpwright, "run", "--quiet", "--threads", "1", *([f"--predict={kind}"] if kind else []), program, "--",
                        *case] for kind in ("off", *goals)}
        for kind in (*words, *words):
            run(words[kind], cache)  # caches; a second time, as code without a trace is made when a kernel comes again
        off = least(words["off"], lambda k: cache, options.rounds).cpu
        took = {}
        for kind in goals:
            took[kind, "first"] = first(words[kind], cache, options.rounds)
            run(words[kind], cache)
            took[kind, "later"] = least(words[kind], lambda k: cache, options.rounds).cpu
        total["off"] += off
        for key, seconds in took.items():
            total[key] += seconds
        add(f"{case[0]}, {case[1] * case[2]} blocks, {case[6]} launches", off, took, f"{off:.3g} s without")
    add("all of them", total.pop("off"), total)
