extension InspectorScript {
  /// The details of an exchange: texts become text nodes, whatever they contain.
  static let details = #"""
    const closedSections = new Set();
    let shownLine = null;

    function section(title, ...content) {
      const made = element("details");
      made.open = !closedSections.has(title);
      made.addEventListener("toggle", () => closedSections[made.open ? "delete" : "add"](title));
      made.append(element("summary", "", title), ...content);
      return made;
    }

    function table(rows) {
      if (rows.length === 0) return element("p", "dim", "None");
      const made = element("dl");
      for (const [name, value] of rows) made.append(element("dt", "", name), element("dd", "", value));
      return made;
    }

    // The body as text. JSON is indented without being decoded, so that numbers have their original digits.
    function body(shown, fields) {
      if (!shown || (shown.text == null && !shown.comment)) return [element("p", "dim", "No body")];
      const made = [];
      if (shown.comment) made.push(element("p", "dim", shown.comment));
      if (shown.text != null) {
        const type = fields.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
        const isJSON = /json/i.test(type) || /^\s*[[{]/.test(shown.text);
        const pre = element("pre", "", isJSON && shown.text.length < 500000 ? indented(shown.text) : shown.text);
        pre.tabIndex = 0;
        made.push(pre);
      }
      return made;
    }

    function indented(text) {
      try { JSON.parse(text); } catch { return text; }
      let result = "", depth = 0;
      const newLine = () => "\n" + "  ".repeat(Math.min(depth, 64));
      for (const token of text.match(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[^\s"[\]{},:]+|[[\]{},:]/g) ?? []) {
        if (token === "{" || token === "[") { depth += 1; result += token + newLine(); }
        else if (token === "}" || token === "]") { depth -= 1; result += newLine() + token; }
        else if (token === ",") result += token + newLine();
        else if (token === ":") result += ": ";
        else result += token.length > 1 && /^[[{]/.test(token) ? token[0] + token[token.length - 1] : token;
      }
      return result;
    }

    function phaseTable(phases) {
      const made = element("dl");
      phases.forEach((phase, index) => {
        const name = element("dt", "", phaseTitles[index]);
        const swatch = element("span", "swatch");
        swatch.style.background = `var(--${phaseNames[index]})`;
        name.prepend(swatch);
        made.append(name, element("dd", "", phase > 0 ? time(phase) : "–"));
      });
      return made;
    }

    function render(exchange) {
      const row = exchange.row, content = byId("content"), position = content.scrollTop;
      setText(byId("title"), `${row.method} ${statusText(row)}`);
      content.replaceChildren(element("p", "url", row.url));
      const started = new Date(row.startTime).toLocaleString();
      content.append(section("Summary", table([["Started", started], ...exchange.facts])));
      if (exchange.explanation) content.append(section("Explanation", element("pre", "", exchange.explanation)));
      if (exchange.error) content.append(section("Error", table(exchange.error)));
      if (row.phases) content.append(section("Timing", phaseTable(row.phases)));
      if (exchange.cache.length) {
        const events = element("ul");
        for (const event of exchange.cache) events.append(element("li", "", event));
        content.append(section("Cache", events));
      }
      content.append(section("Request header fields", table(exchange.requestFields)));
      content.append(section("Request body", ...body(exchange.requestBody, exchange.requestFields)));
      if (row.status != null) {
        content.append(section("Response header fields", table(exchange.responseFields)));
        content.append(section("Response body", ...body(exchange.responseBody, exchange.responseFields)));
      }
      const copy = byId("copy");
      copy.disabled = !exchange.curl;
      copy.onclick = async () => {
        await navigator.clipboard.writeText(exchange.curl);
        setText(copy, "Copied");
        setTimeout(() => setText(copy, "Copy as cURL"), 1500);
      };
      content.scrollTop = position;
    }

    async function showDetails(line) {
      if (!line) return;
      const key = line.row.key, isAnother = shownLine?.row.key !== key;
      shownLine = line;
      try {
        const response = await fetch(`exchange?key=${key}`);
        if (!response.ok) throw new Error("The app no longer has this request.");
        const exchange = await response.json();
        if (shownLine?.row.key !== key) return;
        render(exchange);
        if (isAnother) byId("content").scrollTop = 0;
      } catch (error) {
        if (shownLine?.row.key !== key) return;
        setText(byId("title"), `${line.row.method} ${statusText(line.row)}`);
        byId("content").replaceChildren(element("p", "url", line.row.url), element("p", "dim", error.message));
        byId("copy").disabled = true;
      }
      if (byId("details").hidden) {
        byId("details").hidden = false;
        redraw();
      }
    }

    function hideDetails() {
      shownLine = null;
      byId("details").hidden = true;
      grid.focus();
      redraw();
    }
    """#
}
