import{H as y,I as k,J as g,N as v,P as b,Q as f,Y as w,b as i,c as m,n as u,x as h,y as p}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var C=["untrusted","agent","owner"],e=h.quarantine;async function T(a){let o=`/memories/${encodeURIComponent(a)}`,l=(await u("GET",`${o}/history`)).results.at(-1);l&&await u("POST",`${o}/restore`,{body:{version:l.number}})}function q({each:a,ticked:o,tick:d,done:l,erase:c}){let[s,r]=m("untrusted"),$=a.memory.id;async function t(){let n=`/memories/${encodeURIComponent($)}/release`;await b.trying(()=>u("POST",n,{body:{trust:s}}))&&(b.done(e.released,async()=>{await T($),l()}),l())}return i`<li class="card">
    <${v} memory=${a.memory} label=${e.claimed(a.claimed)} level=${2} plain />
    <ul class="chips" aria-label=${e.reasons}>
      ${a.reasons.map(n=>i`<li key=${n} class="chip warn"><bdi dir="auto">${n}</bdi></li>`)}
    </ul>
    <div class="row">
      <label class="tick"><input type="checkbox" checked=${o} onChange=${d} /> ${e.choose}</label>
      <span class="grow"></span>
      <label class="inline"><span class="label">${e.as}</span>
        <select value=${s} onChange=${n=>r(n.target.value)}>
          ${C.map(n=>i`<option key=${n} value=${n}>${e.trust[n]}</option>`)}
        </select>
      </label>
      <button onClick=${t}>${e.release}</button>
      <button class="danger" onClick=${c}>${e.erase}</button>
    </div>
  </li>`}function S(){return w.value?i`<${x} />`:i`<section aria-labelledby="quarantine-heading">
      <${y} id="quarantine-heading" text=${e.heading} about=${e.about} />
      <${g} text=${e.needsAdmin} hint=${e.needsAdminHint} />
    </section>`}function x(){let a=p(()=>u("GET","/quarantine",{query:{limit:500}})),[o,d]=m([]),[l,c]=m([]),s=a.value?.results??[],r=o.filter(t=>s.some(n=>n.memory.id===t));function $(t){d(o.includes(t)?o.filter(n=>n!==t):[...o,t])}return i`<section aria-labelledby="quarantine-heading">
    <${y} id="quarantine-heading" text=${e.heading} about=${e.about} />
    <${k} of=${a} />
    ${a.value&&!s.length&&i`<${g} text=${e.empty} hint=${e.emptyHint} />`}
    ${s.length>0&&i`<div class="row">
        <p class="quiet grow" role="status">${e.count(s.length)}</p>
        <button class="plain" onClick=${()=>d(r.length===s.length?[]:s.map(t=>t.memory.id))}>
          ${r.length===s.length?e.chooseNone:e.chooseAll}
        </button>
        <button class="danger" disabled=${!r.length} onClick=${()=>c(r)}>
          ${e.eraseChosen(r.length)}
        </button>
      </div>
      <ul class="cards wide">
        ${s.map(t=>i`<${q} key=${t.memory.id} each=${t} ticked=${o.includes(t.memory.id)}
            tick=${()=>$(t.memory.id)} done=${a.reload} erase=${()=>c([t.memory.id])} />`)}
      </ul>`}
    ${l.length>0&&i`<${f} ids=${l} close=${t=>{c([]),t&&a.reload()}} />`}
  </section>`}export{S as Page};
