import{$,A as S,F as H,K as P,L as B,N as m,O as F,P as I,T as c,U as M,V as q,Y as G,Z as D,_ as O,a as N,b as t,c as d,d as y,e as E,g as K,h as w,i as b,j as x,k as j,l as T,s as h,t as a,u as p,v as u,y as C,z as k}from"./chunk-P57JSFJ5.js";import"./chunk-OOJM4CTU.js";var f=[{name:"search",group:"look",key:"s",first:!0,load:()=>import("./page-XBDJFSX3.js")},{name:"graph",group:"look",key:"g",first:!0,load:()=>import("./graph-VOGL34X3.js")},{name:"time",group:"look",key:"t",first:!0,load:()=>import("./time-WMRYDRNA.js")},{name:"people",group:"look",key:"p",first:!0,load:()=>import("./people-TEAME33L.js")},{name:"pairs",group:"care",key:"o",load:()=>import("./pairs-KUYVM264.js")},{name:"quarantine",group:"care",key:"q",load:()=>import("./quarantine-7PFB4ATG.js")},{name:"runs",group:"care",key:"c",load:()=>import("./runs-RWD5YXNU.js")},{name:"audit",group:"care",key:"a",load:()=>import("./audit-K3KXNWDY.js")},{name:"usage",group:"care",key:"u",load:()=>import("./usage-ZIUFRVSL.js")},{name:"files",group:"add",key:"f",load:()=>import("./files-4ADT4ZL2.js")},{name:"memory",group:"",key:"",load:()=>import("./page-UGDAXALQ.js")}];function R({close:e}){let o=E(null);y(()=>{o.current?.showModal()},[]);let r=[[["/"],u.search],[["j"],u.next],[["k"],u.previous],[["Enter"],u.open],[["Esc"],u.back],[["?"],u.help]],s=f.filter(n=>n.key).map(n=>[["g",n.key],h[n.name]??n.name]),l=n=>t`<dl class="keys">${n.map(([g,v])=>t`<div key=${v}><dt>${g.map(i=>t`<kbd key=${i}>${i}</kbd>`)}</dt><dd>${v}</dd></div>`)}</dl>`;return t`<dialog ref=${o} class="dialog" aria-labelledby="help-heading" onClose=${e} onClick=${n=>n.target===o.current&&o.current?.close()}>
    <div>
      <div class="dialog-head"><h2 id="help-heading">${u.heading}</h2>
        <button type="button" class="ghost" onClick=${()=>o.current?.close()} aria-label=${a.close}><${m} name="close" /></button></div>
      <div class="keys-columns"><section><h3>${u.everywhere}</h3>${l(r)}</section><section><h3>${u.pages}</h3>${l(s)}</section></div>
    </div>
  </dialog>`}var A=["system","light","dark"],Q={system:"system",light:"sun",dark:"moon"},W=1200;function _(){let[e,o]=d(!1),r=E(0),s=Object.fromEntries(f.filter(l=>l.key).map(l=>[l.key,()=>Date.now()-r.current>W?!1:(r.current=0,S(k(l.name)),!0)]));return F({...s,g:l=>r.current&&Date.now()-r.current<W?s.g?.(l):(r.current=Date.now(),!1),"?":()=>o(!0),"/":()=>V(),j:()=>I(1),k:()=>I(-1)}),c.value?t`<a class="skip" href="#content" onClick=${U}>${a.skip}</a>
    <${X} help=${()=>o(!0)} />
    <main id="content" tabindex="-1" class=${`page page-${C.value.page}`}><${ee} key=${b.value} /></main>
    <${te} />
    ${e&&t`<${R} close=${()=>o(!1)} />`}`:t`<${ae} />`}function U(e){e.preventDefault(),document.getElementById("content")?.focus()}function V(){let e=document.querySelector("[data-find]");e?(e.focus(),e.select()):S(k("search"))}function X({help:e}){let[o,r]=d(!1),s=C.value.page;y(()=>r(!1),[s]);let l=n=>t`<li key=${n.name} class=${n.first?"first":""}>
    <a href=${k(n.name)} aria-current=${s===n.name||s==="memory"&&n.name==="search"?"page":void 0}>
      <${m} name=${n.name} /><span>${h[n.name]}</span>
    </a>
  </li>`;return t`<header class=${`side ${o?"more":""}`}>
    <a class="brand" href=${k("search")}><img src="explorer/icon.svg" alt="" width="24" height="24" /><span>${a.product}</span></a>
    <${Z} />
    <nav aria-label=${a.navigation}>
      ${["look","care","add"].map(n=>t`<div key=${n} class="group">
        <h2 class="group-name">${a.groups[n]}</h2>
        <ul>${f.filter(g=>g.group===n).map(l)}</ul>
      </div>`)}
    </nav>
    <div class="foot">
      <button type="button" class="ghost" onClick=${Y} title=${a.themeNext(a.theme[$.value])} aria-label=${a.themeNext(a.theme[$.value])}>
        <${m} name=${Q[$.value]} />
      </button>
      <button type="button" class="ghost" onClick=${e} title=${`${a.keyboard} (?)`} aria-label=${a.keyboard}><${m} name="keyboard" /></button>
      <span class="role" title=${c.value&&a.role[c.value.role]}>${c.value&&a.roleShort[c.value.role]}</span>
      ${w.value&&t`<button type="button" class="ghost small" onClick=${O}>${a.leave}</button>`}
    </div>
    <button type="button" class="more-button" aria-expanded=${o} onClick=${()=>r(!o)}><${m} name="more" /><span>${a.more}</span></button>
  </header>`}function Y(){$.value=A[(A.indexOf($.value)+1)%A.length]??"system"}function Z(){let e=c.value?.namespaces!==null||c.value.role==="admin";return e&&M.value.length<2?t`<p class="namespace"><span class="hidden">${a.namespace}</span><bdi dir="auto">${b.value}</bdi></p>`:t`<label class="namespace"><span class="hidden">${a.namespace}</span>
    ${e?t`<select value=${b.value} onChange=${o=>T(o.target.value)}>
          ${M.value.map(o=>t`<option key=${o} value=${o}>${o}</option>`)}
        </select>`:t`<input value=${b.value} onChange=${o=>T(o.target.value||"default")} />`}
  </label>`}var L=new Map;function ee(){let e=C.value.page,o=f.find(i=>i.name===e),[,r]=d(0),[s,l]=d(""),[n,g]=K(i=>console.error(i));if(y(()=>{document.title=`${h[e]??a.notFound} · ${a.product}`,l(""),n&&g(),window.scrollTo(0,0),o&&!L.has(e)&&o.load().then(i=>{L.set(e,i.Page),r(J=>J+1)},i=>l(i.message))},[e]),!o)return t`<${H} text=${a.notFound} hint=${a.notFoundHint} />`;if(s||n)return t`<${H} text=${a.failed} hint=${s||String(n)} />`;let v=L.get(e);return v?t`<${v} key=${e} />`:t`<div class="wait" role="status"><span class="hidden">${a.loading}</span></div>`}function te(){let e=P.value,o=()=>P.value=null,r=async()=>{o(),await B.trying(async()=>e?.undo?.())};return t`<div class="toasts" role=${e?.bad?"alert":"status"}>
    ${e&&t`<div class=${`toast ${e.bad?"bad":""}`}>
      <p>${e.text}</p>
      ${e.undo&&t`<button type="button" class="plain" onClick=${r}>${a.undo}</button>`}
      <button type="button" class="ghost" onClick=${o} aria-label=${a.close}><${m} name="close" /></button>
    </div>`}
  </div>`}function ae(){let[e,o]=d("");if(q.value)return t`<main class="door"><h1>${a.unreachable}</h1><p class="quiet">${a.unreachableHint}</p>
      <pre class="command"><code>combray serve</code></pre><p class="quiet">${q.value}</p>
      <button type="button" class="primary" onClick=${D}>${a.again}</button></main>`;if(!x.value)return t`<main class="door"><div class="wait" role="status"><span class="hidden">${a.loading}</span></div></main>`;let r=s=>{s.preventDefault(),j(e.trim()),D()};return t`<main class="door">
    <h1>${p.heading}</h1>
    <p class="quiet">${p.about}</p>
    <form onSubmit=${r}>
      <label class="field"><span>${p.label}</span>
        <input type="password" autocomplete="off" spellcheck=${!1} autofocus value=${e} onInput=${s=>o(s.target.value)} />
      </label>
      <button class="primary">${p.enter}</button>
    </form>
    ${w.value&&t`<p role="alert" class="bad-text">${p.wrong} ${x.value}</p>`}
    <p class="quiet">${p.make}</p><pre class="command"><code>${p.command}</code></pre>
    <p class="quiet">${p.explore}</p><pre class="command"><code>${p.exploreCommand}</code></pre>
  </main>`}var z=document.getElementById("app");z&&(G(),N(t`<${_} />`,z));
