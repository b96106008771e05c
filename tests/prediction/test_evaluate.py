"""bench/prediction: which sets programs are in, and the tables of the evaluation."""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import building
import evaluate


def row(run, predicted, measured, name="own", device="h200", half="development", **more):
    return {"run": run, "kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "half": half, "set": name, "device": device,
            "predicted": {"seconds": predicted, **more}, "measured": {"seconds": measured}}


class Sets(unittest.TestCase):
    def test_every_listed_program_is_in_a_set(self):
        _, programs = building.read_list(building.HERE / "programs")
        self.assertEqual({name for p in programs for name in evaluate.sets_of(p)} | set(evaluate.TRITON.values()), set(evaluate.SETS))

    def test_own_programs_are_apart_from_public_ones(self):
        self.assertEqual(evaluate.set_of({"name": "hec_x", "source": "hecbench"}, "validation"), "public")
        self.assertEqual(evaluate.set_of({"name": "own_waiting", "source": None}, "validation"), "waiting")
        self.assertEqual(evaluate.set_of({"name": "own_memory", "source": None}, "development"), "own")
        self.assertEqual(evaluate.set_of({"name": "hec_x", "source": "hecbench"}, "blind"), "blind")


class Tables(unittest.TestCase):
    def test_a_line_for_each_set_device_and_half_and_for_each_class(self):
        rows = [row("a.0", 1.0, 1.25, error_class="memory", seconds_low=0.9, seconds_high=1.3),
                row("b.0", 2.0, 1.0, error_class="latency, simulated in part", seconds_low=1.5, seconds_high=2.5),
                row("c.0", 1.0, 1.0, half="validation"), row("d.0", 1.0, 1.0, device="h100"),
                row("e.0", 1.0, 1.0, name="triton", half="triton")]
        text = evaluate.tables(rows)
        self.assertIn("| own, development, H200 | 2 | 60.0 % | 100.0 % | -1.000 | 1.40 | 1 | 1 of 2 |", text)
        for begin in ("own, validation, H200", "own, development, H100", "triton, H200", "memory", "latency, simulated in part"):
            self.assertEqual(text.count(f"| {begin} | "), 1, begin)

    def test_rows_that_were_written_give_the_same_tables(self):
        rows = [row("a.0", 1.0, 1.25), row("b.0", 2.0, 1.0, name="fresh", half="fresh")]
        with tempfile.TemporaryDirectory() as folder:
            evaluate.keep(rows, pathlib.Path(folder))
            out = io.StringIO()
            with mock.patch("sys.argv", ["evaluate.py", "--rows", folder, "--worst", "1"]), contextlib.redirect_stdout(out):
                self.assertEqual(evaluate.main(), 0)
        self.assertTrue(out.getvalue().startswith(evaluate.tables(rows)))
        self.assertIn("2.00 h200 b.0", out.getvalue())

    def test_nothing_compared_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "own-h200.json").write_text(json.dumps([]))
            with mock.patch("sys.argv", ["evaluate.py", "--rows", folder]), contextlib.redirect_stdout(io.StringIO()) as out:
                self.assertEqual(evaluate.main(), 1)
        self.assertIn("no launch has both", out.getvalue())


if __name__ == "__main__":
    unittest.main()
