import { createHash } from 'node:crypto'

/**
 * The look of the pages: one family of type, two weights, thin lines, and figures of equal width. Like paper in light, slate
 * in dark.
 */
export const pageStyle = `
@font-face{font-family:"Plex";font-weight:400;font-display:swap;src:url(/invoice/assets/fonts/ibm-plex-sans-latin-400-normal.woff2) format("woff2");unicode-range:U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD}
@font-face{font-family:"Plex";font-weight:600;font-display:swap;src:url(/invoice/assets/fonts/ibm-plex-sans-latin-600-normal.woff2) format("woff2");unicode-range:U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD}
@font-face{font-family:"Plex";font-weight:400;font-display:swap;src:url(/invoice/assets/fonts/ibm-plex-sans-latin-ext-400-normal.woff2) format("woff2");unicode-range:U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+1E00-1E9F,U+1EF2-1EFF,U+20A0-20AB,U+20AD-20C0}
@font-face{font-family:"Plex";font-weight:600;font-display:swap;src:url(/invoice/assets/fonts/ibm-plex-sans-latin-ext-600-normal.woff2) format("woff2");unicode-range:U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+1E00-1E9F,U+1EF2-1EFF,U+20A0-20AB,U+20AD-20C0}
@font-face{font-family:"Plex JP";font-weight:400;font-display:swap;src:url(/invoice/assets/fonts/ibm-plex-sans-jp-118-400-normal.woff2) format("woff2");unicode-range:U+65E5}
@font-face{font-family:"Plex JP";font-weight:400;font-display:swap;src:url(/invoice/assets/fonts/ibm-plex-sans-jp-117-400-normal.woff2) format("woff2");unicode-range:U+672C}
@font-face{font-family:"Plex JP";font-weight:400;font-display:swap;src:url(/invoice/assets/fonts/ibm-plex-sans-jp-113-400-normal.woff2) format("woff2");unicode-range:U+8A9E}
:root{color-scheme:light dark;
 --ground:#eef0f2;--paper:#fff;--ink:#16191d;--soft:#545c66;--rule:#d9dde2;--strong-rule:#16191d;
 --accent:#0b5cab;--on-accent:#fff;--good:#17693a;--warn:#a4262c;--wait:#7a5200;--field:#fff;--shadow:0 1px 2px rgb(16 24 40/.06),0 12px 32px rgb(16 24 40/.08)}
@media (prefers-color-scheme:dark){:root{
 --ground:#0f1214;--paper:#181c20;--ink:#eceff2;--soft:#a5aeb8;--rule:#30373e;--strong-rule:#8a949e;
 --accent:#6fb3ff;--on-accent:#06182b;--good:#6fd69a;--warn:#ff9b96;--wait:#f0c36d;--field:#10141a;--shadow:none}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:400 1rem/1.5 "Plex","Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums lining-nums;font-kerning:normal;overflow-wrap:anywhere}
:lang(ja){font-family:"Plex","Hiragino Sans","Yu Gothic","Noto Sans JP","Plex JP",sans-serif}
h1,h2,h3,p,dl,dd,ul,table,figure,fieldset{margin:0;padding:0;border:0}
ul{list-style:none}
a{color:var(--accent);text-underline-offset:.18em}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px;border-radius:2px}
.skip{position:absolute;left:-999rem}
.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem 1rem}
main{max-width:50rem;margin:0 auto;padding:clamp(1rem,4vw,3rem) clamp(.75rem,3vw,1.5rem) 3rem}

.till{display:flex;flex-wrap:wrap;gap:.25rem 2rem;align-items:end;padding:0 clamp(1.25rem,6vw,3.5rem) 1.75rem}
.till>div{flex:1 1 auto;min-width:0;max-width:100%}
.till .who{flex:1 0 100%;color:var(--soft)}
.till .sum{font-size:clamp(2.1rem,7vw,2.9rem);line-height:1.1;font-weight:600;letter-spacing:-.02em;white-space:nowrap}
.till .sum.long{font-size:clamp(1.4rem,7vw,2.9rem)}
.till .sum.longest{font-size:clamp(1rem,5.2vw,2.6rem)}
.till .standing{display:block;margin-top:.35rem;font-weight:600;color:var(--soft)}
.till.overdue .standing{color:var(--warn)}
.till.paid .standing,.till.refunded .standing{color:var(--good)}
.till.pending .standing{color:var(--wait)}
.till.cancelled .sum{text-decoration:line-through;text-decoration-thickness:2px;color:var(--soft)}
.till .act{display:grid;gap:.75rem;min-width:13rem;margin-top:.75rem}
.till .act.wide{flex:1 0 100%;display:flex;flex-wrap:wrap;gap:.75rem 1rem;align-items:start;margin-top:1.25rem}
.till .act.wide>div{flex:1 1 10rem}
.till .act.wide>.much{flex-basis:15rem}
.till .act.wide label{white-space:nowrap}
.till .act.wide .button{width:100%;margin-top:1.75rem}
.till .more{flex:1 0 100%}
.more{color:var(--soft)}

.button{display:inline-block;border:1px solid var(--accent);border-radius:.4rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;padding:.75rem 1.5rem;text-align:center;text-decoration:none;cursor:pointer}
.button:hover{filter:brightness(1.08)}
.button.quiet{background:transparent;color:var(--accent);border-color:var(--rule)}
label{display:block;font-weight:600;margin-bottom:.25rem}
.hint{color:var(--soft);font-size:.875rem;margin-top:.25rem}
.field{display:flex;align-items:center;border:1px solid var(--soft);border-radius:.4rem;background:var(--field);padding-left:.75rem}
.field span{flex:none;color:var(--soft)}
.field:focus-within{outline:3px solid var(--accent);outline-offset:2px}
.field:has([aria-invalid]){border-color:var(--warn);box-shadow:inset 0 0 0 1px var(--warn)}
input,select,textarea{font:inherit;font-variant-numeric:inherit;color:inherit;background:transparent;border:0;width:100%;padding:.7rem .75rem;outline:0}
.words p,.talk li>p:not(.by),td strong,td small,.parties li,.facts dd,.sums dt,textarea{unicode-bidi:plaintext}
.parties li,.facts dd,.sums dt{text-align:left}
textarea,select,input.boxed,input[type=file]{border:1px solid var(--soft);border-radius:.4rem;background:var(--field)}
textarea:focus-visible,select:focus-visible,input.boxed:focus-visible,input[type=file]:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
option{color:#16191d}
.notice{border-left:4px solid var(--good);background:var(--paper);padding:1rem 1.25rem;margin:0 0 1.5rem;box-shadow:var(--shadow)}
.notice.bad{border-color:var(--warn)}
.notice.wait{border-color:var(--wait)}
.notice.seller{border-color:var(--soft);display:grid;gap:.5rem;font-size:.9375rem}
.seller h2{font-size:1rem;font-weight:600}
.seller li{padding-left:1.5rem;text-indent:-1.5rem}
.seller code{font:400 .8125rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}

.paper{font-size:.9375rem;background:var(--paper);box-shadow:var(--shadow);padding:clamp(1.25rem,6vw,3.5rem)}
.head{display:flex;justify-content:space-between;gap:2rem;align-items:flex-start;margin-bottom:clamp(1.75rem,5vw,3rem)}
.head h1{flex:none;font-size:clamp(1.6rem,5vw,2.25rem);line-height:1.1;font-weight:400;letter-spacing:-.02em;text-align:right}
.head .seller{font-weight:600;font-size:1.125rem;line-height:1.3}
.head>div{min-width:0}
.head img{display:block;max-width:min(12rem,100%);max-height:4.5rem;width:auto;height:auto}
@media (prefers-color-scheme:dark){.head img{background:#fff;padding:.5rem;border-radius:.25rem}}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:1rem 1.5rem;border-top:2px solid var(--strong-rule);border-bottom:1px solid var(--rule);padding:.9rem 0 1rem}
dt,.parties h2,.words h2,.history h2{font-size:.8125rem;font-weight:400;color:var(--soft);line-height:1.4}
.facts dd{font-weight:600}
.parties{display:grid;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));gap:1.5rem;padding:1.5rem 0 2.25rem}
.parties li:first-child{font-weight:600}

table{width:100%;border-collapse:collapse}
th{font-size:.8125rem;font-weight:400;color:var(--soft);text-align:right;padding:0 0 .5rem 2rem;border-bottom:1px solid var(--strong-rule);white-space:nowrap}
td{text-align:right;vertical-align:top;padding:.8rem 0 .8rem 2rem;border-bottom:1px solid var(--rule);white-space:nowrap}
th:first-child,td:first-child{text-align:left;padding-left:0;white-space:normal;width:100%}
td strong{font-weight:600;font-size:1rem}
td small{display:block;font-size:.875rem;color:var(--soft);line-height:1.45}
.sums{display:grid;grid-template-columns:minmax(14rem,1fr) minmax(17rem,auto);gap:2rem;margin-top:1.25rem;align-items:end}
.sums figure{display:flex;gap:1rem;align-items:center;color:var(--soft);font-size:.8125rem;max-width:16rem}
.qr{width:7rem;height:7rem;flex:none}
@media (prefers-color-scheme:light){.qr{margin:-.35rem 0 -.35rem -.6rem}}
.sums dl{min-width:0}
.sums dl>div{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 2rem;padding:.175rem 0}
.lines :is(dt,dd){min-width:min(8rem,40%)}
.sums dt{flex:1 1 min(8rem,50%);min-width:0;font-size:.9375rem;color:var(--soft)}
.sums dd{flex:none;margin-left:auto;text-align:right;white-space:nowrap}
.sums .total,.sums .due{font-weight:600;border-top:1px solid var(--rule);padding-top:.6rem;margin-top:.45rem}
.sums .due{border-top:2px solid var(--strong-rule);padding-top:.7rem}
.sums .total dt,.sums .due dt{color:var(--ink);font-weight:600}
.sums .due dt,.sums .due dd{font-size:1.25rem;line-height:1.3}
.sums .due dd.longest{font-size:min(1.0625rem,5.2vw)}
.sums .aside dt,.sums .aside dd{font-size:.875rem;color:var(--soft)}

.history,.words{margin-top:2.25rem}
.history li{display:flex;gap:1.5rem;justify-content:space-between;border-bottom:1px solid var(--rule);padding:.5rem 0}
.history li span:nth-child(2){margin-left:auto;color:var(--soft)}
.history li span:nth-child(n+2){flex:none}
.words{display:grid;gap:1.5rem;font-size:.9375rem;max-width:38rem}
footer{display:flex;flex-wrap:wrap;gap:.75rem 1.5rem;justify-content:space-between;padding:1.5rem clamp(1.25rem,6vw,3.5rem) 0;font-size:.875rem;color:var(--soft)}
footer ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
footer a{color:inherit;display:inline-block;padding:.25rem 0}
footer [aria-current]{color:var(--ink);text-decoration:none;font-weight:600}
.narrow{max-width:34rem}
.stack{display:grid;gap:1.25rem}
.stack h1{font-size:1.6rem;line-height:1.2;font-weight:600;letter-spacing:-.01em}
.stack .buttons{display:grid;gap:.75rem}
.lines>div{display:flex;justify-content:space-between;gap:2rem;padding:.2rem 0}
.lines dt{font-size:1rem}
.lines dd{text-align:right}
.lines dd:empty{min-width:0}
.lines .whole{flex-wrap:wrap;row-gap:0}
.lines .whole dt{flex:1 1 8rem}
.lines .whole dd{flex:none;margin-left:auto;white-space:nowrap}
.lines .total{border-top:1px solid var(--rule);padding-top:.6rem;margin-top:.4rem}
.lines .total dt,.lines .total dd{font-weight:600;color:var(--ink)}
.talk li{border-top:1px solid var(--rule);padding:.9rem 0}
.talk .by{display:flex;justify-content:space-between;gap:1rem;font-size:.875rem;color:var(--soft)}
.talk .by strong{color:var(--ink)}

@media (min-width:40.01rem) and (max-width:48rem){
 tr.long td:not(:first-child){padding-left:1rem;font-size:.875rem}
}
@media (max-width:40rem){
 main{padding-top:1.25rem}
 .till{padding:0 .25rem 1.5rem}
 .till>div,.till .act{flex:1 0 100%}
 .till .sum.longest{font-size:5.9vw}
 .till .act{margin-top:.9rem;min-width:0}
 .till .act.wide>div,.till .act.wide>.much{flex:1 0 100%}
 .till .act.wide .button{margin-top:.25rem}
 .button{display:block;width:100%;padding:.9rem 1rem}
 thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
 table,tbody{display:block;border-top:1px solid var(--strong-rule)}
 tbody{border:0}
 tr{display:grid;grid-template-columns:auto 1fr auto;column-gap:.5rem;border-bottom:1px solid var(--rule);padding:.8rem 0}
 td{display:block;border:0;padding:0;text-align:left;font-size:.9375rem;color:var(--soft)}
 td:first-child{grid-column:1/3;grid-row:1;font-size:1rem;color:var(--ink)}
 td:last-child{grid-column:3;grid-row:1;text-align:right;color:var(--ink);font-size:1rem}
 td.quantity{grid-column:1;grid-row:2}
 td.price{grid-column:2/-1;grid-row:2}
 tr.long td:first-child{grid-column:1/-1}
 tr.long td:last-child{grid-column:1/-1;grid-row:3}
 td.price::before{content:"×\\00a0"}
 .sums{grid-template-columns:minmax(0,1fr)}
 .sums figure{order:2}
 .history li{flex-wrap:wrap;row-gap:0}
}
@media (pointer:coarse),(max-width:40rem){
 footer ul{gap:0 1rem}
 footer a{padding:.65rem 0}
 p>a:not(.button){display:inline-block;padding:.6rem 0}
 .paper li a{padding-block:.75rem}
}
@media print{
 :root{--ground:#fff;--paper:#fff;--ink:#000;--soft:#444;--rule:#bbb;--strong-rule:#000;--accent:#000;--shadow:none}
 @page{margin:18mm 16mm}
 html{font-size:12px}
 main{max-width:none;padding:0}
 .till,footer,.notice,.skip,.screen{display:none!important}
 .paper{padding:0;box-shadow:none}
 tr,.sums,.words section{break-inside:avoid}
 a{color:inherit;text-decoration:none}
}
`

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Leads the reader of `/invoice/p/#CODE` to the page itself, because a browser never sends us what stands behind the `#`. */
export const openScript = `const code=location.hash.slice(1).replace(/[^0-9A-Za-z]/g,'');if(code)location.replace('/invoice/p/'+code.toUpperCase());`

/** Browsers may keep these for ever, because their addresses change with their content. */
export const assets: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  [`page-${digest(pageStyle)}.css`]: { type: 'text/css; charset=utf-8', text: pageStyle },
  [`open-${digest(openScript)}.js`]: { type: 'text/javascript; charset=utf-8', text: openScript },
}

const addressOf = (start: string) => `/invoice/assets/${Object.keys(assets).find((name) => name.startsWith(start))!}`
export const styleAddress = addressOf('page-')
export const scriptAddress = addressOf('open-')
