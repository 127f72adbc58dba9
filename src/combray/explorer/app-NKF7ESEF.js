import{$ as R,C as x,D as k,E as S,J as H,O as P,P as F,R as m,S as G,T as I,U as c,V as M,W as q,Z as O,_ as D,a as N,aa as f,b as t,c as d,d as h,e as E,g as K,h as w,i as b,j as C,k as j,l as T,s as $,t as B,u as a,v as i,w as u}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var g=[{name:"search",group:"look",key:"s",first:!0,load:()=>import("./page-OKLP6JU3.js")},{name:"graph",group:"look",key:"g",first:!0,load:()=>import("./graph-DWPWAU6S.js")},{name:"time",group:"look",key:"t",first:!0,load:()=>import("./time-245TNP3K.js")},{name:"people",group:"look",key:"p",first:!0,load:()=>import("./people-X6KUFRDR.js")},{name:"pairs",group:"care",key:"o",load:()=>import("./pairs-XTIEQ6PC.js")},{name:"quarantine",group:"care",key:"q",load:()=>import("./quarantine-3C22DN7F.js")},{name:"runs",group:"care",key:"c",load:()=>import("./runs-GRBTCLVV.js")},{name:"audit",group:"care",key:"a",load:()=>import("./audit-W4FQQMOQ.js")},{name:"usage",group:"care",key:"u",load:()=>import("./usage-62QRZGYA.js")},{name:"files",group:"add",key:"f",load:()=>import("./files-OBPBR24A.js")},{name:"memory",group:"",key:"",load:()=>import("./page-H3EAVZXI.js")}];function W({close:e}){let o=E(null);h(()=>{o.current?.showModal()},[]);let r=[[["/"],u.search],[["j"],u.next],[["k"],u.previous],[["Enter"],u.open],[["Esc"],u.back],[["?"],u.help]],s=g.filter(n=>n.key).map(n=>[["g",n.key],$[n.name]??n.name]),l=n=>t`<dl class="keys">
      ${n.map(([v,y])=>t`<div key=${y}>
            <dt>${v.map(p=>t`<kbd key=${p}>${p}</kbd>`)}</dt>
            <dd>${y}</dd>
          </div>`)}
    </dl>`;return t`<dialog
    ref=${o}
    class="dialog"
    aria-labelledby="help-heading"
    onClose=${e}
    onClick=${n=>n.target===o.current&&o.current?.close()}
  >
    <div>
      <div class="dialog-head">
        <h2 id="help-heading">${u.heading}</h2>
        <button type="button" class="ghost" onClick=${()=>o.current?.close()} aria-label=${a.close}>
          <${m} name="close" />
        </button>
      </div>
      <div class="keys-columns">
        <section>
          <h3>${u.everywhere}</h3>
          ${l(r)}
        </section>
        <section>
          <h3>${u.pages}</h3>
          ${l(s)}
        </section>
      </div>
    </div>
  </dialog>`}var A=["system","light","dark"],U={system:"system",light:"sun",dark:"moon"},_=1200;function z(){let[e,o]=d(!1),r=E(0),s=Object.fromEntries(g.filter(l=>l.key).map(l=>[l.key,()=>Date.now()-r.current>_?!1:(r.current=0,S(k(l.name)),!0)]));return G({...s,g:l=>r.current&&Date.now()-r.current<_?s.g?.(l):(r.current=Date.now(),!1),"?":()=>o(!0),"/":()=>X(),j:()=>I(1),k:()=>I(-1)}),c.value?t`<a class="skip" href="#content" onClick=${V}>${a.skip}</a>
    <${Y} help=${()=>o(!0)} />
    <main id="content" tabindex="-1" class=${`page page-${x.value.page}`}>
      <${te} key=${b.value} />
    </main>
    <${ae} />
    ${e&&t`<${W} close=${()=>o(!1)} />`}`:t`<${oe} />`}function V(e){e.preventDefault(),document.getElementById("content")?.focus()}function X(){let e=document.querySelector("[data-find]");e?(e.focus(),e.select()):S(k("search"))}function Y({help:e}){let[o,r]=d(!1),s=x.value.page;h(()=>r(!1),[s]);let l=n=>t`<li key=${n.name} class=${n.first?"first":""}>
      <a
        href=${k(n.name)}
        aria-current=${s===n.name||s==="memory"&&n.name==="search"?"page":void 0}
      >
        <${m} name=${n.name} /><span class="name">${$[n.name]}</span
        >${n.first&&t`<span class="short-name" aria-hidden="true">${B[n.name]??$[n.name]}</span>`}
      </a>
    </li>`;return t`<header class=${`side ${o?"more":""}`}>
    <a class="brand" href=${k("search")}
      ><img src="explorer/icon.svg" alt="" width="24" height="24" /><span>${a.product}</span></a
    >
    <${ee} />
    <nav aria-label=${a.navigation}>
      ${["look","care","add"].map(n=>t`<div key=${n} class="group">
            <h2 class="group-name">${a.groups[n]}</h2>
            <ul>
              ${g.filter(v=>v.group===n).map(l)}
            </ul>
          </div>`)}
    </nav>
    <div class="foot">
      <button
        type="button"
        class="ghost"
        onClick=${Z}
        title=${a.themeNext(a.theme[f.value])}
        aria-label=${a.themeNext(a.theme[f.value])}
      >
        <${m} name=${U[f.value]} />
      </button>
      <button
        type="button"
        class="ghost"
        onClick=${e}
        title=${`${a.keyboard} (?)`}
        aria-label=${a.keyboard}
      >
        <${m} name="keyboard" />
      </button>
      <span class="role" title=${c.value&&a.role[c.value.role]}
        >${c.value&&a.roleShort[c.value.role]}</span
      >
      ${w.value&&t`<button type="button" class="ghost small" onClick=${R}>${a.leave}</button>`}
    </div>
    <button type="button" class="more-button" aria-expanded=${o} onClick=${()=>r(!o)}>
      <${m} name="more" /><span>${a.more}</span>
    </button>
  </header>`}function Z(){f.value=A[(A.indexOf(f.value)+1)%A.length]??"system"}function ee(){let e=c.value?.namespaces!==null||c.value.role==="admin";return e&&M.value.length<2?t`<p class="namespace">
      <span class="hidden">${a.namespace}</span><bdi dir="auto">${b.value}</bdi>
    </p>`:t`<label class="namespace"
    ><span class="hidden">${a.namespace}</span>
    ${e?t`<select
            value=${b.value}
            onChange=${o=>T(o.target.value)}
          >
            ${M.value.map(o=>t`<option key=${o} value=${o}>${o}</option>`)}
          </select>`:t`<input
            value=${b.value}
            onChange=${o=>T(o.target.value||"default")}
          />`}
  </label>`}var L=new Map;function te(){let e=x.value.page,o=g.find(p=>p.name===e),[,r]=d(0),[s,l]=d(""),[n,v]=K(p=>console.error(p));if(h(()=>{document.title=`${$[e]??a.notFound} · ${a.product}`,l(""),n&&v(),window.scrollTo(0,0),o&&!L.has(e)&&o.load().then(p=>{L.set(e,p.Page),r(Q=>Q+1)},p=>l(p.message))},[e]),!o)return t`<${H} text=${a.notFound} hint=${a.notFoundHint} />`;if(s||n)return t`<${H} text=${a.failed} hint=${s||String(n)} />`;let y=L.get(e);return y?t`<${y} key=${e} />`:t`<div class="wait" role="status"><span class="hidden">${a.loading}</span></div>`}function ae(){let e=P.value,o=()=>P.value=null,r=async()=>{o(),await F.trying(async()=>e?.undo?.())};return t`<div class="toasts" role=${e?.bad?"alert":"status"}>
    ${e&&t`<div class=${`toast ${e.bad?"bad":""}`}>
        <p>${e.text}</p>
        ${e.undo&&t`<button type="button" class="plain" onClick=${r}>${a.undo}</button>`}
        <button type="button" class="ghost" onClick=${o} aria-label=${a.close}>
          <${m} name="close" />
        </button>
      </div>`}
  </div>`}function oe(){let[e,o]=d("");if(q.value)return t`<main class="door">
      <h1>${a.unreachable}</h1>
      <p class="quiet">${a.unreachableHint}</p>
      <pre class="command"><code>combray serve</code></pre>
      <p class="quiet">${q.value}</p>
      <button type="button" class="primary" onClick=${D}>${a.again}</button>
    </main>`;if(!C.value)return t`<main class="door">
      <div class="wait" role="status"><span class="hidden">${a.loading}</span></div>
    </main>`;let r=s=>{s.preventDefault(),j(e.trim()),D()};return t`<main class="door">
    <img src="explorer/icon.svg" alt="" width="40" height="40" />
    <h1>${i.heading}</h1>
    <p class="quiet">${i.about}</p>
    <form onSubmit=${r}>
      <label class="field"
        ><span>${i.label}</span>
        <input
          type="password"
          autocomplete="off"
          spellcheck=${!1}
          autofocus
          value=${e}
          onInput=${s=>o(s.target.value)}
        />
      </label>
      <button class="primary">${i.enter}</button>
    </form>
    ${!C.value.startsWith(i.heading)&&t`<p role="alert" class=${w.value?"bad-text":"quiet"}>${w.value&&i.wrong} ${C.value}</p>`}
    <p class="quiet">${i.make}</p>
    <pre class="command"><code>${i.command}</code></pre>
    <p class="quiet">${i.explore}</p>
    <pre class="command"><code>${i.exploreCommand}</code></pre>
  </main>`}var J=document.getElementById("app");J&&(O(),N(t`<${z} />`,J));
