// What every page carries with it instead of loading it.
#pragma once

#include <string_view>

namespace preon {

/// Readable on light and dark alike: colours follow the reader's setting.
inline constexpr std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--ink:#1c2330;--soft:#5c6675;--line:#d5dae2;--paper:#fff;--panel:#f5f7fa;--cal:#2f6fd0;
--prod:#d9622b;--bad:#c62f3b;--m0:#2f6fd0;--m1:#6b7280;--m2:#1f9d6b;--m3:#8b4fc6;--m4:#d9622b;--m5:#c42f7d;--m6:#0e91a8;
--m7:#9a7b16;--m8:#5b7d1f;--m9:#a0522d}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8ee;--soft:#98a3b3;--line:#394250;--paper:#14181f;--panel:#1c222c;
--cal:#6aa2f5;--prod:#f2935c;--bad:#ff7a83;--m0:#6aa2f5;--m1:#9aa4b2;--m2:#4cc796;--m3:#b98bea;--m4:#f2935c;
--m5:#ee78b4;--m6:#4fc3d9;--m7:#d3b34a;--m8:#9dc257;--m9:#d99a6c}}
body{font:14px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0 auto;
max-width:1180px;padding:16px}
h1{font-size:22px;margin:8px 0;overflow-wrap:anywhere}h2{font-size:17px;margin:28px 0 8px}
h3{font-size:13px;margin:0 0 6px;overflow-wrap:anywhere}
code{font:12px ui-monospace,monospace}.note,.key{color:var(--soft);font-size:12px}.bad{color:var(--bad);font-weight:600}
.tiles{display:flex;flex-wrap:wrap;gap:10px}.tile{background:var(--panel);
border:1px solid var(--line);border-radius:8px;padding:8px 14px}
.tile b{display:block;font-size:20px}.tile span{color:var(--soft);font-size:12px}
figure{margin:14px 0}.scroll{overflow-x:auto}svg{display:block;width:100%;height:auto}
.key i{display:inline-block;width:14px;height:4px;margin:0 4px 3px 8px;background:currentColor}
.grid{stroke:var(--line);fill:none}.guide{stroke:var(--bad);stroke-dasharray:4 3}.tick{fill:var(--soft);font-size:11px}
.label{font-size:10.5px;color:var(--ink);fill:currentColor}.curve{fill:none;stroke:currentColor;stroke-width:1.6}
.dots{stroke-width:3.6;stroke-linecap:round}.hover{fill:transparent}
.hover:hover{fill:var(--soft);fill-opacity:.15}.calibration{color:var(--cal)}.production{color:var(--prod)}
.low{color:var(--m2)}.chosen{color:var(--m3)}.fill{fill:currentColor;fill-opacity:.45}
.m0{color:var(--m0)}.m1{color:var(--m1)}.m2{color:var(--m2)}.m3{color:var(--m3)}.m4{color:var(--m4)}.m5{color:var(--m5)}
.m6{color:var(--m6)}.m7{color:var(--m7)}.m8{color:var(--m8)}.m9{color:var(--m9)}
g[class^=m] rect{fill:currentColor}g[class^=m] path{stroke:currentColor;stroke-opacity:.55;
stroke-dasharray:2 3;fill:none}
g[class^=m]:hover path{stroke-opacity:1;stroke-dasharray:none}
table{border-collapse:collapse;font-size:12.5px;width:100%}th,td{padding:3px 8px;text-align:right;white-space:nowrap;
border-bottom:1px solid var(--line)}th{position:sticky;top:0;background:var(--panel);cursor:pointer;user-select:none}
th[aria-sort=ascending]::after{content:" ▲"}th[aria-sort=descending]::after{content:" ▼"}
.text{text-align:left}td.text{white-space:normal;overflow-wrap:anywhere;min-width:90px}a{color:var(--cal)}
.rows{max-height:620px;overflow:auto;border:1px solid var(--line);border-radius:8px}
input{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:4px 8px;
width:260px;margin:0 0 8px}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(440px,100%),1fr));gap:14px}
.card{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:10px;content-visibility:auto;
contain-intrinsic-size:440px 380px}.card:target{outline:2px solid var(--cal)}
dl{display:grid;grid-template-columns:auto 1fr;gap:1px 10px;font-size:12px;margin:8px 0 0}dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
.verdict{font-size:20px;font-weight:600}.good{color:#1b7f4f}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:8px;overflow-x:auto;font-size:12px}
.bar{min-width:110px}.bar i{display:block;height:7px;background:currentColor;border-radius:2px}
.samples{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:10px}
.samples figure{margin:0;overflow-wrap:anywhere}.samples img{width:100%;border-radius:6px}
@media(prefers-color-scheme:dark){.good{color:#4cc796}}
)css";

/// Tables sort by a click on a head (numbers by their `data-v`), and one field filters rows and cards by name. Without
/// scripts the page shows all of it, worst first.
inline constexpr std::string_view kPageScript = R"js(
for (const head of document.querySelectorAll('th')) head.addEventListener('click', () => {
  const table = head.closest('table'), body = table.tBodies[0], column = head.cellIndex;
  const down = head.getAttribute('aria-sort') === 'ascending' ||
      (!head.hasAttribute('aria-sort') && !head.classList.contains('text'));
  for (const other of table.querySelectorAll('th')) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const key = row => {
    const cell = row.cells[column];
    return 'v' in cell.dataset ? Number(cell.dataset.v) : cell.textContent;
  };
  const less = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b :
      String(a).localeCompare(String(b), undefined, {numeric: true});
  const missing = row => row.cells[column].textContent === '–';
  body.append(...[...body.rows].sort((a, b) => missing(a) - missing(b) || (down ? -1 : 1) * less(key(a), key(b))));
});
const filter = document.getElementById('filter');
filter.addEventListener('input', () => {
  const wanted = filter.value.toLowerCase();
  for (const item of document.querySelectorAll('[data-name]'))
    item.hidden = !item.dataset.name.toLowerCase().includes(wanted);
});
)js";

}  // namespace preon
