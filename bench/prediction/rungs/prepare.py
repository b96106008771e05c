#!/usr/bin/env python3
"""Prepares the rungs of ladders for timing on a GPU machine that has no warpwright: machine code by nvcc, and a plan.

    bench/prediction/rungs/prepare.py FOLDER matmul:1024 reduce:4194304 'transpose:2048@T=float32'
    nvcc -O2 -arch=sm_90 -cudart static -o FOLDER/time_rungs bench/prediction/rungs/time_rungs.cu
    FOLDER/time_rungs FOLDER/plan.txt > rungs.jsonl                                    # on the GPU machine

Rungs that take a tensor map, or that belong to a library or the CPU, are left out; so are those whose `require` refuses
the size, or that need a newer device than --architecture.
"""
import argparse
import hashlib
import itertools
import pathlib
import re
import struct
import subprocess
import sys
import tomllib

from expressions import evaluate

KERNELS = pathlib.Path(__file__).resolve().parents[3] / "kernels"
SIZES = {"float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2, "int8": 1, "uint8": 1,
         "f64": 8, "i64": 8, "u64": 8, "f32": 4, "i32": 4, "u32": 4, "f16": 2, "bf16": 2, "i8": 1, "u8": 1, "i16": 2, "u16": 2}
LAUNCH_KEYS = ("entry", "grid", "block", "cluster", "shared", "arguments", "cooperative", "programmatic", "repeat", "ahead")


def read_ladder(name):
    """Reads a ladder with the rungs that stand in their own sources."""
    folder = KERNELS / name
    ladder = tomllib.loads((folder / "ladder.toml").read_text())
    rungs = ladder.setdefault("rung", [])
    for path in sorted(folder.glob("*.cu")):
        text = path.read_text()
        if not text.lstrip().startswith("/* [rung]"):
            continue
        rung = tomllib.loads(text[text.index("/*") + 2:text.index("*/")])["rung"]
        rung["source"] = path.name
        after = rung.pop("after", None)
        at = next((i + 1 for i, one in enumerate(rungs) if one["name"] == after), len(rungs))
        rungs.insert(at, rung)
    return folder, ladder


def variables_of(ladder, rung, size, variant):
    out = dict(size)
    axes = {**ladder.get("axes", {}), **rung.get("axes", {})}
    for name, value in variant.items():
        if isinstance(value, (int, float)):
            out[name] = float(value)
        for word in axes[name]:
            if isinstance(word, str):
                out[f"{name}_{word}"] = float(word == value)
        if value in SIZES:
            out[f"sizeof_{name}"] = SIZES[value]
            out[f"unit_{name}"] = 0.0
    own = rung.get("let", {})
    for lets in (own, ladder.get("defaults", {}).get("let", {})):
        for name, expression in lets.items():
            if lets is own or name not in own:
                out[name] = evaluate(expression, out)
    return out


def variants_of(ladder, rung, chosen):
    axes = {**ladder.get("axes", {})}
    axes.update({k: v for k, v in ladder["problem"].get("usual", {}).items()})
    axes.update({k: v for k, v in chosen.items() if k in axes})
    axes.update(rung.get("axes", {}))
    for values in itertools.product(*axes.values()):
        yield dict(zip(axes, values))


class Builder:
    """Machine code and parameter types by source and macros; each is made once."""

    def __init__(self, folder, architecture):
        self.folder, self.architecture, self.made = folder, architecture, {}

    def build(self, source, macros):
        key = hashlib.sha256(repr((str(source), macros)).encode()).hexdigest()[:10]
        if key not in self.made:
            name = f"{source.parent.name}-{source.stem}-{key}"
            ptx, cubin = self.folder / f"{name}.ptx", self.folder / f"{name}.cubin"
            if not (ptx.exists() and cubin.exists()):
                words = [f"-arch={self.architecture}", "-std=c++17", "-O3", "-w"]
                subprocess.run(["nvcc", "-ptx", *words, *[f"-D{m}" for m in macros], "-o", ptx, source], check=True)
                subprocess.run(["ptxas", "-O3", f"-arch={self.architecture}", "-o", cubin, ptx], check=True)
            self.made[key] = (cubin.name, parameters_of(ptx.read_text()))
        return self.made[key]


def parameters_of(ptx):
    """Types of each kernel's parameters: {"name": ["u64", "f32", ...]}."""
    out = {}
    for name, text in re.findall(r"\.entry\s+([\w$]+)\s*\((.*?)\)", ptx, re.S):
        out[name] = re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)", text)
    return out


