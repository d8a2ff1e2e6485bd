/** The style sheet of reports. */

export const reportStyle = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --card: #f6f7f9; --text: #1b1f24; --soft: #57606a; --line: #d8dee4;
  --c1: #1f6feb; --c2: #d1570b; --c3: #1a7f37; --c4: #8250df; --c5: #bf3989; --c6: #6b7280;
  --scanning: #1f6feb; --sink: #8250df; --receiving: #1a7f37; --login: #bf3989;
  --waiting: #d1570b; --limit: #9a6700; --retry: #cf222e; --engine: #6b7280;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0f1318; --card: #181d24; --text: #e6edf3; --soft: #9aa6b2; --line: #30363d;
    --c1: #58a6ff; --c2: #f0883e; --c3: #3fb950; --c4: #bc8cff; --c5: #f778ba; --c6: #9aa6b2;
    --scanning: #58a6ff; --sink: #bc8cff; --receiving: #3fb950; --login: #f778ba;
    --waiting: #f0883e; --limit: #d4a72c; --retry: #ff7b72; --engine: #8b949e;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 820px; padding: 24px 20px 48px; background: var(--paper); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6em; margin: 0 0 4px; line-height: 1.25; }
h2 { font-size: 1.2em; margin: 40px 0 8px; }
p { margin: 8px 0; }
.soft { color: var(--soft); font-size: 0.9em; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 16px 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
.card b { display: block; font-size: 1.5em; line-height: 1.3; font-variant-numeric: tabular-nums; }
.bar { display: flex; height: 36px; border-radius: 6px; overflow: hidden; margin: 16px 0 8px; }
.bar span { min-width: 1px; }
.key { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin-right: 8px; vertical-align: -1px; }
.wide { overflow-x: auto; background:
  linear-gradient(to right, var(--paper) 50%, transparent) left / 24px 100% no-repeat local,
  linear-gradient(to left, var(--paper) 50%, transparent) right / 24px 100% no-repeat local,
  linear-gradient(to right, var(--line), transparent) left / 12px 100% no-repeat scroll,
  linear-gradient(to left, var(--line), transparent) right / 12px 100% no-repeat scroll; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 8px 0; }
th, td { overflow-wrap: normal; text-align: left; padding: 5px 16px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--soft); font-size: 0.9em; }
th:first-child { white-space: nowrap; }
.n { text-align: right; white-space: nowrap; }
td.name { white-space: nowrap; }
.plot { width: 100%; min-height: 240px; margin: 8px 0; }
td .soft { white-space: normal; display: inline-block; }
.within, .too { color: var(--soft); }
.better { color: var(--c3); font-weight: 600; }
.worse { color: var(--retry); font-weight: 600; }
.uplot, .uplot * { font-family: inherit; }
.u-legend { color: var(--text); font-size: 13px; }
.u-legend th { color: inherit; }
.u-legend .u-marker { position: relative; width: 24px; height: 0; border-width: 3px 0 0 !important; }
.u-legend .quartile .u-marker { border-top: 2px dashed !important; border-color: var(--c1) !important; }
.u-legend .given .u-marker { border-top: 2px dotted !important; border-color: var(--c6) !important; }
.u-legend .median .u-marker::after { content: ''; position: absolute; left: 8px; top: -6px; width: 8px; height: 8px;
  border-radius: 50%; background: var(--c1); }
.u-inline tr { margin-right: 12px; }
.uplot:not(:hover) .u-legend .u-value, .uplot:not(:hover) .u-legend .u-series:first-child { display: none; }
.uplot:not(:hover) .u-inline.u-live th::after { content: none; }
.u-legend th, .u-legend td { border: 0; padding: 2px 4px; }
.u-select { background: color-mix(in srgb, var(--c1) 20%, transparent); }
@media (max-width: 600px) { body { padding: 16px 14px 32px; } th, td { padding-right: 10px; } h1 { font-size: 1.3em; }
  .wide table { font-size: 0.85em; } th.n { white-space: normal; } }
@media print { .plot { break-inside: avoid; } }
`;
