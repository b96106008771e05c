#!/usr/bin/env python3
"""Writes the access patterns that record_counters.cu runs under a profiler, one per line:
operation,mask,offset offset ... (hexadecimal; 32 byte offsets). Deterministic: the same file every time."""
import random
import sys

LANES = range(32)
FULL = 0xFFFFFFFF


def masks(rng, count):
    """Returns active masks of every shape: halves, quarters, every other lane, single lanes, random densities."""
    fixed = [0x0000FFFF, 0xFFFF0000, 0x55555555, 0xAAAAAAAA, 0x000000FF, 0x00FF0000, 0xFF0000FF, 0x33333333,
             0x0F0F0F0F, 0x00000001, 0x80000000, 0x80000001, 0x00010001, 0x00000003, 0x00018000, 0x7FFFFFFF]
    out = fixed[:count]
    while len(out) < count:
        density = rng.choice([0.1, 0.3, 0.5, 0.7, 0.9])
        mask = sum(1 << i for i in LANES if rng.random() < density)
        if mask:
            out.append(mask)
    return out


def shared_elements(rng):
    """Returns (mask, element indices) for shared memory; an element is as wide as the access."""
    out = []
    for stride in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64):
        out.append((FULL, [i * stride for i in LANES]))
    for group in (2, 4, 8, 16):
        out.append((FULL, [i // group for i in LANES]))
        out.append((FULL, [i % group for i in LANES]))
        out.append((FULL, [(i // group) * 32 for i in LANES]))
        out.append((FULL, [(i % group) * 32 for i in LANES]))
        out.append((FULL, [(i // group) * 33 for i in LANES]))
    for swap in (1, 3, 8, 16, 31):
        out.append((FULL, [i ^ swap for i in LANES]))
    for _ in range(6):
        out.append((FULL, rng.sample(range(32), 32)))
    for ways in (2, 3, 4, 5, 8, 16, 31):
        out.append((FULL, [(i % ways) * 32 + i // ways for i in LANES]))
    for window in (2, 4, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512, 1024):
        for _ in range(3):
            out.append((FULL, [rng.randrange(window) for i in LANES]))
    return out


def merging_elements(rng):
    """Returns patterns that tell the rules for joining half and quarter warps apart: lanes i and i^step share an element,
    exactly or with single exceptions; halves and quarters that repeat each other; sparse lanes."""
    out = []
    for step in (1, 2, 4, 8, 16, 3, 6):
        for window in (8, 16, 32, 64, 256):
            base = [rng.randrange(window) for _ in LANES]
            paired = [base[min(i, i ^ step)] for i in LANES]
            out.append((FULL, paired))
            broken = list(paired)
            broken[rng.randrange(32)] = rng.randrange(window)
            out.append((FULL, broken))
            hole = rng.randrange(32)  # the exception is not active
            odd = list(paired)
            odd[hole] = 777
            out.append((FULL & ~(1 << hole), odd))
    for window in (8, 16, 32, 64):
        base = [rng.randrange(window) for _ in LANES]
        out.append((FULL, [base[i % 16] for i in LANES]))
        out.append((FULL, [base[i % 8] for i in LANES]))
        out.append((FULL, [base[i % 8 + 16 * (i // 16)] for i in LANES]))
        for mask in (0x55555555, 0xAAAAAAAA, 0x33333333, 0x99999999, 0x5555AAAA, 0x0F0F0F0F, 0x000F000F, 0x00FF00FF,
                     0x01010101, 0x03030303, 0x05050505, 0x11111111, 0x0000FF0F, 0x55550000, 0x33335555, 0x00005533):
            out.append((mask, [rng.randrange(window) for _ in LANES]))
            out.append((mask, list(LANES)))
    for group in (2, 4):  # each half joined by another step
        first = [rng.randrange(32) for _ in LANES]
        out.append((FULL, [first[i & ~1] if i < 16 else first[i & ~2] for i in LANES]))
        out.append((FULL, [first[i & ~1] if i < 16 else first[i] for i in LANES]))
        out.append((FULL, [first[i & ~2] if i >= 16 else first[i] for i in LANES]))
        out.append((FULL, [first[i & ~1] if i % 16 < 8 else first[i & ~2] for i in LANES]))
        out.append((FULL, [first[i & ~3] for i in LANES]))
        out.append((FULL, [first[i & ~3] if i < 16 else first[i & ~group] for i in LANES]))
    return out


def masked_elements(rng, count):
    out = []
    for i, mask in enumerate(masks(rng, count)):
        out.append((mask, [rng.randrange(rng.choice([8, 32, 64, 256])) for _ in LANES]))
        if i % 2 == 0:
            out.append((mask, list(LANES)))
        if i % 4 == 0:
            out.append((mask, [l * 2 for l in LANES]))
    return out


def write(out, operation, mask, offsets):
    out.write(f"{operation},{mask:x},{' '.join(f'{o:x}' for o in offsets)}\n")


def shared(out):
    for kind in ("ld", "st"):
        for width in (8, 16, 32, 64, 128):
            rng = random.Random(width if kind == "ld" else 1000 + width)
            bytes_ = width // 8
            patterns = shared_elements(rng) + masked_elements(rng, 40 if width >= 32 else 16)
            if width >= 64:
                patterns += merging_elements(rng)
            if width < 32:
                patterns = rng.sample(patterns, 60)
            elif kind == "st":
                patterns = rng.sample(patterns, min(len(patterns), 200))
            limit = 32768 // bytes_
            for mask, elements in patterns:
                write(out, f"shared_{kind}_{width}", mask, [(e % limit) * bytes_ for e in elements])
    few = ["add_u32", "add_u64", "cas_b32", "cas_b64", "add_f32", "exch_b32", "exch_b64"]
    for name in few + ["inc_u32", "max_s32", "and_b32", "max_u64", "add_f64", "red_add_u32", "red_add_1",
                       "red_max_s32", "red_add_u64"]:
        rng = random.Random("atomic " + name)
        bytes_ = 8 if name.endswith("64") else 4
        operation = "shared_" + (name if name.startswith("red") else "atom_" + name)
        patterns = shared_elements(rng) + masked_elements(rng, 24)
        if name in ("add_u32", "cas_b64", "exch_b64", "cas_b32", "red_add_1"):
            patterns += rng.sample(merging_elements(rng), 40) if bytes_ == 8 else []
        else:
            patterns = rng.sample(patterns, 40 if name in few else 24)
        for mask, elements in patterns:
            write(out, operation, mask, [e % (32768 // bytes_) * bytes_ for e in elements])


def global_memory(out):
    widths = {"global_ld_8": 1, "global_ld_16": 2, "global_ld_32": 4, "global_ld_64": 8, "global_ld_128": 16,
              "global_ldnc_32": 4, "global_ldcg_32": 4, "global_ldvol_32": 4, "generic_ld_32": 4,
              "global_st_8": 1, "global_st_16": 2, "global_st_32": 4, "global_st_64": 8, "global_st_128": 16,
              "global_atom_add_u32": 4, "global_atom_cas_b32": 4, "global_atom_add_u64": 8, "global_atom_add_f32": 4,
              "global_red_add_u32": 4, "global_red_add_u64": 8}
    for operation, width in widths.items():
        rng = random.Random(operation)
        patterns = []
        for stride in (0, 1, 2, 3, 5, 8, 17, 32, 33, 1024):
            patterns.append((FULL, [i * stride for i in LANES]))
        for first in (1, 3, 8, 31):
            patterns.append((FULL, [i + first for i in LANES]))
        patterns.append((FULL, rng.sample(range(32), 32)))
        patterns.append((FULL, [31 - i for i in LANES]))
        for window in (8, 64, 256, 1024, 16384, 1 << 20):
            for _ in range(2):
                patterns.append((FULL, [rng.randrange(window) for _ in LANES]))
        for mask in masks(rng, 10) + masks(rng, 22)[16:]:
            patterns.append((mask, [rng.randrange(rng.choice([64, 1024])) for _ in LANES]))
            patterns.append((mask, list(LANES)))
        if "_ld_" not in operation and "_st_" not in operation or operation.startswith("generic"):
            patterns = rng.sample(patterns, 24)
        for mask, elements in patterns:
            write(out, operation, mask, [e * width for e in elements])


def local_memory(out):
    for width in (8, 16, 32, 64, 128):
        rng = random.Random(f"local {width}")
        bytes_ = width // 8
        limit = 2048 // bytes_
        patterns = [(FULL, [i * stride % limit for i in LANES]) for stride in (0, 1, 2, 3, 4, 8)]
        patterns += [(FULL, [1] * 32), (FULL, [5] * 32), (FULL, [i // 8 for i in LANES]), (FULL, [i % 2 for i in LANES])]
        patterns += [(FULL, [rng.randrange(window) for _ in LANES]) for window in (2, 4, 16, 64, limit)]
        for mask in masks(rng, 14):
            patterns.append((mask, [3] * 32))
            patterns.append((mask, [rng.randrange(8) for _ in LANES]))
        for mask, elements in patterns:
            write(out, f"local_{width}", mask, [e * bytes_ for e in elements])


def more_atomics(out):
    """Returns lanes that share sectors but seldom addresses, to find what else splits a sector."""
    rng = random.Random("more atomics")
    for window in (64, 128, 256, 512, 1024, 2048):
        for _ in range(14):
            write(out, "global_red_add_u32", FULL, [4 * rng.randrange(window) for _ in LANES])
    for window in (64, 256, 1024):
        for _ in range(6):
            elements = rng.sample(range(window), 32)
            write(out, "global_red_add_u32", FULL, [4 * e for e in elements])
            write(out, "global_red_add_u32", FULL, [4 * e for e in sorted(elements)])
            write(out, "global_red_add_u32", FULL, [4 * e for e in sorted(elements, reverse=True)])


def main():
    with open(sys.argv[1], "w") as out:
        write(out, "nothing", FULL, [0] * 32)
        shared(out)
        global_memory(out)
        local_memory(out)
        more_atomics(out)


main()
