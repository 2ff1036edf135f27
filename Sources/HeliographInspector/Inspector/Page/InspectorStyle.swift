/// The style of the inspector's page, light and dark, for windows at least 390 pixels wide.
enum InspectorStyle {
  static let text = #"""
    :root {
      color-scheme: light dark;
      --back: #ffffff; --raised: #f4f5f7; --text: #1d1d20; --dim: #5c6068; --line: #dfe1e6; --selected: #dbe8ff;
      --accent: #0a58ca; --bad: #b3150b; --cachedText: #6b3fa0; --pending: #8a5a00;
      --blocked: #b5b9c1; --dns: #159a9c; --connect: #e08a1e; --tls: #a45bd0; --send: #4a8fe7; --wait: #3fa34d;
      --receive: #1f6feb; --bar: #7f8794;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --back: #1b1c1f; --raised: #26282c; --text: #ececf0; --dim: #a4a8b0; --line: #393c42; --selected: #263f63;
        --accent: #82b4ff; --bad: #ff8f85; --cachedText: #c9a6f5; --pending: #f0b95a;
        --blocked: #6a6f78; --bar: #868d99;
      }
    }
    * { box-sizing: border-box; }
    html, body { height: 100%; margin: 0; }
    body {
      display: flex; flex-direction: column; background: var(--back); color: var(--text);
      font: 13px/1.4 system-ui, sans-serif;
    }
    [hidden] { display: none !important; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
    header {
      display: flex; flex-wrap: wrap; align-items: center; gap: 6px; padding: 6px 10px; background: var(--raised);
      border-bottom: 1px solid var(--line);
    }
    h1, h2 { font-size: 14px; margin: 0; }
    #text { flex: 1 1 160px; min-width: 120px; max-width: 420px; }
    input, select, button, .button {
      font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px;
      padding: 3px 8px; min-height: 28px; text-decoration: none;
    }
    button[aria-pressed="true"] { background: var(--accent); color: var(--back); border-color: var(--accent); }
    button:disabled { opacity: 0.5; }
    #count, .dim { color: var(--dim); }
    #count { margin-left: auto; }
    #state { color: var(--bad); }
    #state.live { color: var(--dim); }
    #state::before { content: "● "; }
    #state.live::before { color: #2e9e44; }
    main { flex: 1; display: flex; min-height: 0; position: relative; }
    #list { flex: 1; min-width: 0; position: relative; container-type: inline-size; }
    #grid { position: absolute; inset: 0; overflow: auto; }
    #canvas { position: relative; overflow: hidden; }
    #empty { position: absolute; top: 40px; left: 0; right: 0; text-align: center; color: var(--dim); }
    .row {
      display: grid; height: 28px; align-items: center; column-gap: 8px; padding: 0 10px;
      grid-template-columns: 12px 60px 84px minmax(0, 1fr) 124px 66px 66px minmax(120px, 26%);
    }
    #canvas .row { position: absolute; left: 0; right: 0; top: 0; border-bottom: 1px solid var(--line); }
    .row > * { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
    #columns {
      position: sticky; top: 0; z-index: 1; background: var(--raised); color: var(--dim);
      border-bottom: 1px solid var(--line);
    }
    .toggle { cursor: pointer; color: var(--dim); }
    .size, .time { text-align: right; font-variant-numeric: tabular-nums; }
    .host { color: var(--dim); margin-left: 8px; }
    .source { color: var(--dim); }
    .attempt .method, .attempt .name { padding-left: 12px; color: var(--dim); }
    .failed .status, .failed .path { color: var(--bad); }
    .cached .source { color: var(--cachedText); }
    .inFlight .status { color: var(--pending); }
    .selected { background: var(--selected); }
    #canvas .bar { position: relative; height: 100%; }
    .span { position: absolute; top: 9px; height: 10px; min-width: 2px; border-radius: 2px; background: var(--bar); }
    .failed .span { box-shadow: 0 0 0 1px var(--bad); }
    .inFlight .span { opacity: 0.6; }
    #details {
      width: 42%; min-width: 340px; display: flex; flex-direction: column; border-left: 1px solid var(--line);
      background: var(--back);
    }
    #details:focus-visible { outline: none; border-left-color: var(--accent); }
    #details > div:first-child {
      display: flex; align-items: center; gap: 6px; padding: 6px 10px; border-bottom: 1px solid var(--line);
    }
    #title { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    #content { flex: 1; overflow: auto; padding: 8px 10px; }
    .url { margin: 0 0 8px; overflow-wrap: anywhere; user-select: all; }
    details { border-top: 1px solid var(--line); padding: 6px 0; }
    summary { font-weight: 600; cursor: pointer; }
    dl { display: grid; grid-template-columns: minmax(90px, max-content) minmax(0, 1fr); gap: 2px 12px; margin: 6px 0; }
    dt { color: var(--dim); overflow-wrap: anywhere; max-width: 200px; }
    dd { margin: 0; overflow-wrap: anywhere; }
    ul { margin: 6px 0; padding-left: 18px; }
    pre {
      margin: 6px 0; padding: 8px; background: var(--raised); border-radius: 6px; max-height: 420px; overflow: auto;
      white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.45 ui-monospace, Menlo, Consolas, monospace;
    }
    .swatch { display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 6px; }
    @container (max-width: 900px) {
      .row { grid-template-columns: 12px 56px 80px minmax(0, 1fr) 64px minmax(80px, 24%); }
      .source, .size { display: none; }
    }
    @container (max-width: 480px) {
      .row { grid-template-columns: 10px 48px 64px minmax(0, 1fr) 58px; column-gap: 6px; }
      .bar { display: none; }
    }
    @media (max-width: 700px) {
      #details { position: absolute; inset: 0; width: auto; border-left: 0; z-index: 2; }
    }
    """#
}
