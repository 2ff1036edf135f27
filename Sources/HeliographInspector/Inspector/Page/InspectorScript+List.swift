extension InspectorScript {
  /// The list: only the lines in view have elements, which are reused while it scrolls.
  static let list = #"""
    const rowHeight = 28, overscan = 6;
    const phaseNames = ["blocked", "dns", "connect", "tls", "send", "wait", "receive"];
    const phaseTitles = ["Blocked", "DNS", "Connect", "TLS", "Send", "Wait", "Receive"];
    const byId = id => document.getElementById(id);
    const grid = byId("grid"), canvas = byId("canvas");
    const pool = [];
    let selectedId = "", isDrawing = false, isFollowing = true, timer;

    function element(name, className, text) {
      const made = document.createElement(name);
      if (className) made.className = className;
      if (text != null) made.textContent = text;
      return made;
    }

    function setText(target, text) { if (target.textContent !== text) target.textContent = text; }

    function makeRow() {
      const row = element("div", "row");
      row.setAttribute("role", "row");
      row.cells = {};
      for (const name of ["toggle", "method", "status", "name", "source", "size", "time", "bar"]) {
        const cell = element("div", name);
        cell.setAttribute("role", "gridcell");
        row.cells[name] = cell;
        row.append(cell);
      }
      row.path = element("span", "path");
      row.host = element("span", "host");
      row.cells.name.append(row.path, row.host);
      row.span = element("div", "span");
      row.cells.bar.append(row.span);
      row.addEventListener("click", event => {
        select(row.line);
        if (event.target === row.cells.toggle && canExpand(row.line)) toggle(row.line); else showDetails(row.line);
      });
      canvas.append(row);
      return row;
    }

    const canExpand = line => !line.isAttempt && line.request.attempts.length > 1;

    function statusText(row) {
      if (isInFlight(row)) return row.status == null ? "…" : `${row.status} …`;
      if (row.state === "cancelled") return "cancelled";
      return row.status != null ? String(row.status) : row.problem ?? "–";
    }

    function fill(row, line, index, scale) {
      const attempt = line.row, count = line.request.attempts.length;
      row.line = line;
      row.hidden = false;
      row.id = idOf(line);
      row.style.transform = `translateY(${index * rowHeight}px)`;
      const kinds = ["row"];
      if (line.isAttempt) kinds.push("attempt");
      if (isInFlight(attempt)) kinds.push("inFlight");
      else if (isFailed(attempt)) kinds.push("failed");
      else if (isCached(attempt)) kinds.push("cached");
      if (row.id === selectedId) kinds.push("selected");
      row.className = kinds.join(" ");
      row.setAttribute("aria-rowindex", index + 2);
      row.setAttribute("aria-level", line.isAttempt ? 2 : 1);
      row.setAttribute("aria-selected", row.id === selectedId);
      if (canExpand(line)) row.setAttribute("aria-expanded", line.request.isOpen);
      else row.removeAttribute("aria-expanded");
      setText(row.cells.toggle, canExpand(line) ? (line.request.isOpen ? "▾" : "▸") : "");
      setText(row.cells.method, line.isAttempt ? `#${attempt.attempt}` : attempt.method);
      setText(row.cells.status, statusText(attempt));
      setText(row.path, attempt.path);
      setText(row.host, attempt.host);
      row.cells.name.title = attempt.url;
      setText(row.cells.source, !line.isAttempt && count > 1 ? `${count} attempts` : attempt.source ?? "");
      setText(row.cells.size, bytes(attempt.size));
      setText(row.cells.time, time(durationOf(line)));
      drawBar(row.span, line, scale);
    }

    // The bar of an attempt has the colours of its phases; the bar of a request with several attempts spans them.
    function drawBar(span, line, scale) {
      const start = startOf(line), end = endOf(line.row);
      const left = Math.min(99.5, 100 * (start - scale.start) / scale.length);
      span.style.left = `${left}%`;
      span.style.width = `${Math.max(0.5, Math.min(100 - left, 100 * (end - start) / scale.length))}%`;
      const phases = canExpand(line) ? null : line.row.phases;
      const sum = (phases ?? []).reduce((total, phase) => total + phase, 0);
      if (!sum) { span.style.background = ""; return; }
      let position = 0;
      const stops = phases.map((phase, index) => {
        const from = position;
        position += 100 * phase / sum;
        return phase > 0 ? `var(--${phaseNames[index]}) ${from.toFixed(2)}% ${position.toFixed(2)}%` : "";
      });
      span.style.background = `linear-gradient(to right, ${stops.filter(stop => stop).join(", ")})`;
    }

    // The bars share the scale of the lines in view, so that they stay readable after hours.
    function scaleOf(first, last) {
      let start = Infinity, end = -Infinity;
      for (let index = first; index < last; index += 1) {
        start = Math.min(start, startOf(lines[index]));
        end = Math.max(end, endOf(lines[index].row));
      }
      return { start, length: Math.max(1, end - start) };
    }

    function draw() {
      isDrawing = false;
      grid.setAttribute("aria-rowcount", lines.length + 1);
      if (isFollowing) grid.scrollTop = grid.scrollHeight;
      const top = Math.max(0, grid.scrollTop), shown = Math.ceil(grid.clientHeight / rowHeight) + 1;
      const first = Math.max(0, Math.min(Math.floor(top / rowHeight), lines.length - shown));
      const last = Math.min(lines.length, first + shown);
      const scale = scaleOf(first, last), size = shown + 2 * overscan;
      const from = Math.max(0, first - overscan), to = Math.min(lines.length, last + overscan);
      while (pool.length < size) pool.push(makeRow());
      const used = new Set();
      for (let index = from; index < to; index += 1) {
        used.add(index % size);
        fill(pool[index % size], lines[index], index, scale);
      }
      pool.forEach((row, index) => { if (!used.has(index)) { row.hidden = true; row.removeAttribute("id"); } });
      setText(byId("scale"), lines.length ? `, ${time(scale.length)}` : "");
      // One timer, whatever else draws meanwhile.
      clearTimeout(timer);
      if (lines.slice(from, to).some(line => isInFlight(line.row))) timer = setTimeout(redraw, 250);
    }

    function redraw() {
      if (isDrawing) return;
      isDrawing = true;
      requestAnimationFrame(draw);
    }

    const selectedIndex = () => lines.findIndex(line => idOf(line) === selectedId);

    function select(line) {
      selectedId = line ? idOf(line) : "";
      if (line) grid.setAttribute("aria-activedescendant", selectedId);
      else grid.removeAttribute("aria-activedescendant");
      redraw();
    }

    // Selects the line at an index and scrolls it into view.
    function selectIndex(index) {
      if (lines.length === 0) return;
      const bounded = Math.max(0, Math.min(lines.length - 1, index));
      const top = bounded * rowHeight, space = grid.clientHeight - 2 * rowHeight;
      isFollowing = false;
      if (top < grid.scrollTop) grid.scrollTop = top;
      if (top > grid.scrollTop + space) grid.scrollTop = top - space;
      select(lines[bounded]);
      if (!byId("details").hidden) showDetails(lines[bounded]);
    }

    function toggle(line, isOpen = !line.request.isOpen) {
      line.request.isOpen = isOpen;
      update();
    }
    """#
}
