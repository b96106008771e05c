"""bench/prediction: the join of predicted with measured launches, its summaries, and what it reads and writes."""
import contextlib
import io
import json
import os
import pathlib
import tempfile
import types
import unittest
from unittest import mock

import building
import intervals
import joining
import measuring
import validate

NCU = '''==PROF== Connected to process 1
"ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum","launch__registers_per_thread","{stall}"
"","","","","ns","register/thread","inst"
"0","void twice<(int)4, unsigned char>(const T1 *)","(256, 1, 1)","(1024, 1, 1)","2,000","16","3.5"
"1","void twice<(int)4, unsigned char>(const T1 *)","(256, 1, 1)","(1024, 1, 1)","4,000","16","4.5"
the program says: done
'''.format(stall=measuring.STALL.format("long_scoreboard"))


def profile(*kernels):
    return {"kind": "profile", "kernels": list(kernels)}


def kernel(name, seconds, calls=1, grid=(1, 1, 1), block=(32, 1, 1), **more):
    return {"name": name, "grid": list(grid), "block": list(block), "registers": 16,
            "times": {"calls": calls, "total_s": seconds * calls}, **more}


def launch(name, seconds, grid=(1, 1, 1), block=(32, 1, 1), stalls=None, **figures):
    return {"kernel": name, "grid": list(grid), "block": list(block), "figures": {"seconds": seconds, **figures},
            "stalls": stalls or {}}


def joined(predicted, measured):
    return joining.join("p.0", joining.predicted_groups(profile(*predicted)), joining.measured_groups(measured))


class Keys(unittest.TestCase):
    def test_both_spellings_of_a_name_are_one(self):
        for ours, theirs in [
                ("void f<4, true>(float const*, int)", "void f<(int)4, (bool)1>(const float *, int)"),
                ("g(float*)", "g(float *)"),
                ("void h<0u, unsigned int>(int)", "void h<(unsigned int)0, unsigned int>(int)"),
                ("(anonymous namespace)::k(int)", "<unnamed>::k(int)"),
                ("void m<a<b<1>, 2> >(int)", "void m<a<b<(int)1>, (int)2>>(T1)")]:
            self.assertEqual(joining.kernel_key(ours), joining.kernel_key(theirs))

    def test_other_template_arguments_are_another_kernel(self):
        self.assertNotEqual(joining.kernel_key("f<4>(int)"), joining.kernel_key("f<8>(int)"))


class Joins(unittest.TestCase):
    def test_launches_of_a_group_are_averaged(self):
        rows, left = joined([kernel("f(int)", 2e-6, calls=2)], [launch("f(int)", 1e-6), launch("f(int)", 3e-6)])
        self.assertEqual(left, [])
        self.assertEqual(rows[0]["measured"]["launches"], 2)
        self.assertAlmostEqual(rows[0]["measured"]["seconds"], 2e-6)
        self.assertAlmostEqual(rows[0]["predicted"]["seconds"], 2e-6)

    def test_grid_and_block_tell_groups_apart(self):
        rows, left = joined([kernel("f(int)", 1e-6), kernel("f(int)", 5e-6, grid=(9, 1, 1))],
                            [launch("f(int)", 6e-6, grid=(9, 1, 1)), launch("f(int)", 1e-6, block=(64, 1, 1))])
        self.assertEqual([r["predicted"]["seconds"] for r in rows], [5e-6])
        self.assertEqual(left, [("f", (1, 1, 1), (64, 1, 1))])

    def test_a_bare_name_joins_only_where_it_is_the_only_one(self):
        rows, left = joined([kernel("f<A>(int)", 1e-6)], [launch("f<B>(int)", 1e-6)])
        self.assertEqual((len(rows), left), (1, []))
        rows, left = joined([kernel("f<A>(int)", 1e-6), kernel("f<B>(int)", 1e-6)], [launch("f<C>(int)", 1e-6)])
        self.assertEqual((rows, len(left)), ([], 1))

    def test_counts_are_of_one_counted_launch(self):
        groups = joining.predicted_groups(profile(kernel("f", 1e-6, calls=9, counted=3, counts={"instructions": 30})))
        (figures,) = groups.values()
        self.assertEqual(figures["counts"]["instructions"], 10)

    def test_launches_that_a_profile_tells_apart_are_averaged(self):
        long = kernel("f", 9e-6, calls=1, counted=1, counts={"instructions": 30}, predicted={"seconds": 9e-6, "stalls": {"wait": 3}})
        short = kernel("f", 1e-6, calls=3, counted=3, counts={"instructions": 30}, predicted={"seconds": 1e-6, "stalls": {}})
        (figures,) = joining.predicted_groups(profile(long, short)).values()
        self.assertAlmostEqual(figures["seconds"], 3e-6)
        self.assertEqual((figures["launches"], figures["counts"]["instructions"]), (4, 15))
        self.assertAlmostEqual(figures["stalls"]["wait"], 0.75)

    def test_a_prediction_goes_before_the_bound(self):
        with_both = kernel("f", 1e-6, predicted={"seconds": 4e-6, "l1_hit": 0.5, "stalls": {"wait": 2}})
        (figures,) = joining.predicted_groups(profile(with_both)).values()
        self.assertEqual((figures["seconds"], figures["l1_hit"], figures["method"]), (4e-6, 0.5, "predicted"))
        (figures,) = joining.predicted_groups(profile(kernel("f", 1e-6))).values()
        self.assertEqual((figures["seconds"], figures["method"]), (1e-6, "bound"))
        (figures,) = joining.predicted_groups(profile(kernel("f", 1e-6)), simulated=True).values()
        self.assertEqual((figures["seconds"], figures["method"]), (1e-6, "predicted"))
        why = kernel("f", 1e-6, unpredicted="no time is predicted")
        (figures,) = joining.predicted_groups(profile(why), simulated=True).values()
        self.assertEqual(figures["method"], "bound")

    def test_what_is_no_profile_is_refused(self):
        with self.assertRaisesRegex(joining.JoinError, "no profile"):
            joining.predicted_groups({"schema": 1})


