#!/usr/bin/env python3
"""Uses `warpwright serve` in headless Chromium as a learner does, with the real judge: keys, clicks, hints, mistakes, the next
exercise, a link, ten tabs, a kernel that never ends, a tab that is closed while its answer is computed.

    tests/browser/whole_page.py PROGRAM BROWSER

Prints what went wrong, a line each; the exit code is 0 where nothing did. It ends what it has started."""
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/serve"))
import first_paint  # noqa: E402

HEAD = "__global__ void added(const float* a, const float* b, float* c, int n) {\n"
INDEX = "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
RIGHT = HEAD + INDEX + "    c[i] = a[i] + b[i];\n}\n"
ENDLESS = HEAD + INDEX + "    while (i < n) c[i] = a[i] + b[i];\n}\n"
problems = []


def expect(what, holds, seen=""):
    """Notes what does not hold."""
    if not holds:
        problems.append(f"{what}: {seen}")


class Page:
    """The page in one tab of the browser."""

    def __init__(self, browser):
        self.browser = browser

    def value(self, script):
        """Returns what a script in the page gives."""
        return self.browser.value(script)

    def answer(self):
        """Returns the answer's text."""
        return self.value("document.getElementById('answer').innerText")

    def click(self, selector):
        """Clicks in the middle of an element, as a mouse does."""
        at = self.value(f"""(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null;
            e.scrollIntoView({{ block: "nearest" }}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()""")
        expect("there is " + selector, at is not None)
        for kind in ("mousePressed", "mouseReleased") if at else ():
            self.browser.send("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", clickCount=1)

    def key(self, name, code, number, control=False):
        """Presses a key and lets it go."""
        for kind in ("keyDown", "keyUp"):
            self.browser.send("Input.dispatchKeyEvent", type=kind, key=name, code=code, windowsVirtualKeyCode=number,
                              modifiers=2 if control else 0)

    def write(self, text):
        """Puts a text in place of all that the editor has."""
        self.click(".CodeMirror-lines")
        self.key("a", "KeyA", 65, control=True)
        self.browser.send("Input.insertText", text=text)

    def judged(self):
        """Waits until the answer is that of the text which stands there."""
        self.browser.until("document.querySelector('.verdict') && document.body.dataset.running === '0' && "
                           "!document.getElementById('answer').classList.contains('stale')", 100)
        return self.answer()

    def ask(self, text):
        """Writes a text and asks by keys; returns the answer."""
        self.write(text)
        self.key("Enter", "Enter", 13, control=True)
        return self.judged()


def walk(page):
    """Does the first exercise with a beginner's mistakes, and goes on to the next."""
    said = page.ask(HEAD + "    int i = threadIdx.x\n    c[i] = a[i] + b[i];\n}\n")
    expect("a missing semicolon", "added.cu:2:" in said and "expected ';'" in said, said)
    expect("its line is marked", page.value("document.querySelectorAll('.CodeMirror .culprit').length") == 1)
    said = page.ask(HEAD + "    int i = threadIdx;\n    c[i] = a[i] + b[i];\n}\n")
    expect("a part of threadIdx", ".x, .y and .z" in said, said)
    said = page.ask(HEAD + "    const int i = threadIdx.x;\n    c[i] = a[i] + b[i];\n}\n")
    expect("an element without a thread", "never written" in said, said)
    page.click("#hint")
    page.browser.until("document.querySelectorAll('#task ol li').length === 1")
    said = page.ask(HEAD + INDEX + "    c[i + 1] = a[i] + b[i];\n}\n")
    expect("an index too large", "Line 3: store of 4 bytes at c[256], out of bounds" in said, said)
    said = page.ask(ENDLESS)
    expect("a loop without end", "endless loop" in said, said)
    # Typing is answered without being asked, and the answer before it is marked as old.
    page.write(RIGHT)
    expect("the old answer is marked", page.value("document.getElementById('answer').classList.contains('stale')"))
    said = page.judged()
    expect("the right text is done", said.startswith("Done"), said)
    expect("counts stand beside the lines", page.value("document.querySelectorAll('.count').length") >= 2)
    cut = page.value("[...document.querySelectorAll('.count')].some(e => e.scrollWidth > e.clientWidth + 1)")
    expect("no count is cut", not cut)
    page.click(".count")
    page.browser.until("document.querySelector('#list a.done')")
    page.click("#next")
    page.browser.until("document.querySelector('#list a[aria-current]').dataset.name === 'bounds'")
    expect("the next one begins anew", page.value("document.querySelector('.verdict')") is None)


def link(page):
    """A link brings the text to another page."""
    page.write("// a text of mine\n")
    page.click("#link")
    page.browser.until("location.hash.includes('t=')")
    return page.value("location.hash")


def tabs(browser, address, page):
    """Ten tabs ask for a kernel without end at once, one is closed meanwhile, and all others are answered."""
    main, others = browser.session, []
    ask = (f"window.asked = fetch('/api/judge', {{ method: 'POST', headers: {{ Authorization: 'Bearer ' + sessionStorage.getItem('token') }}, "
           f"body: JSON.stringify({{ exercise: 'first_add', text: {json.dumps(ENDLESS)}, tab: Math.random().toString() }}) }})"
           f".then(r => r.json()).then(a => window.said = a.done === false && Boolean(a.finding)); 1")
    for _ in range(10):
        browser.session = None
        target = browser.send("Target.createTarget", url=address)["targetId"]
        browser.session = browser.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.until("document.body && document.body.dataset.ready === 'yes'")
        browser.value(ask)
        others.append((target, browser.session))
    browser.session = None
    browser.send("Target.closeTarget", targetId=others[0][0])
    for _, session in others[1:]:
        browser.session = session
        browser.until("'said' in window", 100)
        expect("a tab's answer", browser.value("window.said"))
    browser.session = main
    expect("the page goes on", page.ask(RIGHT.replace("added(", "other(")).startswith("Not yet"))


def main():
    """Runs all of it."""
    program, chromium = sys.argv[1:]
    server, browser = first_paint.Server(program), first_paint.Browser(chromium)
    page = Page(browser)
    try:
        browser.send("Emulation.setDeviceMetricsOverride", width=1280, height=900, deviceScaleFactor=1, mobile=False)
        browser.send("Page.navigate", url=server.address)
        browser.until("document.body && document.body.dataset.ready === 'yes'")
        walk(page)
        fragment = link(page)
        browser.send("Page.navigate", url="about:blank")
        browser.send("Page.navigate", url=server.address + "&" + fragment[1:])
        browser.until("document.body && document.body.dataset.ready === 'yes'")
        text = page.value("document.querySelector('.CodeMirror').CodeMirror.getValue()")
        expect("the link has the text", text == "// a text of mine\n", text)
        expect("what is done is kept", page.value("document.querySelectorAll('#list a.done').length") == 1)
        tabs(browser, server.address, page)
        # A newer attempt takes the place of one that runs; that is no error of the page's.
        expect("nothing is said on the console", not [one for one in browser.said if "409" not in one], browser.said)
    except RuntimeError as error:
        problems.append(f"{error}; the answer: {page.answer()}")
    finally:
        browser.close()
        server.close()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    begun = time.monotonic()
    code = main()
    print(f"{time.monotonic() - begun:.1f} s, load {os.getloadavg()[0]:.1f}")
    sys.exit(code)
