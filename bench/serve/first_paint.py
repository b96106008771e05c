#!/usr/bin/env python3
"""How long headless Chromium takes to show the page of `warpwright serve`, and what it loads for it.

Starts a server on the loopback address and a browser, opens the page in a fresh profile again and again, and prints for each of
three moments the median and the longest: the first paint, the task's text, the editor. Times count from the navigation.

    bench/serve/first_paint.py --program build/release/warpwright --times 9

Python 3.9 or later and Chromium, and nothing else. It ends what it has started."""
import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

WATCH = """
window.seen = {};
new MutationObserver(() => {
  const see = (name, there) => { if (there && !(name in seen)) seen[name] = performance.now(); };
  see("task", document.querySelector("#task h2"));
  see("editor", document.querySelector(".CodeMirror"));
}).observe(document, { childList: true, subtree: true });
"""
TOLD = """JSON.stringify({ paint: (performance.getEntriesByName("first-contentful-paint")[0] || {}).startTime, task: seen.task,
  editor: seen.editor, loads: performance.getEntriesByType("resource").map(r => [new URL(r.name).pathname, r.encodedBodySize,
  Math.round(r.startTime), Math.round(r.responseEnd)]) })"""


class Browser:
    """Speaks to Chromium by its debugging pipe."""

    def __init__(self, program="chromium"):
        self.folder = tempfile.TemporaryDirectory()
        to_read, self.to = os.pipe()
        self.back, from_write = os.pipe()

        def pipes():
            os.dup2(to_read, 30), os.dup2(from_write, 31)
            os.dup2(30, 3), os.dup2(31, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--hide-scrollbars", "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe",
             "--user-data-dir=" + self.folder.name, "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.folder.name}, start_new_session=True)
        os.close(to_read), os.close(from_write)
        self.rest, self.number, self.session = b"", 0, None
        target = [t for t in self.send("Target.getTargets")["targetInfos"] if t["type"] == "page"][0]
        self.session = self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.send("Page.enable"), self.send("Runtime.enable"), self.send("Log.enable")
        self.said = []

    def send(self, method, **parameters):
        """Returns a command's result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                piece = os.read(self.back, 1 << 20)
                if not piece:
                    raise RuntimeError("the browser has ended")
                self.rest += piece
            line, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if answer.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.said.append(json.dumps(answer["params"])[:400])

    def value(self, script):
        """Returns what a script in the page gives."""
        got = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in got:
            raise RuntimeError(json.dumps(got["exceptionDetails"])[:500])
        return got["result"].get("value")

    def until(self, script, seconds=60):
        """Waits until a script gives something true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.value("Boolean(" + script + ")"):
                return
            time.sleep(0.02)
        raise RuntimeError("never: " + script)

    def close(self):
        """Ends the browser and all that it has started."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.folder.cleanup()


class Server:
    """Runs `warpwright serve` with a home of its own."""

    def __init__(self, program, *words):
        self.home = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([program, "serve", "--progress", self.home.name, *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        found = re.match(r"http://\S+", self.process.stdout.readline())
        if not found:
            sys.exit("the server did not start")
        self.address = found[0]

    def close(self):
        """Ends the server."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        self.home.cleanup()


def main():
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", default="build/release/warpwright")
    options.add_argument("--browser", default="chromium")
    options.add_argument("--times", type=int, default=9)
    given = options.parse_args()
    server, browser = Server(given.program), Browser(given.browser)
    try:
        browser.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        browser.send("Network.enable"), browser.send("Network.setCacheDisabled", cacheDisabled=True)
        runs = []
        for number in range(given.times + 1):
            browser.send("Page.navigate", url="about:blank")
            browser.send("Page.navigate", url=server.address.replace("/#", f"/?{number}#"))
            browser.until("document.body && document.body.dataset.ready === 'yes' && 'editor' in seen")
            browser.until("performance.getEntriesByName('first-contentful-paint').length")
            runs.append(json.loads(browser.value(TOLD)))
        for path, size, begin, end in runs[-1]["loads"]:
            print(f"{path:<28}{size:>9} bytes {begin:>6} to {end} ms")
        print(f"load {os.getloadavg()[0]:.1f}; {given.times} times after one that is left out")
        for moment in ("paint", "task", "editor"):
            times = [run[moment] for run in runs[1:]]
            print(f"{moment:<8} median {statistics.median(times):6.0f} ms   longest {max(times):6.0f} ms")
    finally:
        browser.close()
        server.close()


if __name__ == "__main__":
    main()