class Summaries(unittest.TestCase):
    def rows(self, *pairs):
        return [{"run": f"p{i}.0", "kernel": "f", "grid": [1, 1, 1], "block": [32, 1, 1],
                 "predicted": {"seconds": p}, "measured": {"seconds": m}} for i, (p, m) in enumerate(pairs)]

    def test_time(self):
        summary = joining.time_summary(self.rows((1, 1), (2, 1), (3, 4), (11, 10)))
        self.assertEqual(summary["launch_groups"], 4)
        self.assertAlmostEqual(summary["median_error"], 0.175)
        self.assertAlmostEqual(summary["p90_error"], 1.0)
        self.assertAlmostEqual(summary["median_ratio"], 1.05)

    def test_nothing_to_compare_is_an_error(self):
        with self.assertRaisesRegex(joining.JoinError, "nothing was checked"):
            joining.time_summary([])
        with self.assertRaisesRegex(joining.JoinError, "nothing was checked"):
            joining.time_summary(self.rows((None, 1)))

    def test_kendall(self):
        self.assertEqual(joining.kendall([(1, 1), (2, 2), (3, 3)]), 1)
        self.assertEqual(joining.kendall([(1, 3), (2, 2), (3, 1)]), -1)
        self.assertAlmostEqual(joining.kendall([(1, 1), (2, 3), (3, 2)]), 1 / 3)
        self.assertAlmostEqual(joining.kendall([(1, 1), (1, 2), (2, 3)]), 2 / 6**0.5)
        self.assertIsNone(joining.kendall([(1, 1), (1, 2)]))

    def test_percentile_is_the_nearest_rank(self):
        self.assertEqual(joining.percentile(range(1, 11), 0.9), 9)
        self.assertEqual(joining.percentile([5], 0.9), 5)

    def test_worst_goes_by_ratio_in_either_direction(self):
        rows = self.rows((2, 1), (1, 10), (1, 1))
        self.assertEqual([r["run"] for r in joining.worst(rows, 2)], ["p1.0", "p0.0"])

    def test_first_stall_leaves_out_warps_that_could_issue(self):
        self.assertEqual(joining.first_stall({"selected": 1, "not_selected": 9, "wait": 2, "barrier": 1}), "wait")
        self.assertIsNone(joining.first_stall({"selected": 1}))

    def test_counts_where_either_side_has_some(self):
        rows = [{"predicted": {"counts": {"instructions": p}}, "measured": {"instructions": m, "global_load_requests": 0}}
                for p, m in ((100, 100), (104, 100), (50, 100))]
        summary = joining.count_summary(rows)
        self.assertEqual(list(summary), ["instructions"])
        groups, equal, near, ratio = summary["instructions"]
        self.assertEqual((groups, ratio), (3, 1))
        self.assertAlmostEqual(equal, 1 / 3)
        self.assertAlmostEqual(near, 2 / 3)


