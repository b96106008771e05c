#!/usr/bin/env python3
"""How long learners wait for an answer of `warpwright serve` when a class works at once.

Starts a server on the loopback address with a token for each learner. Each learner opens an exercise and then, again and again,
changes the text and has it judged, with a pause between, as people do. Prints the distribution of the waiting times. The cache is
empty at first: what an exercise's own files give is made at its first attempt, and those are told apart from all others.

    bench/serve/learners.py --program build/release/warpwright --learners 20 --seconds 90 --pause 15

Python 3.9 or later, and nothing else. It ends what it has started."""
import argparse
import http.client
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

EXERCISES = ("bounds", "coalesced", "reversed", "tiles", "padding", "contiguous", "warp_sum", "histogram")


class Learner(threading.Thread):
    begun, lock = set(), threading.Lock()  # exercises that somebody has had judged

    def __init__(self, number, port, options, end):
        super().__init__(daemon=True)
        self.number, self.port, self.options, self.end = number, port, options, end
        self.random = random.Random(number)
        self.waits, self.cold, self.first, self.failures = [], [], [], []

    def ask(self, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        begun = time.monotonic()
        connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body),
                           {"Authorization": "Bearer " + token(self.number), "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text, time.monotonic() - begun

    def run(self):
        # Not all at the same moment.
        time.sleep(self.random.uniform(0, self.options.pause))
        tries = 0
        while time.monotonic() < self.end:
            name = EXERCISES[(self.number + tries // 4) % len(EXERCISES)]
            try:
                status, text, wait = self.ask("/api/exercise/" + name)
                self.first.append(wait)
                start = json.loads(text)["start"]
                with self.lock:
                    cold = name not in self.begun
                    self.begun.add(name)
                status, text, wait = self.ask("/api/judge", {"exercise": name, "tab": "t",
                                                             "text": f"{start}\n// attempt {tries} of {self.number}\n"})
                if status == 200:
                    (self.cold if cold else self.waits).append(wait)
                else:
                    self.failures.append(f"{status} {text[:100]!r}")
            except (OSError, ValueError, KeyError) as problem:
                self.failures.append(repr(problem))
            tries += 1
            time.sleep(self.random.uniform(0.5, 1.5) * self.options.pause)


def token(number):
    return f"token-of-learner-{number:04d}"


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="warpwright")
    parser.add_argument("--learners", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--pause", type=float, default=15, help="seconds between a learner's attempts, on average")
    options = parser.parse_args()
    if not (1 <= options.learners <= 200 and 1 <= options.seconds <= 3600 and options.pause >= 0.1):
        parser.error("1 to 200 learners, 1 to 3600 seconds, pauses of 0.1 s and more")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as place:
        users = Path(place) / "users.toml"
        users.write_text("[users]\n" + "".join(f'learner{n} = "{token(n)}"\n' for n in range(options.learners)))
        server = subprocess.Popen([options.program, "serve", "--users", str(users), "--progress", place, "--per-minute", "0"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                  env={**os.environ, "XDG_CACHE_HOME": str(Path(place) / "cache")})
        try:
            address = server.stdout.readline()
            port = re.search(r":(\d+)/", address)
            if not port:
                sys.exit("the server did not start")
            end = time.monotonic() + options.seconds
            learners = [Learner(n, int(port.group(1)), options, end) for n in range(options.learners)]
            for one in learners:
                one.start()
            for one in learners:
                one.join(max(0.0, end + 60 - time.monotonic()))
        finally:
            server.terminate()
            server.wait(20)
    waits = [w for one in learners for w in one.waits]
    cold = [w for one in learners for w in one.cold]
    pages = [w for one in learners for w in one.first]
    failures = [f for one in learners for f in one.failures]
    if not waits:
        sys.exit("no attempt was judged: " + "; ".join(failures[:3]))
    print(f"{options.learners} learners, {options.seconds:g} s, a pause of {options.pause:g} s: {len(waits) + len(cold)} attempts judged, "
          f"{len(failures)} failed; load of the machine {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores")
    for name, values in (("answer", waits), ("first answer of an exercise", cold or waits), ("all answers", waits + cold), ("exercise", pages)):
        print(f"{name}: median {quantile(values, 0.5):.2f} s, 95th percentile {quantile(values, 0.95):.2f} s, most {max(values):.2f} s")
    # Of the server and all that it has started: hardly different on a busy machine.
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processor time: {(used.ru_utime + used.ru_stime) / (len(waits) + len(cold)):.2f} s for each attempt")
    for text in failures[:3]:
        print("failed: " + text, file=sys.stderr)


if __name__ == "__main__":
    main()