def packed(kind, value):
    if kind[0] == "f":
        return struct.pack({"f32": "<f", "f64": "<d"}[kind], value)
    return int(value).to_bytes(int(kind[1:]) // 8, "little", signed=value < 0)


def extent(expressions, variables):
    values = [int(evaluate(e, variables)) for e in expressions or []]
    return values + [1] * (3 - len(values))


def argument_text(argument, number, last, buffers, kind, variables):
    if isinstance(argument, dict):
        if "tensor_map" in argument:
            raise LookupError("takes a tensor map")
        if number == 0 and "first" in argument:
            argument = argument["first"]
        elif last and "last" in argument:
            argument = argument["last"]
        else:
            argument = argument["odd" if number % 2 else "even"]
    if argument in buffers:
        return f"arg buffer {argument}"
    return f"arg bytes {packed(kind, evaluate(argument, variables)).hex()}"


def launches_of(ladder, rung, variables, buffers, parameters):
    """Writes the lines of a rung's launches, with repeated ones written out."""
    defaults = {k: v for k, v in ladder.get("defaults", {}).items() if k in LAUNCH_KEYS}
    own = {k: v for k, v in rung.items() if k in LAUNCH_KEYS}
    for launch in [{**defaults, **own, **one} for one in rung.get("launch", [{}])]:
        if launch.get("ahead"):
            raise LookupError("has a launch ahead")
        inner, repeat, number = dict(variables), launch.get("repeat"), 0
        count = evaluate(repeat["start"], inner) if repeat else 1
        while True:
            inner["pass"] = number
            following = 1
            if repeat:
                inner[repeat["variable"]] = count
                following = evaluate(repeat["next"], inner)
            last = following <= 1
            entry = launch["entry"]
            types = parameters[entry] if entry in parameters else next(v for k, v in parameters.items() if entry in k)
            entry = entry if entry in parameters else next(k for k in parameters if entry in k)
            figures = [*extent(launch["grid"], inner), *extent(launch["block"], inner), *extent(launch.get("cluster"), inner),
                       int(evaluate(launch.get("shared", 0), inner)), int(bool(launch.get("cooperative"))),
                       int(bool(launch.get("programmatic")))]
            yield f"launch {entry} " + " ".join(map(str, figures))
            for argument, kind in zip(launch["arguments"], types, strict=True):
                yield argument_text(argument, number, last, buffers, kind, inner)
            if last:
                break
            number, count = number + 1, following


def element(ladder, buffer, variant):
    kind = buffer["type"]
    if isinstance(kind, dict):
        kind = kind.get(variant[kind["axis"]], variant[kind["axis"]])
    return variant.get(kind, kind)


def plan_problem(out, builder, name, size, chosen):
    """Writes the lines of a ladder at a size; returns what was left out, with reasons."""
    folder, ladder = read_ladder(name)
    names = ladder["problem"]["sizes"]
    sizes = dict(zip(names, size if len(size) == len(names) else size * len(names), strict=True))
    left_out, kernel_rungs = [], [r for r in ladder["rung"] if r.get("source", "").endswith(".cu")]
    grouped = {}
    for rung in kernel_rungs:
        for variant in variants_of(ladder, rung, chosen):
            problem = tuple((k, v) for k, v in variant.items() if k in ladder.get("axes", {}))
            grouped.setdefault(problem, []).append((rung, variant))
    for problem, members in grouped.items():
        lines = []
        for rung, variant in members:
            try:
                variables = variables_of(ladder, rung, sizes, variant)
                if rung.get("compute", 0) > int(builder.architecture.strip("sm_a")) or not evaluate(rung.get("require", "1"), variables):
                    raise LookupError("does not serve here")
                defines = {**ladder.get("defaults", {}).get("defines", {}), **rung.get("defines", {})}
                macros = [f"{m}={variant[v] if v in variant else int(evaluate(v, variables))}" for m, v in defines.items()]
                module, parameters = builder.build(folder / rung["source"], macros)
                launches = list(launches_of(ladder, rung, variables, {b["name"] for b in ladder["buffer"]}, parameters))
            except LookupError as error:
                left_out.append(f"{name} {rung['name']} {variant}: {error}")
                continue
            axes = ",".join(f"{k}={v}" for k, v in variant.items() if k not in dict(problem))
            lines += [f"rung {rung['name']}|{axes}", f"module {module}", *launches]
        axes = ",".join(f"{k}={v}" for k, v in [*sizes.items(), *problem])
        print(f"problem {name}|{axes}", file=out)
        variables = variables_of(ladder, {}, sizes, dict(problem))
        for buffer in ladder["buffer"]:
            kind = element(ladder, buffer, dict(problem))
            bytes_ = int(evaluate(buffer["count"], variables)) * SIZES[kind]
            contents = buffer.get("contents", "random" if buffer.get("role", "input") == "input" else "zero")
            if contents not in ("random", "zero", "iota"):
                raise SystemExit(f"{name}: buffer {buffer['name']} has the contents {contents}, which time_rungs cannot make")
            print(f"buffer {buffer['name']} {bytes_} {kind} {contents} {buffer.get('role', 'input')}", file=out)
        print("\n".join(lines), file=out)
    return left_out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("problems", nargs="+", help="LADDER:SIZE[xSIZE...][@AXIS=VALUE,...]")
    parser.add_argument("--architecture", default="sm_90a")
    words = parser.parse_args()
    words.folder.mkdir(parents=True, exist_ok=True)
    builder = Builder(words.folder, words.architecture)
    with open(words.folder / "plan.txt", "w") as out:
        for text in words.problems:
            text, _, axis = text.partition("@")
            name, _, size = text.partition(":")
            chosen = {}
            for one in filter(None, axis.split("@")):
                key, _, values = one.partition("=")
                chosen[key] = [int(v) if v.isdigit() else v for v in values.split(",")]
            for line in plan_problem(out, builder, name, [int(s) for s in size.split("x")], chosen):
                print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
