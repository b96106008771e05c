#!/usr/bin/env python3
"""Sets what a GPU executed, by class of its instructions, beside the counts of PTX and of the machine view."""
import argparse
import json
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Classes as record/metrics.inc has them (mix_*), and how the opcodes of each begin; the longest beginning decides.
CLASSES = {
    "fp32": "FADD FMUL FFMA FSETP FSET FMNMX FSEL FCHK FSWZADD",
    "fp64": "DADD DMUL DFMA DSETP DMNMX",
    "fp16": "HADD HMUL HFMA HSETP HSET HMNMX",
    "integer": "IADD IMAD LEA LOP SHF ISETP IMNMX VIMNMX VIADD IABS POPC FLO BREV SGXT BMSK IDP VABSDIFF UIADD UIMAD ULEA ULOP "
               "USHF UISETP UFLO UPOPC UBREV UBMSK USGXT",
    "special": "MUFU",
    "convert": "I2F F2I F2F I2I F2FP F2IP FRND I2IP",
    "tensor": "HMMA IMMA DMMA BMMA HGMMA IGMMA QGMMA",
    "memory": "LD ST ATOM RED CCTL ULDC MEMBAR QSPC",
    "warp": "SHFL VOTE MATCH REDUX UREDUX",
    "control": "BRA BRX JMP CALL RET EXIT BSSY BSYNC BREAK BMOV BAR WARPSYNC NANOSLEEP YIELD NOP DEPBAR ERRBAR WARPGROUP KILL",
    "move": "MOV IMAD.MOV UMOV SEL USEL PRMT UPRMT S2R S2UR CS2R P2R R2P PLOP3 UPLOP3 R2UR UP2UR",
}
BEGINNINGS = {begin: name for name, begins in CLASSES.items() for begin in begins.split()}


def class_of(opcode):
    """Returns the class of an opcode with its modifiers. One that is not known is an error, for a sum would lack it."""
    for length in range(len(opcode), 1, -1):
        if opcode[:length] in BEGINNINGS:
            return BEGINNINGS[opcode[:length]]
    raise KeyError(f"no class for opcode {opcode}")


def executed(opcodes):
    """Returns the executed instructions by class, and in all, of counts by opcode."""
    sums = dict.fromkeys(CLASSES, 0)
    for opcode, count in opcodes.items():
        sums[class_of(opcode)] += count
    return {"instructions": sum(sums.values()), **{f"mix_{name}": n for name, n in sums.items() if n}}


def distances(rows, recorded):
    """Returns, for PTX and for the machine view, by figure how far a kernel's count is from the GPU's, as a part of all
    that the kernel executed there."""
    found = {"PTX": {}, "machine view": {}}
    for row in rows:
        if not (gpu := recorded.get(row["kernel"])):
            continue  # not measured
        for name in ("instructions", *(f"mix_{c}" for c in CLASSES)):
            if name in row["theirs"]:
                off = (row["theirs"][name] - gpu.get(name, 0)) / gpu["instructions"]
                found["PTX"].setdefault(name, []).append(off)
        found["machine view"].setdefault("instructions", []).append(row["theirs"]["machine"] / gpu["instructions"] - 1)
        for name in CLASSES:
            if (count := row["theirs"].get(f"machine_{name}")) is not None:
                off = (count - gpu.get(f"mix_{name}", 0)) / gpu["instructions"]
                found["machine view"].setdefault(f"machine_{name}", []).append(off)
    return found


def table(rows, recorded):
    lines = ["| count | of | kernels | mean | median distance | within 10 % |", "|---|---|---|---|---|---|"]
    for of, figures in distances(rows, recorded).items():
        for name, offs in figures.items():
            far = [abs(o) for o in offs]
            lines.append(f"| {name} | {of} | {len(offs)} | {statistics.fmean(offs):+.1%} | {statistics.median(far):.1%} | "
                         f"{sum(f <= 0.1 for f in far)} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=pathlib.Path, default=HERE / "texts.json", help="what compare.py saved")
    parser.add_argument("--recorded", type=pathlib.Path, default=HERE / "machine_h100.json")
    parser.add_argument("--worst", type=int, default=0, help="name so many kernels whose machine view is farthest off")
    options = parser.parse_args()
    rows, recorded = (json.loads(path.read_text()) for path in (options.rows, options.recorded))
    print("\n".join(table(rows, recorded)))
    ratio = {r["kernel"]: r["theirs"]["machine"] / recorded[r["kernel"]]["instructions"] for r in rows
             if r["kernel"] in recorded}
    for name in sorted(ratio, key=lambda k: -abs(ratio[k] - 1))[:options.worst]:
        print(f"{name}: the machine view has {ratio[name]:.2f} of the GPU's instructions")


if __name__ == "__main__":
    sys.exit(main())
