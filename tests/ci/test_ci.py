"""The steps of the gate for CI servers, as a server runs them: settings in the environment, files for its answers. The server's own
side is played here: its cache is a folder that stays, its comments are those of a small HTTP server. One test runs real programs;
the others have a program that is made up."""
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

SOURCE = Path(os.environ["WARPWRIGHT_SOURCE"])
STEPS = SOURCE / "ci" / "warpwright-ci"

# Writes what the real one would, and notes its words. FAKE_CODE: the exit codes of its commands, "run=0,compare=1".
FAKE = """#!/bin/sh
echo "$*" >> "$FAKE_LOG"
command=$1
while [ $# -gt 0 ]; do
    case $1 in
        --json) printf '%s' "${FAKE_PROFILE-$DEFAULT_PROFILE}" > "$2" ;;
        --markdown) echo "### $command" > "$2" ;;
        --junit | --sarif) echo x > "$2" ;;
    esac
    shift
done
for pair in $(echo "$FAKE_CODE" | tr , ' '); do
    [ "${pair%=*}" = "$command" ] && exit "${pair#*=}"
done
exit 0
"""
PROFILE = '{"kernels": [{}]}'


class Step(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = Path(self.place.name)
        fake = self.folder / "fake"
        fake.write_text(FAKE)
        fake.chmod(0o755)
        self.settings = {"WW_PROGRAM": str(fake), "WW_COMMAND": "app.cu -- 'two words'", "FAKE_LOG": str(self.folder / "log"),
                         "DEFAULT_PROFILE": PROFILE, "GITHUB_OUTPUT": str(self.folder / "output"),
                         "GITHUB_STEP_SUMMARY": str(self.folder / "summary")}

    def step(self, name, **settings):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("WW_", "GITHUB_", "CI_"))}
        environment.update(self.settings)
        environment.update({k: str(v) for k, v in settings.items()})
        return subprocess.run([sys.executable, "-B", str(STEPS), name], cwd=self.folder, env=environment, text=True,
                              capture_output=True, check=False)

    def output(self):
        return dict(line.split("=", 1) for line in (self.folder / "output").read_text().splitlines())

    def log(self):
        file = self.folder / "log"
        return file.read_text().splitlines() if file.exists() else []