class Measurements(unittest.TestCase):
    def test_a_raw_page_is_read_among_other_lines(self):
        first, second = measuring.read_raw_page(NCU)
        self.assertEqual((first["grid"], first["block"]), ([1024, 1, 1], [256, 1, 1]))
        self.assertAlmostEqual(first["figures"]["seconds"], 2e-6)
        self.assertEqual(second["figures"]["registers"], 16)
        self.assertIsNone(second["figures"]["l1_hit"])
        self.assertEqual(second["stalls"], {"long_scoreboard": 4.5})

    def test_other_text_is_refused(self):
        with self.assertRaisesRegex(joining.JoinError, "no raw page"):
            measuring.read_raw_page("==ERROR== no permission")

    def test_what_is_kept_is_read_back(self):
        text = measuring.keep({"p.0": measuring.read_raw_page(NCU)}, "a GPU")
        runs, device = measuring.kept(text, "file")
        self.assertEqual(device, "a GPU")
        (group,) = runs["p.0"]
        self.assertAlmostEqual(group["figures"]["seconds"], 3e-6)
        self.assertEqual((group["launches"], group["stalls"]), (2, {"long_scoreboard": 4}))
        self.assertEqual(group["kernel"], "twice<4,unsignedchar>")

    def test_a_damaged_file_is_refused_by_name(self):
        with self.assertRaisesRegex(joining.JoinError, "some.json has no measured launches"):
            measuring.kept("{}", "some.json")

    def test_the_recorded_figures_belong_to_listed_runs(self):
        runs, _ = measuring.kept((building.HERE / "measured_h200.json").read_text(), "measured_h200.json")
        _, programs = building.read_list(building.HERE / "programs")
        listed = {run for program in programs for run, _, _ in building.runs_of(program)}
        self.assertGreater(len(runs), 100)
        self.assertEqual(set(runs) - listed, set())


class Profiler(unittest.TestCase):
    def measure(self, folder, script):
        ncu = folder / "ncu"
        ncu.write_text("#!/bin/sh\n" + script)
        ncu.chmod(0o755)
        return measuring.measure(["program"], None, 4, str(ncu))

    def test_a_page_among_what_the_program_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "page").write_bytes(b"\xff is no UTF-8\n" + NCU.encode())
            self.assertEqual(self.measure(pathlib.Path(folder), f"cat {folder}/page\n"), measuring.read_raw_page(NCU))

    def test_past_the_limit_the_program_ends_with_its_profiler(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(measuring, "LIMIT_S", 1):
            fifo = pathlib.Path(folder) / "fifo"
            os.mkfifo(fifo)
            end = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)  # there is a reader, so that the program can open it
            os.set_blocking(end, True)
            with self.assertRaisesRegex(joining.JoinError, "it took more than 1 s"):
                self.measure(pathlib.Path(folder), f"(exec 3>{fifo}; sleep 20; echo alive >&3) & wait\n")
            with open(end) as said:
                self.assertEqual(said.read(), "")  # ends when no writer is left: killed before it wrote

    def test_what_does_not_start_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(joining.JoinError, "did not start .No such file"):
                measuring.measure(["program"], folder, 4, folder + "/ncu")


class Lists(unittest.TestCase):
    def refused(self, text):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "a.toml").write_text(text)
            with self.assertRaises(joining.JoinError) as caught:
                building.read_list(pathlib.Path(folder))
            return str(caught.exception)

    def test_mistakes_name_the_file_and_the_program(self):
        good = '[[program]]\nname = "a"\nhalf = "validation"\nruns = [""]\n'
        self.assertIn("a.toml: a: unknown key colour", self.refused(good + 'colour = "red"\n'))
        self.assertIn("a.toml: a: it needs a name of its own", self.refused(good + good))
        self.assertIn("a.toml: a: half must be", self.refused(good.replace("validation", "both")))
        self.assertIn("a.toml: a: it has no runs", self.refused(good.replace('[""]', "[]")))
        self.assertIn("a.toml", self.refused("= 3"))

    def test_an_empty_folder_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(joining.JoinError, "no lists"):
            building.read_list(pathlib.Path(folder))

    def test_halves_by_program_and_by_kernel(self):
        self.assertEqual(building.half_of({"half": "validation"}, "f"), "validation")
        by_kernel = {"development": ["f"]}
        self.assertEqual(building.half_of(by_kernel, "f<3>"), "development")
        self.assertEqual(building.half_of(by_kernel, "g"), "validation")


class Check(unittest.TestCase):
    def test_as_many_launches_are_emulated_as_were_recorded(self):
        asked = []

        def emulate(run, words, launches, options):
            asked.append(launches)
            return joining.predicted_groups(profile(kernel("f", 1e-6)))

        recorded = {"p.0": [dict(launch("f", 2e-6), launches=3), dict(launch("g", 2e-6), launches=1)]}
        options = types.SimpleNamespace(measure=False, half=None, work=None, nvcc=None)
        program = {"name": "p", "runs": ["8"], "half": "validation"}
        with mock.patch.object(validate.building, "build", lambda *_: pathlib.Path("p")), \
                mock.patch.object(validate, "emulate", emulate), contextlib.redirect_stderr(io.StringIO()):
            rows, problems = validate.check(program, options, {}, recorded, {})
        self.assertEqual(asked, [4])
        self.assertEqual([r["kernel"] for r in rows], ["f"])
        self.assertEqual(len(problems), 1)  # g was recorded, and is not among what was emulated


