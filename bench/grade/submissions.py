#!/usr/bin/env python3
"""Grades 72 made submissions, 26 of them hostile, and says whether each has the grade that it should have, whatever the
number of judges.

    bench/grade/submissions.py --program build/release/warpwright                 # makes, grades twice, prints a table
    bench/grade/submissions.py --program build/release/warpwright --keep FOLDER   # and keeps files, grades and pages there

The honest ones are our exercises' own files: solutions, untouched files, typical mistakes, and solutions in another style.
Each of the hostile ones tries something on the judge. Grades must be the same with one judge and with four; the exit code is 1
where they are not, or where a submission has another grade than it should have. Python 3.11 or later, and nothing else."""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

COURSE = Path(__file__).resolve().parents[2] / "course"
EXERCISES = ("bounds", "coalesced", "tiles", "padding", "warp_sum", "reversed", "error_checks", "sectors", "opencl_sum")
HONEST, HOSTILE = 46, 26


def folder_of(name):
    return COURSE / name


def files_of(name):
    """Gives the exercise's own files by rung, the name of a learner's file, and which are the solution and the start."""
    exercise = tomllib.loads((folder_of(name) / "exercise.toml").read_text())
    if "question" in exercise:
        sources = {"reference": exercise["reference"], "start": exercise["start"]}
    elif "program" in exercise:
        sources = exercise["program"]["files"]
    else:
        ladder = tomllib.loads((folder_of(name) / "ladder.toml").read_text())
        sources = {rung["name"]: rung["source"] for rung in ladder["rung"]}
    wanted = ["reference", "start"] + [m["rung"] for m in exercise.get("mistake", []) if m["rung"] != "start"]
    return exercise["file"], {rung: (folder_of(name) / sources[rung]).read_bytes() for rung in wanted}


def honest():
    """Gives learner, exercise, bytes, and the states that the grade may have."""
    out = []
    for name in EXERCISES:
        _, sources = files_of(name)
        for rung, text in sources.items():
            states = {"done"} if rung == "reference" else {"wrong", "partial"}
            out.append((f"{name}-{rung}".replace("_", "-"), name, text, states))
    solution = {name: files_of(name)[1]["reference"] for name in EXERCISES}
    styles = (("crlf", "bounds", lambda t: t.replace(b"\n", b"\r\n")), ("tabs", "tiles", lambda t: t.replace(b"    ", b"\t")),
              ("remarks", "error_checks", lambda t: "// Это моё решение, 我的解答.\n".encode() + t + b"// the end\n"),
              ("no-newline", "padding", lambda t: t.rstrip(b"\n")),
              ("long", "coalesced", lambda t: b"// a remark\n" * 5000 + t))
    for style, name, change in styles:
        out.append((f"{name}-{style}".replace("_", "-"), name, change(solution[name]), {"done"}))
    assert len(out) == HONEST, len(out)
    return out


def kernel(body, before=""):
    return f"{before}__global__ void twice_plus_one(const float* x, float* y, int n) {{\n    {body}\n}}\n".encode()


def program(body, before=""):
    return (f"#include <cstdio>\n#include <cstdlib>\n#include <csignal>\n#include <fcntl.h>\n#include <sys/ptrace.h>\n#include <sys/stat.h>\n#include <unistd.h>\n{before}"
            f"int main() {{\n    {body}\n    return 0;\n}}\n").encode()


def hostile():
    reference = folder_of("bounds") / "reference.cu"
    tests = folder_of("error_checks") / "exercise.toml"
    kernels = {
        "loops": kernel("for (volatile int i = 0; i < 10; i = i) y[0] = i;"),
        "loops-long": kernel("float s = 0; for (long long i = 0; i < (1ll << 50); ++i) s = s * 0.5f + x[i & 7];"
                             " y[threadIdx.x] = s;"),
        "prints-in-kernel": kernel("for (int i = 0; i < 1000000000; ++i) printf(\"a long line of text, %d\\n\", i);"),
        "sleeps-in-kernel": kernel("for (int i = 0; i < 1000000000; ++i) __nanosleep(1000000);"),
        "reads-reference": f'#include "{reference}"\n'.encode(),
        "names-files-outside": b'#include "/etc/passwd"\n#include "../../bounds-reference/bounds/bounds.cu"\n',
        "not-utf8": b"\xff\xfe\x00\x01" + bytes(range(128, 256)) * 20,
        "hard-codes": kernel("const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = 1.25f;"),
        "bomb-of-templates": b"template <int N, int M> struct A { using L = A<N - 1, 2 * M>; using R = A<N - 1, 2 * M + 1>;"
                             b" static const int v = L::v + R::v; };\n"
                             b"template <int M> struct A<0, M> { static const int v = 1; };\n"
                             + kernel("y[0] = A<40, 1>::v;"),
        "calls-the-engine": kernel('asm volatile("call.uni ww_rt_spent;");'),
        "embeds-the-environment": b"__device__ const unsigned char s[] = {\n#embed \"/proc/self/environ\"\n};\n" + kernel("y[0] = s[0];"),
        "includes-a-device": b'#include "/dev/zero"\n' + kernel("y[0] = 1;"),
        "computes-while-compiling": b"constexpr long f(long n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
                                    b"constexpr long v = f(1000);\n" + kernel("y[0] = v;"),
        "allocates-in-kernel": kernel("for (;;) if (char* p = (char*)malloc(1 << 20)) p[0] = 1;"),
        "forges-an-answer": kernel('printf("{\\"schema\\":1,\\"done\\":true,\\"points\\":[]}\\n");'),
    }
    # What a run leaves for the judge, replaced by something else.
    left = 'for (const char* e : {"WARPWRIGHT_PROFILE", "WARPWRIGHT_FINDINGS"}) if (char* f = getenv(e))'
    programs = {
        "forks": program("while (fork() >= 0) {}\n    for (;;) fork();"),
        "allocates": program("for (;;) if (char* p = (char*)malloc(1 << 26))"
                             " for (int i = 0; i < 1 << 26; i += 4096) p[i] = 1;"),
        "prints": program("for (;;) puts(\"a line that is printed again and again, and never ends\");"),
        "sleeps": program("for (;;) sleep(1000);"),
        "changes-tests": program(f'int f = open("{tests}", O_WRONLY | O_TRUNC); if (f >= 0) puts("open");\n'
                                 f'    unlink("{tests}"); kill(getppid(), SIGKILL); kill(-1, SIGKILL);'),
        "fills-disk": program("signal(SIGXFSZ, SIG_IGN);\n    char block[65536] = {1}, name[200];\n"
                              "    for (int k = 0;; ++k) { sprintf(name, \"%s/f%d\", getenv(\"TMPDIR\"), k);"
                              " int f = open(name, O_WRONLY | O_CREAT, 0600); while (write(f, block, sizeof block) > 0) {} }"),
        "leaves-pipes": program(left + " { unlink(f); mkfifo(f, 0600); }\n    _exit(0);"),
        "leaves-links": program(left + ' { unlink(f); if (symlink("/etc/passwd", f)) {} }\n    _exit(0);'),
        "leaves-endless-brackets": program(left + " { int d = open(f, O_WRONLY | O_TRUNC | O_CREAT, 0600);"
                                           ' for (int k = 0; k < 1000000; ++k) if (write(d, "[[[[[[[[[[", 10)) {} }\n    _exit(0);'),
        "ends-as-the-machine": program("_exit(75);"),
        "traces-others": program("for (int i = 2; i < 40000; ++i) if (ptrace(PTRACE_ATTACH, i, 0, 0) == 0) puts(\"attached\");"),
    }
    out = [(f"hostile-{name}", "bounds", text, {"wrong", "failed"}) for name, text in kernels.items()]
    out += [(f"hostile-{name}", "error_checks", text, {"wrong", "failed"}) for name, text in programs.items()]
    assert len(out) == HOSTILE
    return out