class Gate(Step):
    def test_a_first_run_compares_nothing_and_is_kept(self):
        ran = self.step("gate", WW_KEEP="true", WW_MODEL="a100")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.log(), ["run --quiet --no-db --json .warpwright/profile.json --model a100 app.cu -- two words"])
        self.assertIn("There is no run of the base branch yet", (self.folder / "summary").read_text())
        self.assertEqual((self.folder / ".warpwright/base/profile.json").read_text(), PROFILE)
        self.assertEqual(self.output(), {"code": "0", "folder": ".warpwright", "kept": "true", "sarif": ""})

    def test_a_request_is_compared_and_never_kept(self):
        self.step("gate", WW_KEEP="true")
        ran = self.step("gate", FAKE_CODE="compare=1", FAKE_PROFILE='{"kernels": [{}, {}]}', WW_FAIL_ON="slower:5%")
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("compare .warpwright/base/profile.json .warpwright/profile.json --fail-on slower:5%", self.log()[-1])
        self.assertIn("### compare", (self.folder / "summary").read_text())
        self.assertEqual((self.folder / ".warpwright/base/profile.json").read_text(), PROFILE)
        self.assertEqual(self.output()["kept"], "false")

    def test_the_base_branch_accepts_what_changed(self):
        self.step("gate", WW_KEEP="true")
        other = '{"kernels": [{}, {}]}'
        ran = self.step("gate", WW_KEEP="true", FAKE_CODE="compare=1", FAKE_PROFILE=other)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("does not fail", ran.stderr)
        self.assertEqual((self.folder / ".warpwright/base/profile.json").read_text(), other)
        self.assertEqual(self.output()["kept"], "true")

    def test_what_looked_at_nothing_fails(self):
        for mode, fake in (("run", {"FAKE_PROFILE": '{"kernels": []}'}), ("run", {"FAKE_PROFILE": "no JSON"}),
                           ("pytest", {"FAKE_PROFILE": '{"kernels": []}'}), ("check", {"FAKE_CODE": "check=3"})):
            ran = self.step("gate", WW_MODE=mode, WW_KEEP="true", **fake)
            self.assertEqual(ran.returncode, 1, mode)
            self.assertIn("nothing was", ran.stderr)
            self.assertFalse((self.folder / ".warpwright/base/profile.json").exists())

    def test_a_program_that_fails_fails_the_gate_and_is_not_kept(self):
        ran = self.step("gate", FAKE_CODE="run=7", WW_KEEP="true")
        self.assertEqual(ran.returncode, 7)
        self.assertFalse((self.folder / ".warpwright/base/profile.json").exists())

    def test_what_an_earlier_run_left_is_not_taken_for_this_ones(self):
        self.step("gate", WW_MODE="check")
        self.assertEqual(self.output()["sarif"], ".warpwright/findings.sarif")
        ran = self.step("gate", WW_PROGRAM="/bin/true")
        self.assertEqual(ran.returncode, 1)
        self.assertFalse((self.folder / ".warpwright/findings.sarif").exists())

    def test_tests_run_under_the_program(self):
        self.assertEqual(self.step("gate", WW_MODE="pytest", WW_COMMAND="-k 'a or b'").returncode, 0)
        self.assertEqual(self.log()[0], f"run --quiet --no-db --json .warpwright/profile.json -- {sys.executable} -m pytest "
                         "--junitxml .warpwright/pytest.xml -k a or b")

    def test_wrong_settings_are_one_line(self):
        for settings, code, text in (({"WW_MODE": "bench"}, 2, "WW_MODE is 'bench'"),
                                     ({"WW_COMMAND": ""}, 2, "WW_COMMAND names no program"),
                                     ({"WW_BASE": "nowhere.json"}, 2, "WW_BASE: there is no file 'nowhere.json'")):
            ran = self.step("gate", **settings)
            self.assertEqual(ran.returncode, code, ran.stderr)
            self.assertIn(text, ran.stderr)
            self.assertEqual(ran.stderr.count("\n"), 1)
        self.assertEqual(self.step("install", WW_PACKAGE="warpwright.zip").returncode, 2)
        self.assertEqual(self.step("bench").returncode, 2)


