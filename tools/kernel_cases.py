#!/usr/bin/env python3
"""Compiles the kernels whose counts are compared with a GPU's to PTX and writes the list of launches:
kernel_cases.py REPOSITORY OUT_FOLDER   (needs nvcc)
cases.csv: name,ptx,entry,grid,block,shared,arguments; an argument is p:BYTES (a buffer of small numbers), z:BYTES
(zeros), i:N (32 bits) or l:N (64 bits)."""
import os
import subprocess
import sys

REPOSITORY, OUT = sys.argv[1], sys.argv[2]
CASES = []


def compile_ptx(source, name, defines=()):
    target = f"{OUT}/{name}.ptx"
    subprocess.run(["nvcc", "-ptx", "-O3", "-arch=compute_90", "-std=c++17", *[f"-D{d}" for d in defines],
                    f"{REPOSITORY}/{source}", "-o", target], check=True)
    text = open(target).read()
    # The compiler's banner names machine-dependent paths and build numbers; nothing reads it.
    open(target, "w").write("\n".join(l for l in text.splitlines() if not l.startswith("//")) + "\n")
    return f"{name}.ptx"


def case(name, ptx, entry, grid, block, shared, *arguments):
    three = lambda d: " ".join(str(x) for x in (list(d) + [1, 1])[:3])
    CASES.append(f"{name},{ptx},{entry},{three(grid)},{three(block)},{shared},{' '.join(arguments)}")