class Record(unittest.TestCase):
    def record(self, measure, folder, **more):
        options = types.SimpleNamespace(record=folder / "measured.json", work=folder, nvcc=None, ncu="ncu", launches=4,
                                        within=None, **more)
        programs = [{"name": "p", "runs": ["1", "2"], "half": "blind"}, {"name": "q", "runs": [""], "half": "blind"}]
        out = io.StringIO()
        with mock.patch.object(validate.building, "build", lambda program, *_: pathlib.Path(program["name"])), \
                mock.patch.object(validate.measuring, "measure", measure), \
                contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(out):
            code = validate.record(programs, options, {})
        return code, out.getvalue(), options.record

    def test_what_was_measured_is_kept_and_the_rest_is_named(self):
        def measure(command, *_):
            if command[-1] == "1":
                raise joining.JoinError("it took more than 120 s")
            return [launch("f", 2e-6)]

        with tempfile.TemporaryDirectory() as folder:
            code, out, file = self.record(measure, pathlib.Path(folder))
            self.assertEqual(code, 1)
            self.assertIn("not recorded: p.0: it took more than 120 s", out)
            self.assertEqual(set(measuring.kept(file.read_text(), file)[0]), {"p.1", "q.0"})

    def test_nothing_recorded_fails(self):
        def measure(*_):
            raise joining.JoinError("ncu was not found")

        with tempfile.TemporaryDirectory() as folder:
            code, out, file = self.record(measure, pathlib.Path(folder))
            self.assertEqual(code, 1)
            self.assertFalse(file.exists())

    def test_a_half_chooses_its_programs(self):
        self.assertTrue(validate.has_half({"half": "blind"}, "blind"))
        self.assertFalse(validate.has_half({"half": "unseen"}, "blind"))
        self.assertTrue(validate.has_half({"development": ["f"]}, "validation"))
        self.assertFalse(validate.has_half({"development": ["f"]}, "fresh"))


class Report(unittest.TestCase):
    def test_a_summary_names_no_launch(self):
        rows, _ = joined([kernel("secret", 1e-6)], [launch("secret", 2e-6, stalls={"wait": 3})])
        rows[0]["half"] = "blind"
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            validate.report(rows, ["p.1: secret was not emulated"], "a GPU", summary=True)
        self.assertIn("median error 50.0%", out.getvalue())
        self.assertIn("p.1", out.getvalue())
        self.assertNotIn("secret", out.getvalue())

    def test_nothing_checked_fails_and_says_so(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = validate.report([], [], "a GPU")
        self.assertEqual(code, 1)
        self.assertIn("nothing was checked", out.getvalue())

    def test_a_run_that_could_not_be_compared_fails(self):
        rows, _ = joined([kernel("f", 1e-6)], [launch("f", 2e-6, stalls={"wait": 3})])
        rows[0]["half"] = "development"
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(validate.report(rows, [], "a GPU"), 0)
            self.assertEqual(validate.report(rows, ["p.1: its emulation took more than 3 s"], "a GPU"), 1)
        self.assertIn("median error 50.0%", out.getvalue())
        self.assertIn("p.1: its emulation took more than 3 s", out.getvalue())


class Intervals(unittest.TestCase):
    @staticmethod
    def group(run, kernel, ratio, binds="latency"):
        return {"run": run, "kernel": kernel, "measured": {"seconds": ratio},
                "predicted": {"seconds": 1.0, "error_class": binds}}

    def test_a_kernel_of_our_own_and_a_program_of_others_is_taken_as_a_whole(self):
        unit = lambda run, kernel: intervals.unit(self.group(run, kernel, 1))
        self.assertEqual(unit("own_memory.0", "copy<1>"), unit("own_memory.0", "copy<2>"))
        self.assertNotEqual(unit("own_memory.0", "copy<1>"), unit("own_memory.0", "gather"))
        self.assertEqual(unit("hec_scan.0", "a"), unit("hec_scan.1", "b"))

    def test_a_class_of_few_groups_has_the_interval_of_its_column(self):
        rows = [self.group("p.0", "k", 1 + n / 100) for n in range(40)] + [self.group("p.0", "k", 2, "others")]
        made = intervals.table(rows)
        self.assertEqual(made["others", False][0], 1)
        self.assertEqual(made["others", False][1:], made["memory", False][1:])
        self.assertGreaterEqual(intervals.held(rows, lambda r: made["latency", False][1:]), 36)


if __name__ == "__main__":
    unittest.main()