class Server(http.server.BaseHTTPRequestHandler):
    """Comments as GitHub and GitLab keep them."""
    notes = {}
    asked = []

    def answer(self, data, code=200):
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def body(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

    def note(self, method):
        Server.asked.append((method, self.path, self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN")))

    def do_GET(self):
        self.note("GET")
        self.answer([{"id": k, "body": v} for k, v in Server.notes.items()])

    def do_POST(self):
        self.note("POST")
        Server.notes[len(Server.notes) + 1] = self.body()
        self.answer({}, 201)

    def do_PATCH(self):
        self.note("PATCH")
        Server.notes[int(self.path.rsplit("/", 1)[1])] = self.body()
        self.answer({})

    do_PUT = do_PATCH

    def log_message(self, *_):
        pass


class Comment(Step):
    def setUp(self):
        super().setUp()
        Server.notes, Server.asked = {1: "someone's"}, []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        event = self.folder / "event.json"
        event.write_text('{"pull_request": {"number": 12}}')
        self.github = {"GITHUB_EVENT_PATH": event, "GITHUB_API_URL": self.url, "GITHUB_REPOSITORY": "a/b", "WW_TOKEN": "secret"}
        self.gitlab = {"CI_MERGE_REQUEST_IID": "12", "CI_API_V4_URL": self.url, "CI_MERGE_REQUEST_PROJECT_ID": "3",
                       "WW_TOKEN": "secret"}
        self.settings.update({"no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"})
        (self.folder / ".warpwright").mkdir()

    def say(self, text, **settings):
        (self.folder / ".warpwright/summary.md").write_text(text)
        ran = self.step("comment", **settings)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_one_comment_for_each_name_is_kept_up(self):
        self.say("first", **self.github)
        self.say("second", **self.github)
        self.say("another gate's", WW_NAME="other", **self.github)
        self.assertEqual(list(Server.notes.values()), ["someone's", "<!-- warpwright: gate -->\nsecond",
                                                       "<!-- warpwright: other -->\nanother gate's"])
        self.assertEqual([(m, p.split("?")[0]) for m, p, _ in Server.asked[:4]],
                         [("GET", "/repos/a/b/issues/12/comments"), ("POST", "/repos/a/b/issues/12/comments"),
                          ("GET", "/repos/a/b/issues/12/comments"), ("PATCH", "/repos/a/b/issues/comments/2")])
        self.assertEqual({token for _, _, token in Server.asked}, {"Bearer secret"})

    def test_gitlab_has_notes(self):
        self.say("first", **self.gitlab)
        self.say("second", **self.gitlab)
        self.assertEqual(Server.notes[2], "<!-- warpwright: gate -->\nsecond")
        self.assertEqual(Server.asked[-1][:2], ("PATCH", "/projects/3/merge_requests/12/notes/2"))

    def test_outside_of_requests_nothing_is_said(self):
        self.say("x")
        self.assertEqual(Server.asked, [])
        self.server.shutdown()
        self.server.server_close()
        ran = self.step("comment", **self.github)
        self.assertEqual((ran.returncode, ran.stderr.count("\n")), (1, 1))


class Files(unittest.TestCase):
    """What the servers read agrees with the steps."""

    def test_each_step_and_setting_is_known(self):
        script = STEPS.read_text()
        read = {"WW_" + name for name in re.findall(r"""setting\(["']([A-Z_]+)["']""", script)}
        for file, own in (("action.yml", set()), ("ci/gitlab.yml", {"WW_CI", "WW_CACHE_POLICY"})):
            text = (SOURCE / file).read_text()
            steps = re.findall(r'(?:warpwright-ci|\$WW_CI)" (\w+)', text)
            self.assertEqual(sorted(steps), ["comment", "gate", "install"], file)
            named = set(re.findall(r"WW_[A-Z_]+", text)) - own
            self.assertEqual(named - read, set(), file)

    def test_no_text_of_a_request_is_part_of_a_shells(self):
        for run in re.findall(r"^\s+run: (.*)$", (SOURCE / "action.yml").read_text(), re.M):
            self.assertNotIn("${{", run)

    def test_each_input_is_used(self):
        text = (SOURCE / "action.yml").read_text()
        inputs = re.search(r"^inputs:\n(.*?)^outputs:", text, re.M | re.S).group(1)
        for name in re.findall(r"^  ([a-z-]+):$", inputs, re.M):
            self.assertIn("inputs." + name, text, name)


PROGRAM = """
__global__ void scale(float* x, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * STRIDE;
    if (i < n) x[i] *= 2;
}
int main() {
    float* x;
    cudaMalloc(&x, 4096 * sizeof(float));
    scale<<<4096 / STRIDE / 128, 128>>>(x, 4096);
    return cudaDeviceSynchronize();
}
"""


@unittest.skipUnless(os.environ.get("WARPWRIGHT_PROGRAM"), "only beside a build")
class Real(Step):
    def test_a_change_of_counts_is_named(self):
        self.settings["WW_PROGRAM"] = os.environ["WARPWRIGHT_PROGRAM"]
        source = self.folder / "app.cu"
        source.write_text("#define STRIDE 1\n" + PROGRAM)
        ran = self.step("gate", WW_KEEP="true", WW_COMMAND="app.cu")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        ran = self.step("gate", WW_COMMAND="app.cu", WW_FAIL_ON="counts")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        # The same shape of launch, other accesses.
        source.write_text("#define STRIDE 1\n" + PROGRAM.replace("* STRIDE;", "* 2;"))
        ran = self.step("gate", WW_COMMAND="app.cu", WW_FAIL_ON="counts")
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertIn("fail the gate 'counts'", ran.stderr)
        summary = (self.folder / "summary").read_text()
        self.assertIn("global\\_load\\_requests 128 -\\> 64", summary)
        self.assertIn('failures="1"', (self.folder / ".warpwright/compare.xml").read_text())


if __name__ == "__main__":
    unittest.main()