def grade(options, place, jobs):
    words = [options.program, "grade", str(place / "all"), "--course", str(place / "mine.toml"), "--jobs", str(jobs), "--limit",
             str(options.limit), "--lang", "en", "--json", str(place / f"grades-{jobs}.json"),
             "--csv", str(place / f"grades-{jobs}.csv"), "--html", str(place / "pages")]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    ran = subprocess.run(words, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ran.returncode != 0:
        sys.exit(f"grade --jobs {jobs} ended with {ran.returncode}: {ran.stderr}")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    grades = json.loads((place / f"grades-{jobs}.json").read_text())["grades"]
    return grades, time.monotonic() - begun, processor


def run(options, place):
    every = honest() + hostile()
    for learner, name, text, _ in every:
        file = place / "all" / learner / name / files_of(name)[0]
        file.parent.mkdir(parents=True)
        file.write_bytes(text)
    names = ", ".join(f'"{e}"' for e in EXERCISES)
    (place / "mine.toml").write_text(f'schema = 1\ntitle = "Made submissions"\nexercises = [{names}]\n\n'
                                     "[grading]\nseed = 20260901\n")
    kept = {file: file.read_bytes() for name in EXERCISES for file in folder_of(name).iterdir()}
    runs = {}
    for jobs in options.jobs:
        runs[jobs] = grade(options, place, jobs)
        print(f"--jobs {jobs}: {runs[jobs][1]:.1f} s, {runs[jobs][2]:.1f} s of processor time, "
              f"load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores", flush=True)
    wrong = []
    first = runs[options.jobs[0]][0]
    for jobs in options.jobs[1:]:
        for a, b in zip(first, runs[jobs][0]):
            if any(a[k] != b[k] for k in ("learner", "exercise", "state", "points", "checks")):
                wrong.append(f"{a['learner']}: another grade with --jobs {jobs}")
    if {file: file.read_bytes() for file in kept} != kept:
        wrong.append("a submission changed the course")
    by_unit = {(g["learner"], g["exercise"]): g for g in first}
    print("\n| submission | state | points | what is said |\n|---|---|---|---|")
    for learner, name, _, states in every:
        g = by_unit[learner, name]
        if g["state"] not in states:
            wrong.append(f"{learner}: {g['state']} in place of {' or '.join(sorted(states))}")
        said = (g.get("text") or "").split("\n")[0][:110].replace("|", "\\|")
        said = said.replace(str(place), "").replace(str(COURSE), "course")
        print(f"| {learner} | {g['state']} | {g['points']:g} / {g['of']:g} | {said} |")
    for line in wrong:
        print("NOT AS IT SHOULD BE: " + line, file=sys.stderr)
    print(f"\n{len(every)} submissions, {HOSTILE} of them hostile: {len(wrong)} not as they should be")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="warpwright")
    parser.add_argument("--keep", help="a new folder for all files")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 4], help="how many judges, one run each")
    parser.add_argument("--limit", type=float, default=2, help="seconds of processor time for a launch")
    options = parser.parse_args()
    options.program = str(Path(options.program).resolve()) if "/" in options.program else options.program
    if options.keep:
        Path(options.keep).mkdir(parents=True)
        return run(options, Path(options.keep).resolve())
    with tempfile.TemporaryDirectory() as place:
        return run(options, Path(place))


if __name__ == "__main__":
    sys.exit(main())