def up(a, b):
    return -(-a // b)


def matmul(size):
    m = n = k = size
    buffers = [f"p:{4 * m * k}", f"p:{4 * k * n}", f"z:{4 * m * n}", f"i:{m}", f"i:{n}", f"i:{k}"]
    rungs = [("01_naive", "matmul_naive", [], (up(n, 16), up(m, 16)), (16, 16), 0),
             ("02_naive_swapped", "matmul_naive_swapped", [], (up(m, 16), up(n, 16)), (16, 16), 0),
             ("03_row_buffer", "matmul_row_buffer", ["BUFFER=8192"], (m,), (up(n, 32) * 32,), 4 * k),
             ("04_column_buffer", "matmul_column_buffer", ["BUFFER=8192"], (n,), (up(m, 32) * 32,), 4 * k)]
    rungs += [("05_tiled", "matmul_tiled", [f"TILE={t}"], (up(n, t), up(m, t)), (t, t), 0) for t in (8, 16, 32)]
    rungs += [("06_tiled_unrolled", "matmul_tiled_unrolled", ["TILE=16", f"UNROLL={u}"], (up(n, 16), up(m, 16)), (16, 16), 0)
              for u in (1, 4, 16)]
    rungs += [("07_padded", "matmul_padded", ["TILE=32", f"PAD={p}"], (up(n, 32), up(m, 32)), (32, 32), 0) for p in (0, 1)]
    rungs += [("08_register_1d", "matmul_register_1d", [], (up(n, 64), up(m, 64)), (512,), 0),
              ("09_register_2d", "matmul_register_2d", ["TILE=64"], (up(n, 64), up(m, 64)), (256,), 0),
              ("10_vectorised", "matmul_vectorised", ["TILE=64"], (up(n, 64), up(m, 64)), (256,), 0)]
    for source, entry, defines, grid, block, shared in rungs:
        tag = "_".join([source] + [d.lower().replace("=", "") for d in defines if d != "BUFFER=8192"])
        ptx = f"matmul_{tag}.ptx"
        if not os.path.exists(f"{OUT}/{ptx}"):
            compile_ptx(f"kernels/matmul/{source}.cu", ptx[:-4], defines)
        case(f"matmul_{tag}/{size}", ptx, entry, grid, block, shared, *buffers)


def reduce(n, element, size):
    rungs = [("01_interleaved_modulo", 256), ("02_strided", 256), ("03_sequential", 256), ("04_first_add", 512),
             ("06_last_warp", 512), ("07_unrolled", 512), ("08_grid_stride", 2048), ("09_shuffle", 2048),
             ("10_single_pass", 2048)]
    for source, per_block in rungs:
        entry = "reduce_" + source[3:]
        ptx = f"reduce_{source}_{element}.ptx"
        if not os.path.exists(f"{OUT}/{ptx}"):
            compile_ptx(f"kernels/reduce/{source}.cu", ptx[:-4], [f"ELEMENT={element}"] +
                        (["BLOCK=256"] if source.startswith("07") else []))
        blocks = up(n, per_block)
        extra = [f"z:{size * (blocks + 1)}", "z:256"] if source.startswith("10") else []
        case(f"reduce_{source}_{element}/{n}", ptx, entry, (blocks,), (256,), 256 * size, f"p:{size * n}",
             f"z:{size * (blocks + 1)}", f"l:{n}", *extra)


def patterns():
    ptx = compile_ptx("tests/oracle/kernels/patterns.cu", "patterns")
    n = 10000
    line = lambda threads=256, count=n: ((up(count, threads),), (threads,), 0)
    case("copy4", ptx, "copy4", *line(), f"p:{4 * n}", f"z:{4 * n}", f"i:{n}")
    for offset in (1, 8):
        case(f"copy4_offset/{offset}", ptx, "copy4_offset", *line(), f"p:{4 * n + 64}", f"z:{4 * n + 64}", f"i:{n}", f"i:{offset}")
    case("copy16", ptx, "copy16", *line(), f"p:{16 * n}", f"z:{16 * n}", f"i:{n}")
    case("copy1", ptx, "copy1", *line(), f"p:{n}", f"z:{n}", f"i:{n}")
    for stride in (2, 7, 32):
        case(f"strided/{stride}", ptx, "strided", *line(), f"p:{4 * n * stride}", f"z:{4 * n}", f"i:{n}", f"i:{stride}")
    case("gather", ptx, "gather", *line(), f"p:{4 * n}", f"p:{4 * 4096}", f"z:{4 * n}", f"i:{n}")
    for size in (100, 128):
        for name in ("transpose_naive", "transpose_shared", "transpose_padded"):
            case(f"{name}/{size}", ptx, name, (up(size, 32), up(size, 32)), (32, 8), 0, f"p:{4 * size * size}",
                 f"z:{4 * size * size}", f"i:{size}")
    case("histogram_global", ptx, "histogram_global", *line(), f"p:{n}", "z:1024", f"i:{n}")
    case("histogram_shared", ptx, "histogram_shared", (8,), (256,), 0, f"p:{n}", "z:1024", f"i:{n}")
    case("shared_max", ptx, "shared_max", *line(), f"p:{4 * n}", f"z:{4 * (n + 256)}", f"i:{n}")
    case("mandelbrot", ptx, "mandelbrot", (7, 5), (16, 16), 0, f"z:{4 * 112 * 80}", "i:109", "i:77", "i:60")
    case("switch_by_lane", ptx, "switch_by_lane", *line(128, 5000), "p:20000", "p:24000", "i:5000")
    case("local_array", ptx, "local_array", *line(128, 5000), "p:20000", "z:20000", "i:5000")
    for stride in (1, 2, 3, 0):
        case(f"shared_vector/{stride}", ptx, "shared_vector", (3,), (256,), 0, "p:12288", "z:12288", f"i:{stride}")
        case(f"shared_double/{stride}", ptx, "shared_double", (3,), (256,), 0, "p:6144", "z:6144", f"i:{stride}")


def main():
    patterns()
    for size in (100, 128):
        matmul(size)
    reduce(20001, "int32", 4)
    reduce(20001, "float64", 8)
    with open(f"{OUT}/cases.csv", "w") as out:
        out.write("\n".join(CASES) + "\n")
    print(len(CASES), "launches")


main()
