"""A learner's checkout graded for a server: what the reporters of GitHub and GitLab read. The program is made up, but for one test
where the real one is there."""
import base64
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["WARPWRIGHT_SOURCE"])
STEPS = SOURCE / "ci" / "warpwright-classroom"

FAKE = """#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
value = lambda name: words[words.index(name) + 1] if name in words else ""
learner = os.listdir(words[1])[0]
found = sorted(os.listdir(os.path.join(words[1], learner)))
open(os.environ["FAKE_LOG"], "a").write(json.dumps([words, found]) + "\\n")
if value("--junit"):
    open(value("--junit"), "w").write("<testsuites/>")
have = "bounds" in found
grades = [{"learner": learner, "exercise": "bounds", "state": "done" if have else "missing", "points": 4 if have else 0, "of": 4, "checks": []},
          {"learner": learner, "exercise": "tiles", "state": "partial", "points": 0.5, "of": 1, "checks": [], "text": "Line 3"}]
json.dump({"schema": 1, "grades": grades}, open(value("--json"), "w"))
"""


class Classroom(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        (self.folder / "fake").write_text(FAKE)
        (self.folder / "fake").chmod(0o755)
        (self.folder / "work/bounds").mkdir(parents=True)
        (self.folder / "work/bounds/bounds.cu").write_text("x")
        (self.folder / "work/.git").mkdir()
        (self.folder / "work/secret").symlink_to("/etc/passwd")
        (self.folder / "course.toml").write_text('schema = 1\ntitle = "t"\nexercises = ["bounds"]\n')

    def step(self, *words, **settings):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("WW_", "GITHUB_", "CI_"))}
        environment.update({"WW_PROGRAM": str(self.folder / "fake"), "WW_COURSE": "course.toml", "WW_CHECKOUT": "work",
                            "FAKE_LOG": str(self.folder / "log"), "GITHUB_OUTPUT": str(self.folder / "output")})
        environment.update(settings)
        return subprocess.run([sys.executable, "-B", str(STEPS), *words], cwd=self.folder, env=environment, text=True,
                              capture_output=True, check=False)

    def result(self):
        line = (self.folder / "output").read_text().strip()
        name, text = line.split("=", 1)
        self.assertEqual(name, "result")
        return json.loads(base64.b64decode(text))

    def test_the_reporter_gets_each_exercise_with_its_points(self):
        done = self.step("grade", WW_JUNIT="grades.xml", WW_TIME="2026-10-01T21:15:00Z")
        self.assertEqual(done.returncode, 1, done.stderr)  # one exercise lacks points
        told = self.result()
        self.assertEqual((told["version"], told["status"], told["max_score"]), (1, "fail", 5))
        self.assertEqual([(t["name"], t["status"], t["score"]) for t in told["tests"]], [("bounds", "pass", 4), ("tiles", "fail", 0.5)])
        self.assertEqual(told["tests"][1]["message"], "Line 3")
        self.assertTrue((self.folder / "grades.xml").exists())
        self.assertIn("bounds: 4 of 4 points", done.stdout)

    def test_links_and_the_servers_own_folders_are_left_out(self):
        self.step("grade")
        _, found = json.loads((self.folder / "log").read_text().splitlines()[0])
        self.assertEqual(found, ["bounds"])

    def test_tests_are_listed_with_their_points(self):
        done = self.step("tests")
        self.assertEqual(done.returncode, 0, done.stderr)
        tests = json.loads(done.stdout)["tests"]
        self.assertEqual([(t["name"], t["points"]) for t in tests], [("bounds", 4), ("tiles", 1)])
        self.assertIn("WW_ONLY=tiles", tests[1]["run"])

    def test_what_is_wrong_is_said_in_a_line(self):
        for settings, code in (({"WW_COURSE": "none.toml"}, 2), ({"WW_PROGRAM": "/nowhere"}, 3)):
            done = self.step("grade", **settings)
            self.assertEqual(done.returncode, code)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertEqual(self.step("dance").returncode, 2)


class Real(Classroom):
    """Once through the program itself; the tests above run once."""
    test_the_reporter_gets_each_exercise_with_its_points = None
    test_links_and_the_servers_own_folders_are_left_out = None
    test_tests_are_listed_with_their_points = None
    test_what_is_wrong_is_said_in_a_line = None

    @unittest.skipUnless(os.environ.get("WARPWRIGHT_PROGRAM"), "no program")
    def test_with_the_program(self):
        (self.folder / "work/bounds/bounds.cu").write_text(
            "__global__ void twice_plus_one(const float* x, float* y, int n) {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = 2 * x[i] + 1;\n}\n")
        done = self.step("grade", WW_PROGRAM=os.environ["WARPWRIGHT_PROGRAM"])
        if "Landlock" in done.stderr or "seccomp" in done.stderr:
            self.skipTest("this machine confines no process")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.result()["tests"][0]["score"], 1)


if __name__ == "__main__":
    unittest.main()
