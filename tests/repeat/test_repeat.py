"""The same figures with one and two host threads and beside other work: a short form of bench/repeat/repeat.py."""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bench" / "repeat"))
import repeat  # noqa: E402

PROGRAM = sys.argv.pop(1)
# Rungs whose blocks wait for each other, take tickets or come in any order; programs whose host has a part.
RUNGS = ("handed_over", "single_pass", "dynamic")


class Repeat(unittest.TestCase):
    def is_the_same(self, words):
        found = repeat.compare(words)
        self.assertEqual(found["outcome"], "the same", found)
        self.assertGreater(found["numbers"], 100)

    def test_rungs_that_wait(self):
        words = [PROGRAM, "lab", "reduce", "--rung", ",".join(RUNGS), "--size", "2^13", "--no-db"]
        self.is_the_same(words)

    def test_several_streams_and_a_host_that_is_waited_for(self):
        words = [PROGRAM, "run", "--quiet", "--no-db", str(HERE / "streams_and_host.cu")]
        self.is_the_same(words)

    def test_a_difference_is_found(self):
        self.assertEqual(repeat.different({"a": [1, 2]}, {"a": [1, 3]}), [".a[1]: 2 and 3"])

    def test_what_is_done_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "done.json"
            done = repeat.Done(file)
            done.put("a", {"outcome": "the same"})
            done.put("b", {"outcome": "differs", "why": "x"})
            again = repeat.Done(file)
            self.assertEqual([again.is_left(name) for name in "abc"], [False, True, True])
            cases = [("a", ["false"]), ("c", ["false"])]
            self.assertEqual(repeat.compare_all(cases, again, 1e-9, 1, 1), 1)  # no time for the one that is left


if __name__ == "__main__":
    unittest.main()
