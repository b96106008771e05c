#!/usr/bin/env python3
"""Runs record_counters under Nsight Compute on a machine with a GPU and writes what the hardware counted:
record_counters.py PROGRAM PATTERNS OUT_FOLDER BUDGET_SECONDS [OPERATION...]
One line of CSV per counted unit: the pattern's line number (from 1), then the metrics of that unit."""
import csv
import io
import subprocess
import sys
import time

PROGRAM, PATTERNS, OUT, BUDGET = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
ONLY = set(sys.argv[5:])
BEGAN = time.time()

WANTED = {
    "shared_ld": ["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "smsp__inst_executed_op_shared_ld.sum"],
    "shared_st": ["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "smsp__inst_executed_op_shared_st.sum"],
    "shared_atomic": ["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
                      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_red.sum",
                      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
                      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                      "smsp__inst_executed_op_shared_atom.sum", "smsp__inst_executed_op_shared_atom_dot_alu.sum",
                      "smsp__inst_executed_op_shared_atom_dot_cas.sum", "smsp__inst_executed_op_shared.sum"],
    "local": ["l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
              "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"],
    "nothing": ["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "l1tex__data_pipe_lsu_wavefronts.sum",
                "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum"],
}
for op in ("ld", "st", "atom", "red"):
    WANTED["global_" + op] = [f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum",
                              f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum"]


def unit_of(operation):
    for unit in ("shared_ld", "shared_st", "local", "nothing"):
        if operation.startswith(unit):
            return unit
    if operation.startswith("shared"):
        return "shared_atomic"
    if operation.startswith("generic"):
        return "global_ld"
    return "global_" + operation.split("_")[1][:2].replace("at", "atom").replace("re", "red")


def available():
    text = subprocess.run(["ncu", "--query-metrics", "--query-metrics-mode", "suffix", "--metrics",
                           ",".join(sorted({m.rsplit(".", 1)[0] for ms in WANTED.values() for m in ms}))],
                          capture_output=True, text=True).stdout
    return text


def measure(operation, metrics):
    """Returns the rows of metrics, one per launch, as the profiler prints them."""
    run = subprocess.run(["ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw",
                          "--print-units", "base", "--metrics", ",".join(metrics), PROGRAM, PATTERNS, operation],
                         capture_output=True, text=True)
    lines = run.stdout.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        print("no table for", operation, run.stdout[-600:], run.stderr[-600:])
        return None
    rows = list(csv.DictReader(io.StringIO("\n".join(lines[start:]))))
    return rows[1:]  # the first row holds the units


def main():
    with open(f"{OUT}/available.txt", "w") as out:
        out.write(available())
    where = {}
    for number, line in enumerate(open(PATTERNS), 1):
        where.setdefault(line.split(",")[0], []).append(number)
    order = sorted(where, key=lambda o: (o != "nothing", o not in (
        "shared_ld_32", "shared_ld_64", "shared_ld_128", "shared_st_64", "shared_st_128", "shared_atom_add_u32",
        "shared_atom_cas_b32", "shared_red_add_1"), o))
    files = {}
    for operation in order:
        if ONLY and operation not in ONLY:
            continue
        if time.time() - BEGAN > BUDGET:
            print("out of time before", operation)
            continue
        unit = unit_of(operation)
        began = time.time()
        rows = measure(operation, WANTED[unit])
        if rows is None:
            continue
        names = WANTED[unit]
        if unit not in files:
            files[unit] = open(f"{OUT}/{unit}.csv", "w")
            files[unit].write("pattern," + ",".join(names) + "\n")
        if len(rows) != len(where[operation]):
            print("launches", len(where[operation]), "rows", len(rows), "in", operation)
            continue
        for number, row in zip(where[operation], rows):
            files[unit].write(f"{number}," + ",".join((row.get(n) or "").replace(",", "") for n in names) + "\n")
        files[unit].flush()
        print(f"{operation}: {len(rows)} launches, {time.time() - began:.1f} s", flush=True)


main()
