/** The page's style: readable on a phone, on paper, in light and in dark. */
export const STYLE = `
:root{--bg:#fbfaf8;--panel:#f1efeb;--ink:#1d1c1a;--soft:#5f5b54;--line:#dcd8d0;--accent:#1f5fa8;--user:#e7eef7;--bad:#a3261d;--add:#0b6b34;--del:#a3261d;--code:#f4f2ee;
--c0:#3b3b3b;--c1:#b3261e;--c2:#0b6b34;--c3:#8a5a00;--c4:#1f5fa8;--c5:#7b3aa0;--c6:#00696f;--c7:#5f5b54;--c8:#77736b;--c15:#1d1c1a}
@media (prefers-color-scheme:dark){:root{--bg:#171614;--panel:#1f1e1b;--ink:#e9e6df;--soft:#a8a398;--line:#35332e;--accent:#8ab8f0;--user:#1d2938;--bad:#f2877e;--add:#7fd19b;--del:#f2877e;--code:#211f1c;
--c0:#8b877e;--c1:#f2877e;--c2:#7fd19b;--c3:#e3b765;--c4:#8ab8f0;--c5:#cfa1ea;--c6:#74d0d4;--c7:#c9c4b9;--c8:#a8a398;--c15:#fff}}
*{box-sizing:border-box}html{scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;display:grid;grid-template-columns:minmax(15rem,20rem) minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;background:var(--panel);border-right:1px solid var(--line);padding:1rem .75rem;font-size:.8125rem}
nav h1{font-size:1rem;margin:0 0 .25rem;overflow-wrap:anywhere}nav p{margin:0 0 .75rem;color:var(--soft)}
nav input{width:100%;padding:.5rem .6rem;border:1px solid var(--line);border-radius:.4rem;background:var(--bg);color:var(--ink);font:inherit;margin-bottom:.5rem}
nav ol{list-style:none;margin:0;padding:0}nav li{content-visibility:auto;contain-intrinsic-size:auto 1.7rem}
nav a{display:block;padding:.15rem .4rem;border-radius:.3rem;color:var(--soft);text-decoration:none;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;border-left:2px solid transparent}
nav a:hover{background:var(--bg)}nav a.user{color:var(--ink);font-weight:600}nav a.here{border-color:var(--accent);background:var(--bg)}nav a.off{opacity:.65;font-style:italic}
nav .label{background:var(--accent);color:var(--bg);border-radius:.3rem;padding:0 .3rem;margin-right:.3rem;font-weight:400}
${Array.from({ length: 8 }, (_, depth) => `nav .i${depth + 1}{margin-left:${(depth + 1) * 0.7}rem}`).join('')}
main{padding:1.5rem clamp(1rem,4vw,3rem) 6rem;max-width:62rem;min-width:0}
article{margin:0 0 1.1rem;content-visibility:auto;contain-intrinsic-size:auto 9rem;overflow-wrap:anywhere}
article>header{display:flex;gap:.5rem;align-items:baseline;color:var(--soft);font-size:.8125rem;margin-bottom:.15rem}
article>header a{color:inherit;text-decoration:none}article>header a:hover{text-decoration:underline}article>header time{margin-left:auto;white-space:nowrap}
article.user>div{background:var(--user);border-radius:.6rem;padding:.6rem .9rem}article.note{color:var(--soft);font-size:.9375rem}article.off{border-left:3px solid var(--line);padding-left:.8rem}
article:target>header{color:var(--accent);font-weight:600}
p{margin:.4rem 0}h1,h2,h3,h4{line-height:1.3;margin:1rem 0 .4rem}main h1{font-size:1.35rem}main h2{font-size:1.2rem}main h3,main h4{font-size:1.05rem}
pre{background:var(--code);border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem;overflow:auto;max-height:32rem;font:.8125rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap;margin:.5rem 0}
code{font:.875em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}:not(pre)>code{background:var(--code);padding:.1em .3em;border-radius:.25rem}
table{border-collapse:collapse;display:block;overflow:auto}th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:left}
blockquote{margin:.5rem 0;padding-left:.9rem;border-left:3px solid var(--line);color:var(--soft)}img{max-width:100%;height:auto;border-radius:.4rem}a{color:var(--accent)}
details{margin:.4rem 0}summary{cursor:pointer;border-radius:.3rem}summary em{color:var(--soft)}.tool>summary{background:var(--panel);padding:.3rem .6rem;overflow:hidden;text-overflow:ellipsis}.tool.failed>summary b,.error{color:var(--bad)}
.thinking{color:var(--soft);font-style:italic}.note p{margin:.2rem 0}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.d-add{color:var(--add)}.d-del{color:var(--del)}.d-at{color:var(--c4)}
${Array.from({ length: 16 }, (_, n) => `.f${n}{color:var(--c${n < 9 || n === 15 ? n : n - 8})}.k${n}{background:color-mix(in srgb,var(--c${n < 9 || n === 15 ? n : n - 8}) 25%,transparent)}`).join('')}
.a-bold{font-weight:700}.a-dim{opacity:.7}.a-italic{font-style:italic}.a-underline{text-decoration:underline}
.hljs-keyword,.hljs-selector-tag,.hljs-built_in,.hljs-type{color:var(--c5)}.hljs-string,.hljs-regexp,.hljs-addition{color:var(--c2)}.hljs-number,.hljs-literal,.hljs-symbol{color:var(--c3)}.hljs-comment,.hljs-quote{color:var(--c8);font-style:italic}.hljs-title,.hljs-section,.hljs-attr,.hljs-attribute{color:var(--c4)}.hljs-variable,.hljs-template-variable,.hljs-deletion{color:var(--c1)}.hljs-meta,.hljs-tag,.hljs-name{color:var(--c6)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--bg);padding:.5rem 1rem;z-index:2}
@media (max-width:48rem){body{display:block}nav{position:static;height:auto;max-height:45vh;border-right:0;border-bottom:1px solid var(--line)}main{padding:1rem 1rem 4rem}}
@media print{body{display:block;background:#fff;color:#000}nav,.skip{display:none}main{max-width:none;padding:0}article{content-visibility:visible;break-inside:auto}pre{max-height:none;white-space:pre-wrap}details>*{display:block}}
`.trim();
