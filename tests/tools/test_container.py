"""The Dockerfile and tools/container-build, as far as no container is needed: what they copy, install and build is there."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["WARPWRIGHT_SOURCE"])
RECIPE = re.sub(r"\\\n", " ", (SOURCE / "Dockerfile").read_text())
BUILD = SOURCE / "tools/container-build"


def copied():
    """The files that the recipe takes from the sources: for each COPY the list of them, without the target."""
    return [line.split()[:-1] for line in re.findall(r"^COPY (?!--from)(.*)$", RECIPE, re.M)]


def run(*words, cwd=SOURCE, path=None):
    environment = dict(os.environ, PATH=path) if path else None
    return subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True)


class Recipe(unittest.TestCase):
    def test_what_is_copied_is_there_and_not_ignored(self):
        ignored = (SOURCE / ".dockerignore").read_text().split()
        files = [file for files in copied() for file in files]
        self.assertIn("setup", files)
        for file in files:
            self.assertTrue((SOURCE / file).exists(), file)
            self.assertNotIn(file.split("/")[0], ignored)

    def test_the_first_step_needs_no_file_that_is_copied_later(self):
        if not shutil.which("dpkg"):
            self.skipTest("this is not Debian or Ubuntu")
        architecture = run("dpkg", "--print-architecture")
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        for file in [file for files in copied() if files != ["."] for file in files]:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / file, folder / file)
        # Nothing is installed here, whatever is missing.
        stand_ins = folder / "bin"
        stand_ins.mkdir()
        for name, text in (("apt-get", "exit 0"), ("apt-cache", "echo there"), ("sudo", 'exec "$@"')):
            (stand_ins / name).write_text(f"#!/bin/sh\n{text}\n")
            (stand_ins / name).chmod(0o755)
        words = ["tools/container-build", "packages", architecture.stdout.strip()]
        done = run(*words, cwd=folder, path=f"{stand_ins}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")

    def test_packages_of_the_image_exist(self):
        system = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().split("\n") if "=" in line)
        release = "{}:{}".format(system.get("ID"), system.get("VERSION_ID", "").strip('"'))
        if f"FROM {release}\n" not in RECIPE:
            self.skipTest(f"the image is made of another system than {release}")
        packages = re.search(r"apt-get install -y --no-install-recommends ([^&]*)", RECIPE).group(1).split()
        self.assertIn("clang-19", packages)
        for package in packages:
            self.assertEqual(run("apt-cache", "show", package).returncode, 0, package)

    def test_what_the_program_is_built_with_exists(self):
        text = BUILD.read_text()
        presets = {p["name"] for p in json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]}
        named = re.findall(r"--preset (\S+)", text)
        self.assertTrue(named)
        self.assertLessEqual(set(named), presets)
        for file in re.findall(r"--toolchain (\S+)", text):
            self.assertTrue((SOURCE / file).is_file(), file)
        wanted = [set(words.split()) for words in re.findall(r"--target (.*)$", text, re.M)]
        made = re.search(r"--target ([a-z_ ]+)", (SOURCE / "cmake/native.cmake").read_text()).group(1)
        self.assertEqual(wanted, [set(made.split())])  # of what runs while it is built

    def test_wrong_words_are_told(self):
        if not shutil.which("dpkg"):
            self.skipTest("this is not Debian or Ubuntu")
        for words, said in (
            ([], "which step, for which architecture?"),
            (["packages", "riscv64"], "builds no riscv64 program"),
            (["program", "amd64"], "install where?"),
            (["polish", "amd64"], "unknown step 'polish'"),
        ):
            if "amd64" in words and run("dpkg", "--print-architecture").stdout.strip() != "amd64":
                continue
            done = run(str(BUILD), *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("error: ", done.stderr)
            self.assertIn(said, done.stderr)


unittest.main()
