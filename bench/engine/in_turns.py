#!/usr/bin/env python3
"""Compares builds of bench_engine on a machine that others use too: each problem in turns, by the processor time of its launches.

    bench/engine/in_turns.py NAME=FILE [NAME=FILE ...] [--problem A,B] [--repetitions 9] [--backend counted] [--json FILE]
FILE is a build's bench_engine; several backends, with commas between, take turns as builds do. Shows the best and the median of
the warm requests in milliseconds, and the best over the first's; figure.py --processor draws the JSON. Needs Python's standard
library only.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

PROBLEMS = ("naive matmul 512,tiled matmul 512,int32 sum of 2^22,transpose 2048,mandelbrot 1024,histogram of 2^22,"
            "histogram\\, global,4096 bodies,stencil 2048,sparse rows 2^16,scan of 2^20,hash insert 2^18,wmma product 256,"
            "wgmma product 512,softmax 2048x1024,attention 1024x32,FFT 2048 of 512,sort of 2^17,eight ways 2^20,"
            "2000 instructions,barriers:64x2000")
KERNELS = pathlib.Path(__file__).resolve().parent.parent / "kernels"


def names(text):
    return [name.replace("\0", ",") for name in text.replace("\\,", "\0").split(",")]


def request(worker, problem):
    worker.stdin.write(problem + "\n")
    worker.stdin.flush()
    answer = worker.stdout.readline().split()
    if not answer or answer[0] != "ok":
        raise SystemExit(f"in_turns.py: {problem}: {' '.join(answer) or 'the worker died'}")
    return float(answer[4]) * 1e3  # processor time, of all threads


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("builds", nargs="+", metavar="NAME=FILE")
    parser.add_argument("--problem", default=PROBLEMS, help="names, with commas between; a comma of a name as \\,")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--backend", default="counted")
    parser.add_argument("--cores", default="1")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    builds = [(*build.split("=", 1), backend) for build in options.builds for backend in options.backend.split(",")]
    several = "," in options.backend
    environment = {**os.environ, "OMP_NUM_THREADS": options.cores, "OMP_WAIT_POLICY": "passive"}
    records = []
    with tempfile.TemporaryDirectory() as caches:
        workers = {(f"{name} {backend}" if several else name, backend): subprocess.Popen(
            [file, "--worker", backend, "--cores", options.cores, "--kernels", KERNELS, "--cache", f"{caches}/{number}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
                   for number, (name, file, backend) in enumerate(builds)}
        for problem in names(options.problem):
            times = {key: [] for key in workers}
            for repetition in range(options.repetitions + 1):
                for key, worker in workers.items():
                    took = request(worker, problem)
                    if repetition:  # the first is a cold one
                        times[key].append(took)
            first = min(next(iter(times.values())))
            records += [{"experiment": problem, "backend": backend, "cores": int(options.cores),
                         "time": {"processor_min_s": min(t) / 1e3}} for (_, backend), t in times.items()]
            print(f"{problem:20}", *(f"  {name} {min(t):8.3f} (median {sorted(t)[len(t) // 2]:8.3f}) {min(t) / first:5.2f}"
                                     for (name, _), t in times.items()), flush=True)
        for worker in workers.values():
            worker.stdin.close()
            worker.wait()
    if options.json:
        options.json.write_text(json.dumps({"records": records}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
