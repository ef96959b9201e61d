/** How the page looks on a screen, from 320 pixels on, in daylight and in the dark. Nothing is fetched. */
export const PAGE_STYLE = `
:root{--paper:#fff;--back:#f4f5f7;--ink:#16191d;--soft:#545d68;--line:#d5dae0;--hair:#e8ebee;--accent:#1d4f91;
--accepted:#1f7a57;--rejected:#b3261e;--unknown:#a15c00;--not_sent:#5b6674;--invalid:#8c2f6b;--held:#5b46b5;
--duplicate:#717c89;--settled_done:#3d8b6d;--settled_not_done:#8a5a1e;--calm:#1f7a57;--attention:#5b46b5;--urgent:#a15c00}
@media (prefers-color-scheme:dark){:root{--paper:#15181c;--back:#0d0f12;--ink:#e8eaed;--soft:#a3acb7;--line:#39404a;--hair:#262b32;
--accent:#8ab4f0;--accepted:#4fb48b;--rejected:#f0857d;--unknown:#e5a544;--not_sent:#98a3b1;--invalid:#d887b9;--held:#a798f0;
--duplicate:#9aa5b1;--settled_done:#6cc3a2;--settled_not_done:#d3a365;--calm:#4fb48b;--attention:#a798f0;--urgent:#e5a544}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--back);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
font-variant-numeric:tabular-nums lining-nums}
main{max-width:60rem;margin:0 auto;padding:2.25rem 2.5rem 3rem;background:var(--paper);min-height:100vh}
h1,h2,h3,p,dl,dd,figure,ul{margin:0}
h1{font-size:1.75rem;line-height:1.2;font-weight:650;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{font-size:1.05rem;line-height:1.3;font-weight:650;margin:2.5rem 0 .75rem;padding-top:.75rem;border-top:2px solid var(--ink)}
h3{font-size:.95rem;font-weight:650}
bdi,dd{overflow-wrap:break-word}code,.prose,.prose bdi,.long,.about,.rest,figcaption,li,.facts dd,.facts bdi{overflow-wrap:anywhere}
code{font:.85em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.kicker{color:var(--soft);font-size:.85rem;margin-bottom:.25rem}
.kicker .id{color:var(--ink);font-weight:600;margin-left:.6rem;white-space:nowrap}
.about{color:var(--soft);margin-top:.35rem}
.verdict{margin:1.25rem 0;padding:.8rem 1rem;border:1px solid var(--line);border-left:6px solid var(--tone)}
.verdict.calm{--tone:var(--calm)}.verdict.attention{--tone:var(--attention)}.verdict.urgent{--tone:var(--urgent)}
.verdict .sentence{font-size:1.2rem;line-height:1.35;font-weight:600}
.verdict p+p{margin-top:.15rem}
.steps{display:grid;grid-template-columns:repeat(3,1fr);border:1px solid var(--line)}
.step{padding:.75rem 1rem;position:relative}
.step+.step{border-left:1px solid var(--line)}
.step+.step::before{content:"";position:absolute;left:-6px;top:50%;width:10px;height:10px;background:var(--paper);border:solid var(--line);
border-width:1px 1px 0 0;transform:translateY(-50%) rotate(45deg)}
.step dt{font-size:.85rem;color:var(--soft)}
.step dd{display:flex;flex-direction:column}
.step .amount{font-size:1.3rem;line-height:1.35;font-weight:600;letter-spacing:-.01em}
.step .note{font-size:.8rem;color:var(--soft)}
.honest{margin-top:.6rem;font-size:.85rem;color:var(--soft)}
.sum{white-space:nowrap}.sum i{font-style:normal;margin-left:.18em}
table{width:100%;border-collapse:collapse;font-size:.9rem;line-height:1.4}
th,td{text-align:left;vertical-align:top;padding:.4rem .9rem .4rem 0;border-bottom:1px solid var(--hair);font-weight:400}
th:last-child,td:last-child{padding-right:0}
thead th{font-size:.78rem;color:var(--soft);border-bottom:1px solid var(--line);vertical-align:bottom;white-space:nowrap}
tbody th{font-weight:600}
tfoot th,tfoot td{font-weight:650;border-top:1px solid var(--ink);border-bottom:0}
tfoot td:last-child{font-weight:400}
.figure{text-align:right;white-space:nowrap}
td .bar{min-width:6rem;margin-top:.15rem;height:12px}
.none{color:var(--soft)}
time span{white-space:nowrap}
.bar{display:block;margin:.25rem 0 1rem}
td .bar{margin-bottom:0}
.swatch{vertical-align:-2px;margin-right:.45rem}
.patterns{position:absolute}
.ink{fill:var(--c)}.tint{fill:var(--paper)}.line{stroke:var(--c);stroke-width:2;fill:none}.thin{stroke:var(--c);stroke-width:1;fill:none}
.gap{stroke:var(--paper);stroke-width:1.5;fill:none}.seam{fill:var(--paper)}
.bar,.swatch{border:1px solid var(--soft)}
.s-accepted{--c:var(--accepted)}.s-rejected{--c:var(--rejected)}.s-unknown{--c:var(--unknown)}.s-not_sent{--c:var(--not_sent)}
.s-invalid{--c:var(--invalid)}.s-held{--c:var(--held)}.s-duplicate{--c:var(--duplicate)}.s-settled_done{--c:var(--settled_done)}
.s-settled_not_done{--c:var(--settled_not_done)}
.need{margin:1rem 0 1.75rem}
.need h3{margin-bottom:.15rem}
.need .count{font-weight:400;color:var(--soft);margin-left:.35rem}
.need>p{max-width:46rem}
.need>p code{display:block;margin:.35rem 0;padding:.35rem .6rem;border:1px solid var(--line);overflow-wrap:anywhere}
.need table{margin-top:.5rem}
.rest{margin-top:.5rem;color:var(--soft);font-size:.9rem}
.timeline{display:block;width:100%;height:auto}
.timeline.narrow{display:none}
.timeline text{font-size:11px;fill:var(--soft)}
.timeline .caption{font-size:11.5px;fill:var(--ink)}
.timeline .strong{fill:var(--ink)}
.timeline .middle{text-anchor:middle}.timeline .end{text-anchor:end}
.grid{stroke:var(--hair);fill:none}.axis{stroke:var(--soft);fill:none}
.range{stroke:var(--soft);stroke-width:1.2;fill:none}.dot{fill:var(--accent)}
figcaption{margin-top:.5rem;font-size:.85rem;color:var(--soft);max-width:50rem}
ul{padding-left:1.1rem;margin-top:.6rem}
.facts{margin-top:1.25rem;display:grid;gap:.3rem 1.5rem}
.facts>div{display:grid;grid-template-columns:13rem 1fr;gap:1rem}
.facts{font-size:.9rem}.facts dt{color:var(--soft)}
table[aria-label="Control totals"]{width:auto;min-width:24rem}
.signs{display:grid;grid-template-columns:repeat(3,1fr);gap:2rem}
.rule{border-bottom:1px solid var(--ink);padding-top:1.9rem;font-size:.78rem;color:var(--soft)}
@media (max-width:40rem){
table:not(.wide-table){font-size:.85rem}
table:not(.wide-table) th,table:not(.wide-table) td{padding-right:.5rem}
table:not(.wide-table) thead th{white-space:normal}
table:not(.wide-table) :is(th,td):nth-child(3){padding-right:0}
.swatch{margin-right:.3rem}
main{padding:1.25rem 1rem 2rem}
h1{font-size:1.4rem}
.steps,.signs{grid-template-columns:1fr}
.step+.step{border-left:0;border-top:1px solid var(--line)}
.step+.step::before{left:1.25rem;top:-6px;transform:rotate(135deg)}
.facts>div{grid-template-columns:1fr;gap:0}
.timeline.wide{display:none}.timeline.narrow{display:block}
table:not(.wide-table) td:nth-child(4),table:not(.wide-table) th:nth-child(4){display:none}
.wide-table thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.wide-table,.wide-table tbody,.wide-table tr,.wide-table th,.wide-table td{display:block}
.wide-table tr{border-top:1px solid var(--line);padding:.55rem 0}
.wide-table th,.wide-table td{border:0;padding:.1rem 0;text-align:left;white-space:normal}
.wide-table td[data-column]{display:grid;grid-template-columns:7.5rem minmax(0,1fr);gap:.5rem}
.wide-table td[data-column]::before{content:attr(data-column);color:var(--soft);font-size:.85rem}
.wide-table th[data-column]::before{content:attr(data-column) " ";font-weight:400;color:var(--soft)}
.wide-table td,.wide-table bdi{overflow-wrap:anywhere}
.wide-table .empty{display:none}
table[aria-label="Control totals"]{width:100%;min-width:0}
}
`;

