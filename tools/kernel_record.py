#!/usr/bin/env python3
"""Runs kernel_record under Nsight Compute: kernel_record.py PROGRAM CASES_FOLDER OUT.csv
One line per launch: the case's name, then the metrics."""
import csv
import io
import subprocess
import sys

PROGRAM, FOLDER, OUT = sys.argv[1:4]
METRICS = ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__sass_branch_targets.sum",
           "smsp__sass_branch_targets_threads_divergent.sum", "smsp__inst_executed_op_branch.sum",
           "smsp__inst_executed_pipe_cbu.sum", "sm__inst_executed_pipe_cbu.sum"]
for op in ("ld", "st", "atom", "red"):
    METRICS += [f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum", f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum",
                f"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_{op}.sum"]
for op in ("ld", "st"):
    METRICS += [f"l1tex__t_requests_pipe_lsu_mem_local_op_{op}.sum", f"l1tex__t_sectors_pipe_lsu_mem_local_op_{op}.sum",
                f"smsp__inst_executed_op_local_{op}.sum"]
for op in ("ld", "st", "atom"):
    METRICS += [f"smsp__inst_executed_op_shared_{op}.sum", f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum",
                f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum",
                f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"]
for op in ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "integer", "memory", "control"):
    METRICS.append(f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum")

run = subprocess.run(["ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw", "--print-units",
                      "base", "--metrics", ",".join(METRICS), PROGRAM, FOLDER], capture_output=True, text=True)
lines = run.stdout.splitlines()
start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
if start is None:
    sys.exit("no table: " + run.stdout[-2000:] + run.stderr[-2000:])
rows = list(csv.DictReader(io.StringIO("\n".join(lines[start:]))))[1:]
names = [line.split(",")[0] for line in open(f"{FOLDER}/cases.csv")]
with open(OUT, "w") as out:
    out.write("case," + ",".join(METRICS) + "\n")
    for name, row in zip(names, rows):
        out.write(name + "," + ",".join((row.get(m) or "").replace(",", "") for m in METRICS) + "\n")
print(len(rows), "of", len(names), "launches counted")
