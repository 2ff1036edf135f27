import Foundation
import Heliograph

/// The page of a `NetworkInspector`: one document without external resources.
enum InspectorPage {
  static let html = Data(text.utf8)

  /// The Content-Security-Policy, which allows only the document's own script and style, and requests to its own
  /// origin.
  ///
  /// Trusted Types, where supported, also keep text from becoming markup.
  static let policy = [
    "default-src 'none'", "script-src '\(digest(of: InspectorScript.text))'",
    "style-src '\(digest(of: InspectorStyle.text))'", "connect-src 'self'", "img-src data:", "base-uri 'none'",
    "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")

  private static func digest(of text: String) -> String {
    "sha256-\(Data(SHA256.hash(Array(text.utf8))).base64EncodedString())"
  }

  private static let text = """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Network inspector</title>
    <link rel="icon" href="data:,">
    <style>\(InspectorStyle.text)</style>
    </head>
    <body>
    <header>
    <h1>Requests</h1>
    <input id="text" type="search" placeholder="Filter ( / )" aria-label="Filter by URL, status, source or error"
      aria-keyshortcuts="/" autocomplete="off" spellcheck="false">
    <select id="method" aria-label="Method"><option value="">Any method</option></select>
    <select id="status" aria-label="Status">
    <option value="">Any status</option>
    <option value="2">2xx</option><option value="3">3xx</option><option value="4">4xx</option>
    <option value="5">5xx</option><option value="none">No response</option>
    <option value="inFlight">In flight</option><option value="cancelled">Cancelled</option>
    </select>
    <button id="failed" type="button" aria-pressed="false">Failed</button>
    <button id="cached" type="button" aria-pressed="false">Cached</button>
    <button id="clear" type="button">Clear</button>
    <a id="har" class="button" href="har" download="requests.har">Export HAR</a>
    <span id="count" role="status"></span>
    <span id="state" role="status">Connecting</span>
    </header>
    <main>
    <section id="list" aria-label="List of requests">
    <div id="grid" role="treegrid" tabindex="0" aria-label="Requests">
    <div id="columns" class="row" role="row" aria-rowindex="1">
    <div class="toggle" role="columnheader" aria-label="Attempts"></div>
    <div class="method" role="columnheader">Method</div>
    <div class="status" role="columnheader">Status</div>
    <div class="name" role="columnheader">URL</div>
    <div class="source" role="columnheader">Source</div>
    <div class="size" role="columnheader">Size</div>
    <div class="time" role="columnheader">Time</div>
    <div class="bar" role="columnheader" title="The scale is that of the lines in view">Waterfall<span id="scale"></span></div>
    </div>
    <div id="canvas" role="rowgroup"></div>
    </div>
    <p id="empty">No requests yet.</p>
    </section>
    <aside id="details" aria-labelledby="title" tabindex="-1" hidden>
    <div>
    <h2 id="title"></h2>
    <button id="copy" type="button">Copy as cURL</button>
    <button id="close" type="button" aria-label="Close">✕</button>
    </div>
    <div id="content"></div>
    </aside>
    </main>
    <script>\(InspectorScript.text)</script>
    </body>
    </html>
    """
}
