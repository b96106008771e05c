"""Many launches of a small kernel: from a C++ program, and from Numba with arrays of the host."""

import os
import subprocess

from measure import least, run

PROGRAM = """#include <cstdio>
#include <cstdlib>
__global__ void small(unsigned* a) { atomicAdd(a + (threadIdx.x & 31), 1u); }
static long memory() {
    long pages = 0, all = 0;
    if (FILE* f = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(f, "%ld %ld", &all, &pages) != 2) pages = 0;
        std::fclose(f);
    }
    return pages * 4;
}
int main(int, char** words) {
    const int count = atoi(words[1]), blocks = atoi(words[2]), threads = atoi(words[3]);
    unsigned* a;
    cudaMalloc(&a, 4096);
    cudaMemset(a, 0, 4096);
    for (int k = 0; k < 1000; ++k) small<<<blocks, threads>>>(a);
    cudaDeviceSynchronize();
    const long before = memory();
    for (int k = 0; k < count; ++k) small<<<blocks, threads>>>(a);
    cudaDeviceSynchronize();
    std::printf("KiB %ld\\n", memory() - before);
    return cudaGetLastError() != cudaSuccess;
}
"""

NUMBA = """
import sys, time
import numpy as np
from numba import cuda
@cuda.jit
def small(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1
a = np.zeros(1024, np.float32)
import warnings
warnings.simplefilter("ignore")
for _ in range(200):
    small[4, 256](a)
cuda.synchronize()
best = 1e9
for _ in range(5):
    start = time.process_time()
    for _ in range(2000):
        small[4, 256](a)
    cuda.synchronize()
    best = min(best, (time.process_time() - start) / 2000)
assert a[0] == 10200, a[0]
print(best * 1e6)
"""


def in_a_row(table, options, folder):
    """Measures 10^5 launches by the processor time of the program's threads, over a program of none, and by the memory left.

    Under `run` the program's own clocks are the modelled GPU's, so they are not asked."""
    (folder / "launches.cu").write_text(PROGRAM)
    built = run([options.warpwright, "build", folder / "launches.cu", "-o", folder / "launches"], folder / "cache")
    if built.code:
        raise SystemExit(built.output)
    count = 100000
    for blocks, threads, goal in ((1, 32, 3), (1, 256, 3), (8, 256, None)):
        for name, words in (("alone", []), ("under `run`", [options.warpwright, "run", "--log", os.devnull, "--predict=off"]),
                            ("under `run` with predictions", [options.warpwright, "run", "--log", os.devnull])):
            def took(launches):
                return least([*words, folder / "launches", *(["--"] if words else []), launches, blocks, threads],
                             lambda k: folder / "cache", options.rounds, environment={"WARPWRIGHT_THREADS": "1"})
            few, many = took(0), took(count)
            left = [int(line.split()[1]) for line in many.output.splitlines() if line.startswith("KiB ")]
            table.add(f"a launch of {blocks} x {threads} threads of 10^5, {name}", (many.cpu - few.cpu) / count * 1e6, "us",
                      goal if not words else None)
            if not words:
                table.add("  memory after 10^5 launches over that after 10^3", left[0] / 1024, "MiB", 1)


def numba(table, options, folder):
    """Measures a kernel of Numba whose argument is an array of the host, in the same process."""
    (folder / "small.py").write_text(NUMBA)
    there = subprocess.run([options.python, "-c", "import numba.cuda"], capture_output=True, check=False)
    if there.returncode:
        table.say(f"{options.python} has no Numba: not measured")
        return
    words = [options.warpwright, "run", "--log", os.devnull, options.python, folder / "small.py"]
    best = least(words, lambda k: folder / "cache", options.rounds)
    figures = [float(line) for line in best.output.splitlines() if line.replace(".", "", 1).isdigit()]
    if not figures:
        raise SystemExit(best.output)
    table.add("a launch by Numba with an array of the host of 4 KiB, under `run`", figures[0], "us", 50)
