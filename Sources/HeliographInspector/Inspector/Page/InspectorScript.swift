/// The script of the inspector's page: plain JavaScript without libraries.
enum InspectorScript {
  static let text = [model, list, details, main].joined(separator: "\n")

  /// The updates, the filters and the keyboard.
  private static let main = #"""
    function update() {
      arrange();
      const inFlight = list.filter(request => isInFlight(lastAttempt(request))).length;
      const shown = lines.filter(line => !line.isAttempt).length;
      const all = shown === list.length ? "" : ` of ${list.length}`;
      setText(byId("count"), `${shown}${all} requests${inFlight ? `, ${inFlight} in flight` : ""}`);
      byId("empty").hidden = lines.length > 0;
      setText(byId("empty"), list.length ? "No request matches the filter." : "No requests yet.");
      redraw();
    }

    function addMethods(rows) {
      const select = byId("method"), known = new Set([...select.options].map(option => option.value));
      for (const { method } of rows) {
        if (known.has(method)) continue;
        known.add(method);
        const option = element("option", "", method);
        option.value = method;
        select.append(option);
      }
    }

    const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

    // Asks for changes; the app responds as soon as there are any.
    async function follow() {
      let revision = 0;
      for (;;) {
        try {
          const response = await fetch(`changes?after=${revision}`, { cache: "no-store" });
          if (!response.ok) throw new Error(`status ${response.status}`);
          const changes = await response.json();
          revision = changes.revision;
          clockOffset = changes.now - Date.now();
          setText(byId("state"), "Live");
          byId("state").className = "live";
          const isStale = changes.rows.some(row => row.key === shownLine?.row.key);
          changes.rows.forEach(absorb);
          forget(changes.firstKey);
          addMethods(changes.rows);
          update();
          if (isStale) showDetails(lines.find(line => line.row.key === shownLine.row.key) ?? shownLine);
          if (!changes.hasMore) await pause(100);
        } catch {
          setText(byId("state"), "Disconnected");
          byId("state").className = "";
          await pause(2000);
        }
      }
    }

    byId("text").addEventListener("input", event => {
      filter.words = event.target.value.toLowerCase().split(/\s+/).filter(word => word);
      update();
    });
    for (const name of ["method", "status"]) {
      byId(name).addEventListener("change", event => { filter[name] = event.target.value; update(); });
    }
    for (const name of ["failed", "cached"]) {
      byId(name).addEventListener("click", event => {
        filter[name] = !filter[name];
        event.currentTarget.setAttribute("aria-pressed", filter[name]);
        update();
      });
    }
    byId("clear").addEventListener("click", () => {
      for (const request of list) clearedKey = Math.max(clearedKey, lastAttempt(request).key);
      forget(clearedKey + 1);
      select(null);
      if (shownLine) hideDetails();
      update();
    });
    byId("close").addEventListener("click", hideDetails);

    grid.addEventListener("scroll", () => {
      isFollowing = grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 2;
      redraw();
    });
    addEventListener("resize", redraw);

    grid.addEventListener("keydown", event => {
      const index = selectedIndex(), line = lines[index];
      const page = Math.max(1, Math.floor(grid.clientHeight / rowHeight) - 2);
      switch (event.key) {
        case "ArrowDown": selectIndex(index + 1); break;
        case "ArrowUp": selectIndex(index < 0 ? lines.length - 1 : index - 1); break;
        case "PageDown": selectIndex(index + page); break;
        case "PageUp": selectIndex(index - page); break;
        case "Home": selectIndex(0); break;
        case "End": selectIndex(lines.length - 1); break;
        case "ArrowRight": if (line && canExpand(line)) toggle(line, true); break;
        case "ArrowLeft": if (line && canExpand(line)) toggle(line, false); break;
        case "Enter": showDetails(line).then(() => { if (line) byId("details").focus(); }); break;
        default: return;
      }
      event.preventDefault();
    });

    addEventListener("keydown", event => {
      if (event.key === "/" && !["INPUT", "SELECT"].includes(event.target.tagName)) {
        byId("text").focus();
        byId("text").select();
        event.preventDefault();
      } else if (event.key === "Escape") {
        if (event.target === byId("text") && byId("text").value) {
          byId("text").value = "";
          filter.words = [];
          update();
        } else if (shownLine) hideDetails(); else grid.focus();
        event.preventDefault();
      }
    });

    update();
    follow();
    """#
}
