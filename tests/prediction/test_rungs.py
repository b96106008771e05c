"""bench/prediction/rungs: expressions of ladder files, plans of launches, and the table of pairs."""
import io
import pathlib
import sys
import unittest

RUNGS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "prediction" / "rungs"
sys.path.append(str(RUNGS))
import expressions  # noqa: E402
import order  # noqa: E402
import prepare  # noqa: E402


class Expressions(unittest.TestCase):
    def test_values(self):
        n = {"n": 2.0 ** 21, "T_int32": 1.0}
        for text, value in {"n <= 2^20 ? 2 : n <= 2^22 ? 4 : 8": 4, "-2^2": -4, "2^-1": 0.5, "max(1, ceil_div(n, 3*256))": 2731,
                            "T_int32 && n > 4096": 1, "mod(7, 4) == 3 || 1/0 > 2": 1, "next_pow2(5) + 1.5": 9.5}.items():
            self.assertEqual(expressions.evaluate(text, n), value, text)

    def test_mistakes_name_the_expression(self):
        for text in ("n +", "n m", "max(n, 2", "m", "n $ 2"):
            with self.assertRaisesRegex(ValueError, "'"):
                expressions.evaluate(text, {"n": 1.0})


class Plans(unittest.TestCase):
    class Compiler:
        architecture = "sm_90a"

        def build(self, source, macros):
            text = source.read_text()
            names = [n for n in ("reduce_sequential", "reduce_single_pass") if n in text] or ["other"]
            return source.stem + ".cubin", {n: ["u64", "u64", "u64", "u64", "u64"][:3 if "sequential" in n else 5] for n in names}

    def test_repeated_launches_are_written_out(self):
        _, ladder = prepare.read_ladder("reduce")
        rung = next(r for r in ladder["rung"] if r["name"] == "sequential")
        variables = prepare.variables_of(ladder, rung, {"n": 100000.0}, {"T": "int32", "OP": "sum"})
        _, parameters = self.Compiler().build(prepare.KERNELS / "reduce" / rung["source"], [])
        lines = list(prepare.launches_of(ladder, rung, variables, {b["name"] for b in ladder["buffer"]}, parameters))
        self.assertEqual([line.split()[2] for line in lines if line.startswith("launch")], ["391", "2", "1"])
        self.assertEqual([line for line in lines if line.startswith("arg buffer")],
                         [f"arg buffer {b}" for b in ("input", "ping", "ping", "pong", "pong", "sum")])
        self.assertEqual(lines[3], "arg bytes " + (100000).to_bytes(8, "little").hex())

    def test_types_of_parameters(self):
        text = ".visible .entry f(\n\t.param .u64 f_0,\n\t.param .align 4 .b8 f_1[12],\n\t.param .f32 f_2\n)\n{"
        self.assertEqual(prepare.parameters_of(text), {"f": ["u64", "b8", "f32"]})


class Order(unittest.TestCase):
    def test_pairs_are_of_one_problem_and_one_class(self):
        measured = {("l|n=1", "a|"): 1.0, ("l|n=1", "b|"): 3.0, ("l|n=1", "c|"): 2.0, ("l|n=2", "a|"): 9.0}
        predicted = {"l|n=1": {"a|": {"seconds": 2.0, "binds": "DRAM"}, "b|": {"seconds": 4.0, "binds": "L2"},
                               "c|": {"seconds": 5.0, "binds": "issue"}}, "l|n=2": {"a|": {"seconds": 1.0, "binds": "DRAM"}}}
        pairs = {(p[4], p[5]): p[1:4] for p in order.pairs_of(measured, predicted)}
        self.assertEqual(pairs[("a|", "b|")], ("memory", 2.0, 3.0))
        self.assertEqual(pairs[("a|", "c|")], ("other", 2.5, 2.0))
        self.assertEqual(pairs[("b|", "c|")], ("other", 1.25, 2 / 3), "the GPU has them the other way round")
        self.assertEqual(len(pairs), 3)

    def test_rows_join_until_they_are_large_and_rise(self):
        pairs = [("p", "memory", 1.01, 2.0, "", "")] * 30 + [("p", "memory", 1.07, 0.5, "", "")] * 30 + \
                [("p", "memory", 1.12, 2.0, "", "")] * 25 + [("p", "memory", 2.5, 2.0, "", "")] * 5
        self.assertEqual(order.table_of(pairs), [(1.0, 60, 30), (1.1, 30, 30)])

    def test_commands_name_sizes_and_axes(self):
        self.assertEqual(order.words_of("reduce|n=64,T=int32", ["a|", "b|X=1"]),
                         ["lab", "reduce", "--size", "64", "--axis", "T=int32", "--rung", "a,b", "--no-tuned"])

    def test_what_was_recorded_and_the_table_made_of_it(self):
        head, measured = order.read_measured(RUNGS / "h100.jsonl")
        self.assertIn("H100", head["device"])
        self.assertGreater(len(measured), 400)
        self.assertIn(f'device = "{head["device"]}"', order.DATA.read_text())
        plan = io.StringIO()
        prepare.plan_problem(plan, self.AnyCompiler(), "copy", [65536], {})
        self.assertIn("buffer source 65536 u8 random input", plan.getvalue())

    class AnyCompiler:
        architecture = "sm_90a"

        def build(self, source, macros):
            return "x.cubin", {"copy_" + source.stem.split("_")[1]: ["u64", "u64", "u64"]}


if __name__ == "__main__":
    unittest.main()
