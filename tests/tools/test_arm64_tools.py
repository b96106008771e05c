"""tools/arm64-system --check, tools/wheel and tools/arm64-run: what they say of a folder that is no arm64 system, or half of one."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["WARPWRIGHT_SOURCE"])


def run(*words):
    return subprocess.run(words, cwd=SOURCE, capture_output=True, text=True)


class Arm64Tools(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def system(self, packages):
        """A folder with the C library, and with what each package of ./setup that is linked leaves."""
        library = self.folder / "usr/lib/aarch64-linux-gnu/libc.so.6"
        library.parent.mkdir(parents=True)
        library.touch()
        for package in packages:
            (self.folder / "usr/share/doc" / package).mkdir(parents=True)

    def check(self, folder=None):
        return run("tools/arm64-system", "--check", str(folder or self.folder))

    def error(self, done, words):
        """The call has failed with one line, which has the words."""
        self.assertNotEqual(done.returncode, 0)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn(": error: ", lines[0])
        self.assertIn(words, lines[0])

    def packages(self):
        """The names that the check says an empty system lacks."""
        said = self.check().stderr
        return re.search(r"It lacks: (.*)", said).group(1).split()

    def test_a_folder_that_is_not_there_or_holds_another_thing(self):
        self.error(self.check(self.folder / "none"), "there is no folder")
        self.error(self.check(), "holds no arm64 system")

    def test_half_a_system_is_told_by_what_it_lacks(self):
        self.system([])
        packages = self.packages()
        self.assertIn("llvm-19-dev", packages)
        self.assertNotIn("ninja-build", packages)
        for package in packages[1:]:
            (self.folder / "usr/share/doc" / package).mkdir(parents=True)
        self.error(self.check(), "It lacks: " + packages[0])
        (self.folder / "usr/share/doc" / packages[0]).mkdir()
        self.assertEqual(self.check().returncode, 0)
        (self.folder / ".packages").mkdir()
        self.error(self.check(), "was not finished")

    def test_the_wheel_begins_with_the_check(self):
        build = self.folder / "build"
        self.error(run("tools/wheel", "--arm64", str(self.folder), "--build", str(build)), "holds no arm64 system")
        self.assertFalse(build.exists())

    def test_an_option_without_its_folder(self):
        for words in (["--arm64"], ["--arm64", "--build", "x"], ["--output", ""]):
            done = run("tools/wheel", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"which folder is that of {words[0]}?", done.stderr)

    def test_a_command_runs_in_a_system_alone(self):
        self.error(run("tools/arm64-run", str(self.folder), "true"), "holds no arm64 system")
        self.assertEqual(run("tools/arm64-run", str(self.folder)).returncode, 2)

    def test_compilers_of_a_command_make_programs_for_aarch64(self):
        self.system([])
        words = 'for name in clang++-19 g++ gcc; do cat "$(command -v $name)"; done; exit 7'
        done = run("tools/arm64-run", str(self.folder), "sh", "-c", words)
        if done.returncode == 3:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 7, done.stderr)
        system = self.folder.resolve()
        self.assertIn(f'clang++-19 --target=aarch64-linux-gnu --sysroot="{system}" "$@"', done.stdout)
        for name in ("g++", "gcc"):
            self.assertIn(f'aarch64-linux-gnu-{name} --sysroot="{system}"', done.stdout)


unittest.main()
