#!/usr/bin/env python3
"""Joins the patterns with what record_counters.py measured into the golden table of tests/counters:
counters_golden.py PATTERNS OUT.csv MEASURED_FOLDER...
Columns: operation, mask (hex), elements, then what the hardware counted (two numbers: wavefronts and bank conflicts for
shared memory, requests and sectors for global and local). Elements are offsets in units of the access width;
"a+dxn" stands for n elements from a in steps of d."""
import csv
import sys

PREFIX = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_"
COLUMNS = {"shared_ld": (PREFIX + "ld", CONFLICTS + "ld"), "shared_st": (PREFIX + "st", CONFLICTS + "st"),
           "shared_atomic": (PREFIX + "atom", CONFLICTS + "atom"),
           "local": ("l1tex__t_requests_pipe_lsu_mem_local_op_ld", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld")}
for op in ("ld", "st", "atom", "red"):
    COLUMNS["global_" + op] = (f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}",
                               f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}")


def width_of(operation):
    last = operation.rsplit("_", 1)[1]
    return 4 if last == "1" else max(1, int(last.lstrip("ubsf")) // 8)


def packed(elements):
    out, i = [], 0
    while i < len(elements):
        n = 1
        step = elements[i + 1] - elements[i] if i + 1 < len(elements) else 0
        while i + n < len(elements) and elements[i + n] - elements[i + n - 1] == step:
            n += 1
        if n >= 3:
            out.append(f"{elements[i]}+{step}x{n}" if step >= 0 else f"{elements[i]}{step}x{n}")
            i += n
        else:
            out.append(str(elements[i]))
            i += 1
    return " ".join(out)


def main():
    patterns = open(sys.argv[1]).read().splitlines()
    rows = {}
    for folder in sys.argv[3:]:
        for unit, (first, second) in COLUMNS.items():
            try:
                table = csv.DictReader(open(f"{folder}/{unit}.csv"))
            except FileNotFoundError:
                continue
            for row in table:
                # In a compare-and-swap loop the loads of the loop conflict, not the swaps; the unit's sum is kept.
                rows[int(row["pattern"])] = (row[first + ".sum"], row[second + ".sum"])
    with open(sys.argv[2], "w") as out:
        out.write("operation,mask,elements,first,second\n")
        for number in sorted(rows):
            operation, mask, offsets = patterns[number - 1].split(",")
            width = width_of(operation)
            elements = [int(o, 16) // width for o in offsets.split()]
            out.write(f"{operation},{mask},{packed(elements)},{rows[number][0]},{rows[number][1]}\n")


main()
