"""The same figures with one and two host threads and beside other work: a short form of bench/repeat/repeat.py."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bench" / "repeat"))
import repeat  # noqa: E402

PROGRAM = sys.argv.pop(1)
# Rungs whose blocks wait for each other, take tickets or come in any order; programs whose host has a part.
RUNGS = ("handed_over", "single_pass", "dynamic")


class Repeat(unittest.TestCase):
    def test_rungs_that_wait(self):
        words = [PROGRAM, "lab", "reduce", "--rung", ",".join(RUNGS), "--size", "2^13", "--no-db"]
        self.assertTrue(repeat.compare("reduce", words))

    def test_several_streams_and_a_host_that_is_waited_for(self):
        words = [PROGRAM, "run", "--quiet", "--no-db", str(HERE / "streams_and_host.cu")]
        self.assertTrue(repeat.compare("streams_and_host", words))

    def test_a_difference_is_found(self):
        self.assertEqual(repeat.different({"a": [1, 2]}, {"a": [1, 3]}), [".a[1]: 2 and 3"])


if __name__ == "__main__":
    unittest.main()