/** A4, in black and white too: no row is cut, headings stay with what they head, tables repeat their header. */
export const PRINT_STYLE = `
@page{size:A4;margin:18mm 14mm 16mm;
@top-left{font:8pt system-ui,sans-serif;color:#444}@top-right{font:8pt system-ui,sans-serif;color:#444}
@bottom-left{font:8pt system-ui,sans-serif;color:#444}
@bottom-right{font:8pt system-ui,sans-serif;color:#444;content:counter(page) " of " counter(pages)}}
@media print{
:root{--paper:#fff;--back:#fff;--ink:#000;--soft:#3d434a;--line:#9aa1a9;--hair:#cfd4d9;--accent:#000;--accepted:#1f6b4d;--rejected:#a3201a;
--unknown:#8a4f00;--not_sent:#4b5563;--invalid:#7a285d;--held:#4a389c;--duplicate:#5d6874;--settled_done:#2f7359;--settled_not_done:#744a17;
--calm:#000;--attention:#000;--urgent:#000;color-scheme:light}
body{font-size:9.5pt;line-height:1.4}
main{max-width:none;padding:0;min-height:0}
h1{font-size:17pt}
h2{margin-top:1.6rem;break-after:avoid}
h3{break-after:avoid}
.need>h3,.need>p{break-after:avoid}
tr,.step,.verdict,figure,.sign,.facts>div,.signs{break-inside:avoid}
thead{display:table-header-group}
tfoot{display:table-row-group}
.sign-off{break-inside:avoid}
table{font-size:8.5pt}
.timeline.wide{display:block}.timeline.narrow{display:none}
}
`;
