"""Opens a HAR file in the network panel of headless Chromium's own developer tools: chromium, file, folder for work, screenshot.

The developer tools are a page that Chromium serves. This program drives it over the pipe of --remote-debugging-pipe.
"""
import base64, json, os, subprocess, sys, time, urllib.request

chromium, file, work, screenshot = sys.argv[1:]
to_read, to_write = os.pipe()
from_read, from_write = os.pipe()
os.set_inheritable(to_read, True)
os.set_inheritable(from_write, True)


def preexec():
    os.dup2(to_read, 60), os.dup2(from_write, 61)
    os.dup2(60, 3), os.dup2(61, 4)


profile = os.path.join(work, "profile")
browser = subprocess.Popen(
    [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--remote-debugging-pipe",
     "--remote-debugging-port=0", "--remote-allow-origins=*", "--window-size=1280,800", "about:blank"],
    preexec_fn=preexec, close_fds=False, stderr=open(os.path.join(work, "chromium.log"), "w"))
reader = os.fdopen(from_read, "rb", buffering=0)
buffered, number = b"", 0


def call(method, session=None, **parameters):
    global buffered, number
    number += 1
    message = {"id": number, "method": method, "params": parameters}
    if session:
        message["sessionId"] = session
    os.write(to_write, json.dumps(message).encode() + b"\0")
    while True:
        while b"\0" not in buffered:
            piece = reader.read(65536)
            if not piece:
                sys.exit("har: Chromium has ended: " + open(os.path.join(work, "chromium.log")).read()[-2000:])
            buffered += piece
        line, buffered = buffered.split(b"\0", 1)
        answer = json.loads(line)
        if answer.get("id") == number:
            if "error" in answer:
                sys.exit(f"har: {method}: {answer['error']}")
            return answer["result"]


def evaluate(session, expression):
    result = call("Runtime.evaluate", session, expression=expression, awaitPromise=True, returnByValue=True)
    if "exceptionDetails" in result:
        sys.exit(f"har: {json.dumps(result['exceptionDetails'])[:2000]}")
    return result["result"].get("value")


LOAD = """(async text => {
  const Network = await import('./panels/network/network.js');
  const UI = await import('./ui/legacy/legacy.js');
  await UI.ViewManager.ViewManager.instance().showView('network');
  const panel = Network.NetworkPanel.NetworkPanel.instance();
  const view = panel.networkLogView;
  await view.onLoadFromFile(new File([text], 'tour.har'));
  await new Promise(done => setTimeout(done, 1000));
  const nodes = view.flatNodesList ? view.flatNodesList() : [...view.dataGrid.rootNode().children];
  const requests = nodes.map(node => node.request()).filter(request => request);
  return {
    urls: requests.map(request => request.url()), statuses: requests.map(request => request.statusCode),
    durations: requests.map(request => request.duration * 1000), cached: requests.filter(request => request.cached()).length,
    sizes: requests.map(request => request.transferSize),
  };
})"""

try:
    port_file = os.path.join(profile, "DevToolsActivePort")
    deadline = time.time() + 30
    while not os.path.exists(port_file) and time.time() < deadline:
        time.sleep(0.1)
    port = open(port_file).read().split()[0]
    pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list"))
    page = next(page for page in pages if page["type"] == "page")
    address = f"http://127.0.0.1:{port}/devtools/inspector.html?ws=127.0.0.1:{port}/devtools/page/{page['id']}"
    target = call("Target.createTarget", url=address)["targetId"]
    session = call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for _ in range(100):
        if evaluate(session, "!!document.querySelector('.root-view, .vbox')"):
            break
        time.sleep(0.2)
    else:
        sys.exit("har: the developer tools did not open")
    text = open(file).read()
    entries = json.loads(text)["log"]["entries"]
    shown = evaluate(session, f"{LOAD}({json.dumps(text)})")
    if sorted(shown["urls"]) != sorted(entry["request"]["url"] for entry in entries):
        sys.exit(f"har: the panel shows {len(shown['urls'])} of {len(entries)} entries")
    if sorted(shown["statuses"]) != sorted(entry["response"]["status"] for entry in entries):
        sys.exit("har: the panel shows other statuses")
    cached = sum("_fromCache" in entry for entry in entries)
    if shown["cached"] != cached:
        sys.exit(f"har: the panel shows {shown['cached']} of {cached} responses from the cache")
    expected = sorted(entry["time"] for entry in entries)
    if any(abs(a - b) > 1 for a, b in zip(sorted(shown["durations"]), expected)):
        sys.exit("har: the panel shows other times")
    if screenshot:
        picture = call("Page.captureScreenshot", session, format="png")["data"]
        open(screenshot, "wb").write(base64.b64decode(picture))
    print(f"har: ok: Chromium's network panel shows all {len(entries)} entries, their statuses and times, {cached} from the cache")
finally:
    browser.kill()
    browser.wait()
