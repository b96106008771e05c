"""`tools/dev hooks` and `tools/dev commits`: which subjects of commits are refused, at the commit and afterwards."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["WARPWRIGHT_SOURCE"])
REFUSED = ["wip", "WIP: the rest", "wip2", "x" * 73]
TO_SQUASH = "fixup! ptx: a subject"
TAKEN = ["ptx: a subject", "wipe: cached files go", "ä" * 72]


class Commits(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for part in ("tools/dev", "tools/hooks/commit-msg"):
            (self.folder / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / part, self.folder / part)
        self.git("init", "-q", "-b", "main")
        self.git("commit", "-q", "--allow-empty", "-m", "first")

    def git(self, *words):
        settings = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        who = ["-c", "user.name=A", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *who, *words], cwd=self.folder, env=settings, capture_output=True, text=True)

    def dev(self, *words):
        return subprocess.run(["tools/dev", *words], cwd=self.folder, capture_output=True, text=True)

    def commit(self, subject):
        return self.git("commit", "--allow-empty", "-m", subject + "\n\nA body may have lines of any length.\n")

    def test_the_hook_refuses_subjects_that_are_long_or_say_nothing(self):
        self.assertEqual(self.dev("hooks").returncode, 0)
        for subject in TAKEN:
            self.assertEqual(self.commit(subject).returncode, 0, subject)
        for subject in REFUSED:
            done = self.commit(subject)
            self.assertNotEqual(done.returncode, 0, subject)
            self.assertIn(subject, done.stderr)

    def test_a_branch_is_held_against_the_same_rule(self):
        self.git("switch", "-q", "-c", "branch")
        for subject in TAKEN:
            self.commit(subject)
        self.assertEqual(self.dev("commits").returncode, 0)
        self.commit(TO_SQUASH)
        for subject in REFUSED:
            self.commit(subject)
        done = self.dev("commits", "main")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), len(REFUSED) + 1, done.stderr)
        self.assertIn(TO_SQUASH, done.stderr)
        self.assertEqual(self.dev("commits", "no-such-branch").returncode, 2)


if __name__ == "__main__":
    unittest.main()
