#!/usr/bin/env python3
"""bench/speed/speed.py with a program in Warpwright's place that prints the records that the test wants."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SPEED = pathlib.Path(os.environ["WARPWRIGHT_SOURCE"], "bench/speed/speed.py")


class Check(unittest.TestCase):
    def speed(self, records):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "warpwright")
            program.write_text("#!/bin/sh\necho '" + json.dumps({"records": records}) + "'\n")
            program.chmod(0o755)
            return subprocess.run([sys.executable, "-B", SPEED, program, "check", "--ladder", "sum", "--rounds", "1"],
                                  capture_output=True, text=True, check=False)

    def test_a_ladder_without_emulated_records_is_told(self):
        done = self.speed([{"rung": "openmp", "measured_s": 1e-3}])
        self.assertEqual(done.returncode, 1)
        self.assertIn("sum: no rung of it has an emulated record", done.stderr)
        self.assertIn("nothing was measured", done.stderr)

    def test_records_are_compared(self):
        done = self.speed([{"rung": "naive", "emulation_s": 1e-3}])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("check over run, sum naive", done.stdout)


if __name__ == "__main__":
    unittest.main()
