"""bench/frontends: how figures are made and compared, and what the recorded comparison says."""
import json
import pathlib
import unittest

import compare
import figures


def pair(ours, theirs):
    return {"kernel": "k", "ours": ours, "theirs": theirs}


def equal(**changed):
    base = {name: 100 for name in figures.GOALS}
    return {**base, **changed}


class Figures(unittest.TestCase):
    def test_counts_are_summed_by_what_they_are_of(self):
        made = figures.figures_of({"global_load_sectors": 3, "local_store_sectors": 4, "global_load_requests": 5, "mix_fp32": 6},
                                  {"seconds": 2.0, "machine_instructions": 7})
        self.assertEqual((made["sectors"], made["local"], made["requests"], made["mix_fp32"], made["seconds"], made["machine"]),
                         (7, 4, 5, 6, 2.0, 7))

    def test_ratio_knows_nothing_from_none(self):
        self.assertEqual(figures.ratio(0, 0), 1)
        self.assertIsNone(figures.ratio(1, 0))
        self.assertIsNone(figures.ratio(None, 1))
        self.assertEqual(figures.ratio(0, 2), 0)

    def test_each_goal_has_its_own_bound(self):
        self.assertEqual(figures.missed(pair(equal(), equal())), [])
        self.assertEqual(figures.missed(pair(equal(sectors=102, instructions=110), equal())), [])
        self.assertEqual(figures.missed(pair(equal(sectors=103, instructions=111, divergent=97), equal())),
                         ["sectors", "divergent", "instructions"])
        self.assertEqual(figures.missed(pair(equal(wavefronts=1), equal(wavefronts=0))), ["wavefronts"])

    def test_summary_names_who_misses(self):
        lines = figures.summary([pair(equal(seconds=150), equal()), {**pair(equal(), equal()), "kernel": "good"}])
        self.assertIn("  all of them: 1", lines)
        self.assertEqual(lines[-1], "k: seconds 1.500")


class Changes(unittest.TestCase):
    def named(self, name, **changed):
        return {**pair(equal(**changed), equal()), "kernel": name}

    def test_who_gained_and_who_lost_is_told_by_goal(self):
        before = [self.named("a", sectors=200), self.named("b"), self.named("c", seconds=300, requests=50), self.named("d")]
        now = [self.named("a"), self.named("b", instructions=150), self.named("c", seconds=300), self.named("e")]
        lines, lost = figures.changes(before, now)
        self.assertEqual(lines, ["gained: a: sectors 1.000 (all goals now)", "lost: b: instructions 1.500",
                                 "gained: c: requests 1.000", "new: e: misses none", "not compared: d"])
        self.assertEqual(lost, 1)

    def test_counts_are_equal_or_near(self):
        counts = {name: 100 for name in figures.SUMS}
        rows = [pair({**counts, "sectors": 104, "requests": 110, "instructions": 500}, counts)]
        self.assertEqual((figures.share_alike(rows), figures.share_alike(rows, 0.05)), ((4, 6), (5, 6)))


class Records(unittest.TestCase):
    folder = pathlib.Path(compare.HERE)

    def rows(self, name):
        return json.loads((self.folder / name).read_text())

    def test_every_listed_kernel_is_recorded(self):
        listed = [kernel["name"] for kernel in compare.launches(self.folder / "kernels.toml")]
        self.assertEqual(listed, [row["kernel"] for row in self.rows("texts.json")])

    def test_texts_are_counted_alike(self):
        """What a text's kernel asks of memory, and where its warps part, is the same from both compilers."""
        for row in self.rows("texts.json"):
            missed = set(figures.missed(row)) - {"instructions", "seconds"}
            self.assertEqual(missed, set(), row["kernel"])

    def test_public_kernels_are_counted_alike_but_for_those_that_the_page_names(self):
        rows = self.rows("public.json")
        page = (self.folder / "README.md").read_text()
        self.assertEqual(len(rows), 148)
        for row in rows:
            if set(figures.missed(row)) - {"instructions", "seconds"}:
                self.assertIn(row["kernel"].split(":")[0].removeprefix("hec_"), page, row["kernel"])
        self.assertGreaterEqual(sum(not figures.missed(row) for row in rows), 135)

    def test_most_are_alike_in_all(self):
        rows = self.rows("texts.json")
        good = sum(not figures.missed(row) for row in rows)
        self.assertGreaterEqual(good, 68, figures.summary(rows))


if __name__ == "__main__":
    unittest.main()
