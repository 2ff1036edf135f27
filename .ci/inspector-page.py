"""The checks of .ci/inspector: Chromium is driven over a pipe, by its DevTools protocol, without further packages."""

import base64
import http.client
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

DEADLINE = 120


def fail(text):
    sys.exit(f"inspector: {text}")


def check(condition, text):
    if not condition:
        fail(text)
    print(f"inspector: ok: {text}")


class Browser:
    """A headless Chromium whose standard descriptors 3 and 4 speak the DevTools protocol."""

    def __init__(self, profile):
        to_read, self.out = os.pipe()
        self.input, to_write = os.pipe()

        def connect():
            # Copies first: one of the numbers may be 3 or 4.
            low, high = os.dup(to_read), os.dup(to_write)
            os.dup2(low, 3)
            os.dup2(high, 4)

        command = [
            "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--mute-audio",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank",
        ]
        self.process = subprocess.Popen(
            command, preexec_fn=connect, close_fds=True, pass_fds=(3, 4), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.last, self.events = b"", 0, []

    def receive(self):
        end = time.monotonic() + DEADLINE
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], max(0, end - time.monotonic()))[0]:
                fail("Chromium does not answer")
            piece = os.read(self.input, 1 << 20)
            if not piece:
                fail("Chromium has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, session=None, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            reply = self.receive()
            if reply.get("id") == self.last:
                if "error" in reply:
                    fail(f"{method}: {reply['error']}")
                return reply["result"]
            if "method" in reply:
                self.events.append(reply)

    def close(self):
        self.process.terminate()
        self.process.wait()


class Page:
    """A tab with the inspector's page."""

    def __init__(self, browser, url, width=1440, height=900):
        self.browser = browser
        self.target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.send(f"{domain}.enable")
        self.resize(width, height)
        self.send("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && byId('state').textContent === 'Live'", "the page is live")

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def evaluate(self, expression):
        reply = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in reply:
            fail(f"{expression}: {reply['exceptionDetails']}")
        return reply["result"].get("value")

    def wait(self, expression, text, seconds=60):
        end = time.monotonic() + seconds
        while True:
            reply = self.send("Runtime.evaluate", expression=f"!!({expression})", returnByValue=True)
            if reply["result"].get("value"):
                return
            if time.monotonic() > end:
                fail(f"not within {seconds} s: {text}")
            time.sleep(0.02)

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def theme(self, name):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def key(self, key, text=None):
        codes = {"ArrowDown": 40, "ArrowUp": 38, "ArrowRight": 39, "ArrowLeft": 37, "Enter": 13, "Escape": 27, "End": 35,
                 "Home": 36}
        common = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        self.send("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        for character in text:
            self.key(character, character)

    def screenshot(self, path):
        self.evaluate("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
        data = self.send("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def check_layouts(self, name):
        backs = {}
        for width in [390, 1440]:
            for theme in ["light", "dark"]:
                self.resize(width, 844 if width == 390 else 900)
                self.theme(theme)
                self.screenshot(f".build/inspector-{name}-{theme}-{width}.png")
                wide = self.evaluate("document.documentElement.scrollWidth")
                check(wide <= width, f"{name}: no wider than {width} pixels, {theme}")
                backs[theme] = self.evaluate("getComputedStyle(document.body).backgroundColor")
        check(backs["light"] != backs["dark"], f"{name}: light and dark differ")
        self.theme("light")

    def close(self):
        """Without its program, the page would go on asking, and report that in the console."""
        self.browser.send("Target.closeTarget", targetId=self.target)

    def problems(self):
        """Exceptions, and errors and warnings of the console."""
        found = []
        for event in self.browser.events:
            parameters = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"])
            if event["method"] == "Runtime.consoleAPICalled" and parameters["type"] in ["error", "warning", "assert"]:
                found.append(parameters["args"])
            if event["method"] == "Log.entryAdded" and parameters["entry"]["level"] in ["error", "warning"]:
                found.append(parameters["entry"])
        return found


class Program:
    """A program that prints the URL of its inspector, and then goes on."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.output = []
        self.url = self.find(r"(http://127\.0\.0\.1:\d+/[0-9a-f]{32}/)").group(1)

    def find(self, pattern):
        """Reads lines up to one that matches."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            line = self.process.stdout.readline()
            if not line:
                break
            self.output.append(line)
            if match := re.search(pattern, line):
                return match
        fail(f"no {pattern} in the output: {''.join(self.output)}")

    def step(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.find(f"^{re.escape(line)}$")

    def close(self):
        self.process.terminate()
        self.process.wait()


def check_refusals(url):
    parts = urllib.parse.urlsplit(url)

    def status(path, **fields):
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=DEADLINE)
        connection.request("GET", path, headers=fields)
        return connection.getresponse().status

    check(status(parts.path) == 200, "the URL of the page gets 200")
    check(status("/0123456789abcdef0123456789abcdef/") == 403, "a wrong token gets 403")
    check(status(parts.path, Host=f"rebound.example:{parts.port}") == 403, "a wrong Host gets 403")
    check(status(parts.path, Origin="https://other.example") == 403, "a foreign Origin gets 403")


def check_tour(browser):
    program = Program("Examples/.build/debug/storefront", "--inspect")
    try:
        page = Page(browser, program.url)
        page.evaluate("""
          window.inFlightCount = 0;
          new MutationObserver(() => {
            if (document.querySelector("#canvas .inFlight")) window.inFlightCount += 1;
          }).observe(canvas, { subtree: true, attributes: true });
        """)
        count = int(program.find(r"^inspected (\d+) requests").group(1))
        page.wait(f"requests.size >= {count} && !list.some(request => isInFlight(lastAttempt(request)))",
                  f"the {count} requests of the tour")
        check(page.evaluate("list.length") == count, f"each of the {count} requests of the tour is listed once")
        check(page.evaluate("new Set(list.map(request => request.id)).size") == count, "no two have the same identity")
        check(page.evaluate("window.inFlightCount") > 0, "requests were shown while they were in flight")
        check(page.evaluate("list.some(request => request.attempts.length > 2)"), "retries are attempts of their request")
        for name in ["failed", "cached"]:
            page.evaluate(f"byId('{name}').click()")
            shown = page.evaluate("lines.length")
            check(0 < shown < count, f"the filter for {name} requests shows {shown}")
            page.evaluate(f"byId('{name}').click()")
        page.evaluate("""
          toggle(lines.find(line => line.request.attempts.length > 2), true);
          grid.focus();
          selectIndex(lines.findIndex(line => line.request.isOpen));
        """)
        page.key("Enter")
        page.wait("!byId('details').hidden && !!document.querySelector('#content dl')", "the details of an attempt")
        page.wait("document.querySelector('#content').textContent.includes('Explanation')", "an explanation")
        page.check_layouts("tour")
        page.resize(1280, 760)
        page.screenshot(".build/inspector.png")
        har = page.evaluate("fetch('har').then(response => response.json()).then(har => har.log.entries.length)")
        check(har >= count, f"the HAR file has {har} entries")
        check(not page.problems(), f"no error in the console {page.problems()}")
    finally:
        program.close()


def check_names(page):
    nodes = page.send("Accessibility.getFullAXTree")["nodes"]
    controls = {"button", "link", "searchbox", "textbox", "combobox", "treegrid", "columnheader"}
    unnamed = [
        node for node in nodes
        if node.get("role", {}).get("value") in controls and not node.get("name", {}).get("value") and not node["ignored"]]
    check(not unnamed, f"every control has an accessible name {unnamed}")


def check_probe(browser):
    program = Program(".build/debug/ProcessProbe", "inspect")
    try:
        check_refusals(program.url)
        page = Page(browser, program.url)
        program.step("hold")
        page.wait("document.querySelector('#canvas .inFlight:not([hidden])')", "a request in flight has a row")
        check(True, "a request in flight has a row")
        check_redraws(page)
        program.step("release")
        page.wait("!document.querySelector('#canvas .inFlight:not([hidden])')", "the row is updated")
        check(True, "the row is updated at the end")

        program.step("markup")
        page.wait("list.length === 3", "two requests with markup")
        for index in [1, 2]:
            page.evaluate(f"showDetails(lines[{index}])")
            page.wait("[...document.querySelectorAll('#content pre')].some(pre => pre.textContent.includes('<script>'))",
                      "the markup is shown as text")
        check(page.evaluate("window.wasRun === undefined && document.scripts.length === 1 && !document.querySelector("
                            "'#content script, #content img, #content b')"), "markup in a body is text, and does not run")

        program.step("mixed")
        page.wait("list.length === 8", "requests of several kinds")
        page.evaluate("hideDetails()")
        page.key("Home")
        page.key("ArrowDown")
        check(page.evaluate("selectedIndex()") == 1, "arrow keys select")
        page.key("Enter")
        page.wait("!byId('details').hidden && document.activeElement === byId('details')", "Enter opens the details")
        page.key("Escape")
        check(page.evaluate("byId('details').hidden && document.activeElement === grid"), "Escape closes them")
        page.key("/")
        check(page.evaluate("document.activeElement === byId('text')"), "/ goes to the filter")
        page.type("busy")
        check(page.evaluate("lines.length === 1 && lines[0].request.attempts.length === 3"), "the filter finds one request")
        page.key("Escape")
        check(page.evaluate("lines.length === 8"), "Escape clears the filter")
        page.evaluate("selectIndex(lines.findIndex(line => line.request.attempts.length === 3))")
        page.key("Escape")
        page.key("ArrowRight")
        check(page.evaluate("lines.length === 11"), "the right arrow shows the attempts")
        page.key("ArrowLeft")
        check_names(page)
        page.browser.send("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        page.evaluate("showDetails(lines[0])")
        page.wait("!byId('copy').disabled", "a command to copy")
        page.evaluate("byId('copy').click()")
        page.wait("byId('copy').textContent === 'Copied'", "the command was copied")
        copied = page.evaluate("navigator.clipboard.readText()")
        check(copied.startswith("curl 'http://127.0.0.1:"), f"copies {copied}")
        page.evaluate("hideDetails()")
        check_names(page)

        check_scrolling(page, program)
        page.evaluate("byId('clear').click()")
        check(page.evaluate("list.length === 0 && !byId('empty').hidden"), "Clear empties the list")
        check(not page.problems(), f"no error in the console {page.problems()}")
        page.close()
    finally:
        program.close()


def check_redraws(page):
    """While a request is in flight the list is drawn four times a second, however often it was drawn before."""
    count = page.evaluate("""
      (async () => {
        const frame = () => new Promise(requestAnimationFrame);
        for (let index = 0; index < 15; index += 1) { redraw(); await frame(); await frame(); }
        const original = draw;
        let count = 0;
        draw = () => { count += 1; original(); };
        await new Promise(resolve => setTimeout(resolve, 2000));
        draw = original;
        return count;
      })()
    """)
    check(1 <= count <= 12, f"{count} draws in two seconds with a request in flight")


def scroll(page, share=1):
    """Scrolls through a share of the list in 180 steps; returns the times between frames, sorted."""
    return page.evaluate("""
      (share => new Promise(resolve => {
        const frames = [], steps = 180;
        let last = performance.now(), step = 0;
        grid.scrollTop = 0;
        requestAnimationFrame(function next(now) {
          frames.push(now - last);
          last = now;
          step += 1;
          if (step > steps) return resolve(frames.slice(2).sort((one, other) => one - other));
          grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * share * (step / steps);
          requestAnimationFrame(next);
        });
      }))(%s)
    """ % share)


def check_scrolling(page, program):
    begin = time.monotonic()
    program.step("send 10000")
    page.wait("list.length >= 9990", "10,000 requests", 120)
    print(f"inspector: 10,000 requests sent and shown in {time.monotonic() - begin:.1f} s")
    # What a machine needs for frames without scrolling; a busy one delays some, a stall of the page is there each time.
    still = scroll(page, 0)[90]
    print(f"inspector: frames without scrolling: median {still:.1f} ms")
    for _ in range(5):
        frames = scroll(page)
        middle, late, longest = frames[len(frames) // 2], frames[len(frames) * 95 // 100], frames[-1]
        print(f"inspector: frames while scrolling: median {middle:.1f} ms, 95 % {late:.1f} ms, longest {longest:.1f} ms")
        if late < 5 * still and longest < 15 * still:
            break
    check(late < 5 * still and longest < 15 * still, "10,000 requests scroll without a stall")
    check(page.evaluate("canvas.childElementCount") < 150, "only the lines in view have elements")
    page.key("End")
    last = page.evaluate("selectedIndex() === lines.length - 1 && !!document.getElementById(selectedId)")
    check(last, "End selects the last request, which is in view")


def main():
    profile = tempfile.mkdtemp()
    browser = Browser(profile)
    try:
        check_probe(browser)
        browser.events = []
        check_tour(browser)
    finally:
        browser.close()
        shutil.rmtree(profile, ignore_errors=True)
    if "--screenshots" in sys.argv:
        shutil.copy(".build/inspector.png", "Sources/Heliograph/Heliograph.docc/inspector.png")
    print("inspector: ok")


main()
