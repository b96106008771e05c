"""`tools/dev new`: each kind of skeleton is made in a copy of the repository, and compiles there."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["WARPWRIGHT_SOURCE"])
COMPILER = os.environ["WARPWRIGHT_CXX"]
LEFT_OUT = shutil.ignore_patterns("build", ".git", "corpus", "golden", "__pycache__")
NAMES = {"experiment": "probing", "finding": "odd_store", "opcode": "twist.flip", "function": "cudaMemoryWeight"}


def skeleton():
    spec = importlib.util.spec_from_file_location("skeleton", SOURCE / "tools/skeleton.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class New(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.root = self.folder / "copy"
        shutil.copytree(SOURCE, self.root, ignore=LEFT_OUT, symlinks=True)

    def new(self, *words):
        return subprocess.run(["tools/dev", "new", *words], cwd=self.root, capture_output=True, text=True)

    def made(self, kind):
        """The files that were made or changed, by what the command says of them."""
        done = self.new(kind, NAMES[kind])
        self.assertEqual(done.returncode, 0, done.stderr)
        files = [line.strip().split(":")[0] for line in done.stdout.splitlines()[1:]]
        return [f for f in files if (self.root / f).is_file()]

    def compiles(self, *files):
        for file in files:
            done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-Isrc", "-Iinclude", "-Itests", "-Itests/lab",
                                   "-Itoolchain/include", file], cwd=self.root, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def refused(self, *words):
        done = self.new(*words)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("tools/dev: error: ", done.stderr)

    def test_an_experiment(self):
        files = self.made("experiment")
        self.assertIn("src/lab/experiments/probing.cpp", files)
        self.compiles("src/lab/experiments/probing.cpp", "tests/lab/probing_test.cpp")
        texts = [f for f in files if f.startswith("data/text/")]
        everything = "".join((self.root / f).read_text() for f in texts)
        orders = re.findall(r"^order = \d+", everything, re.M)
        self.assertEqual(len(orders), 1)
        self.assertNotIn(orders[0] + " ", "".join(f.read_text() for f in (SOURCE / "data/text").rglob("experiments/*.toml")))
        for language in ("en", "fi", "ru", "zh"):
            self.assertIn(f"FILL IN {language} probing", everything)
        self.refused("experiment", "probing")
        self.refused("experiment", "Probing")

    def test_a_finding(self):
        files = self.made("finding")
        self.assertIn("tests/check/faults/odd_store.cu", files)
        table = next(f for f in files if f.endswith("findings.inc"))
        self.compiles(*(f.relative_to(self.root).as_posix() for f in (self.root / table).parent.glob("finding*.cpp")))
        self.refused("finding", "odd_store")
        self.refused("finding", "odd-store")

    def test_an_opcode(self):
        files = self.made("opcode")
        self.assertEqual((self.root / "src/ptx/opcodes.inc").read_text().count('OPCODE(twist_flip, "twist.flip", '), 1)
        self.assertIn("tests/device/twist_flip_test.cpp", files)
        self.compiles("src/ptx/tables.cpp", "tests/device/twist_flip_test.cpp")
        self.refused("opcode", "twist.flip")
        self.refused("opcode", "add")

    def test_a_function(self):
        files = self.made("function")
        body = next(f for f in files if f.startswith("src/cudart/"))
        self.assertIn("cudaError_t cudaMemoryWeight(", (self.root / body).read_text())
        self.compiles(body)
        self.assertIn('"memory_weight", ', (self.root / next(f for f in files if "programs_test" in f or "test_programs" in f)).read_text())
        self.refused("function", "cudaMemoryWeight")
        self.refused("function", "memoryWeight")

    def test_a_function_that_is_there_by_name_only_keeps_one_row(self):
        table = self.root / "toolchain/include/warpwright/runtime_api.inc"
        missing = re.search(r"^WW_API_MISSING\((cuda\w+)", table.read_text(), re.M).group(1)
        done = self.new("function", missing)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(re.findall(rf"^WW_API\w*\({missing}[,)]", table.read_text(), re.M)), 1)
        self.assertNotIn(f"WW_API_MISSING({missing}", table.read_text())

    def test_what_is_unknown_is_refused(self):
        self.assertEqual(self.new("ladder", "x").returncode, 2)


class Marks(unittest.TestCase):
    def test_nothing_is_left_to_fill_in(self):
        listed = subprocess.run(["git", "ls-files"], cwd=SOURCE, capture_output=True, text=True)
        if listed.returncode != 0:
            self.skipTest("this is no repository: nobody knows which files are its own")
        made = skeleton()
        self.assertEqual(made.marked(SOURCE, listed.stdout.splitlines()), [])
        # What it would find.
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.cpp").write_text("// FILL IN: all\n")
            self.assertEqual(made.marked(pathlib.Path(folder), ["a.cpp"]), ["a.cpp"])


if __name__ == "__main__":
    unittest.main()
