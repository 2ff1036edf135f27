extension InspectorScript {
  /// The requests that the page knows, each with its attempts, and the lines of the list after the filters.
  static let model = #"""
    "use strict";
    const requests = new Map();
    let list = [], lines = [], clearedKey = 0, clockOffset = 0;
    const filter = { words: [], method: "", status: "", failed: false, cached: false };

    // Adds or replaces the record of an attempt; the list is in the order of the first attempts.
    function absorb(row) {
      if (row.key <= clearedKey) return;
      const rest = row.url.replace(/^[a-z]+:\/\//i, ""), cut = rest.search(/[/?#]/);
      row.host = cut < 0 ? rest : rest.slice(0, cut);
      row.path = cut < 0 ? "/" : rest.slice(cut);
      row.text = `${row.method} ${row.url} ${row.status ?? ""} ${row.problem ?? ""} ${row.source ?? ""} #${row.request}`
        .toLowerCase();
      let request = requests.get(row.request);
      if (!request) {
        request = { id: row.request, attempts: [], isOpen: false };
        requests.set(row.request, request);
        let index = list.length;
        while (index > 0 && list[index - 1].attempts[0].key > row.key) index -= 1;
        list.splice(index, 0, request);
      }
      const index = request.attempts.findIndex(attempt => attempt.key === row.key);
      if (index >= 0) { request.attempts[index] = row; return; }
      request.attempts.push(row);
      request.attempts.sort((one, other) => one.key - other.key);
    }

    // Forgets the attempts with smaller keys, which the app no longer has or which the user has cleared.
    function forget(firstKey) {
      if (!list.some(request => request.attempts[0].key < firstKey)) return;
      for (const request of list) request.attempts = request.attempts.filter(attempt => attempt.key >= firstKey);
      for (const request of list) if (request.attempts.length === 0) requests.delete(request.id);
      list = list.filter(request => request.attempts.length > 0);
    }

    const lastAttempt = request => request.attempts[request.attempts.length - 1];
    const isInFlight = row => row.state === "inFlight";
    const isFailed = row => row.state === "failed" || row.status >= 400;
    const isCached = row => (row.source ?? "").startsWith("cache");
    const now = () => Date.now() + clockOffset;
    const endOf = row => row.startTime + (row.duration ?? Math.max(0, now() - row.startTime));

    function hasStatus(row) {
      switch (filter.status) {
        case "": return true;
        case "inFlight": case "cancelled": return row.state === filter.status;
        case "none": return row.status == null && !isInFlight(row);
        default: return Math.floor((row.status ?? 0) / 100) === Number(filter.status);
      }
    }

    function isShown(request) {
      const last = lastAttempt(request);
      if (filter.method && last.method !== filter.method) return false;
      if (filter.failed && !isFailed(last)) return false;
      if (filter.cached && !request.attempts.some(isCached)) return false;
      return hasStatus(last)
        && filter.words.every(word => request.attempts.some(attempt => attempt.text.includes(word)));
    }

    // A line is a request, followed by its attempts if there are several and they are expanded.
    function arrange() {
      lines = [];
      for (const request of list) {
        if (!isShown(request)) continue;
        lines.push({ request, row: lastAttempt(request), isAttempt: false });
        if (!request.isOpen || request.attempts.length < 2) continue;
        for (const row of request.attempts) lines.push({ request, row, isAttempt: true });
      }
      // Set before drawing, because a scroll position beyond the height would be clamped.
      canvas.style.height = `${lines.length * rowHeight}px`;
    }

    const startOf = line => line.isAttempt ? line.row.startTime : line.request.attempts[0].startTime;
    const idOf = line => `${line.isAttempt ? "attempt" : "request"}-${line.isAttempt ? line.row.key : line.request.id}`;
    const durationOf = line => line.isAttempt || line.request.attempts.length < 2
      ? line.row.duration : isInFlight(line.row) ? undefined : endOf(line.row) - startOf(line);

    function bytes(count) {
      if (count == null) return "";
      if (count < 1000) return `${count} B`;
      return count < 1e6 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
    }

    function time(milliseconds) {
      if (milliseconds == null) return "";
      if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
      return milliseconds < 1000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
    }
    """#
}
