"""What predictions add to `run`: processor time of whole programs with defaults, without predictions, and with all of them."""

import pathlib

from measure import least, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The kernels of bench/run/programs.cu with their grids, blocks, sizes and launches.
CASES = (("add", 4096, 1, 256, 1, 1 << 20, 10), ("add", 8, 1, 256, 1, 2048, 2000), ("transpose", 64, 64, 32, 8, 2048, 10),
         ("matmul", 32, 32, 16, 16, 512, 8), ("tiled", 64, 64, 16, 16, 1024, 2), ("diverge", 16384, 1, 256, 1, 1 << 20, 4))


def costs(table, options, folder):
    program, cache = folder / "programs", folder / "cache"
    built = run([options.warpwright, "build", ROOT / "bench/run/programs.cu", "-o", program, "-lineinfo"], cache)
    if built.code:
        raise SystemExit(built.output)
    total = {"off": 0.0, "": 0.0, "all": 0.0}
    for case in CASES:
        took = {}
        for kind in total:
            words = [options.warpwright, "run", "--quiet", "--threads", "1", *([f"--predict={kind}"] if kind else []), program, "--",
                     *case]
            run(words, cache)  # caches
            took[kind] = least(words, lambda k: cache, options.rounds).cpu
            total[kind] += took[kind]
        name = f"{case[0]}, {case[1] * case[2]} blocks, {case[6]} launches"
        table.add(f"run over run --predict=off, {name}", took[""] / took["off"], "x", 1.1, f"{took['off']:.3g} s without")
        table.add(f"run --predict=all over off, {name}", took["all"] / took["off"], "x", 5)
    table.add("run over run --predict=off, all of them", total[""] / total["off"], "x", 1.1)
    table.add("run --predict=all over off, all of them", total["all"] / total["off"], "x", 5)
