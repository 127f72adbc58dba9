import{G as m,H as v,I as k,J as w,K as L,P as d,Y as g,b as s,c as $,n as u,x as b,y as h}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var f=200,n=b.runs;function R({lines:e}){return e.length?s`<ul class="plan">
      ${e.slice(0,f).map((t,i)=>s`<li key=${i}>
          <span class="chip">${n.operation(t.operation)}</span>
          <a href=${m.memory(t.memory_id)} dir="auto" class="clip">${t.content}</a>
          <span class="quiet" dir="auto">${t.detail}</span>
        </li>`)}
    </ul>
    ${e.length>f&&s`<p class="quiet">${n.more(e.length-f)}</p>`}`:s`<p class="quiet">${n.nothing}</p>`}function O({done:e}){let[t,i]=$(null),[c,r]=$(!1);async function p(a){r(!0);let l=await d.trying(()=>u("POST","/consolidation/runs",{body:{dry_run:a}}));r(!1),l&&(i(a?l:null),!a&&(d.done(n.ran(_(l.counts)),async()=>{await u("POST","/consolidation/undo",{body:{run_id:l.run_id}}),e()}),e()))}return s`<div class="card">
    <h2>${n.next}</h2>
    <p class="quiet">${n.nextAbout}</p>
    <div class="row">
      <button onClick=${()=>p(!0)} disabled=${c}>${n.plan}</button>
      ${t&&t.plan.length>0&&s`<button class="primary" onClick=${()=>p(!1)} disabled=${c}>${n.run(t.plan.length)}</button>`}
      ${c&&s`<span role="status" class="quiet">${n.busy}</span>`}
    </div>
    ${t&&s`<div role="status"><p>${n.planned(t.plan.length)}</p></div>
      <${R} lines=${t.plan} />
      ${t.degraded.map(a=>s`<p key=${a} class="quiet" dir="auto">${a}</p>`)}`}
  </div>`}function T({run:e,done:t}){let[i,c]=$(null),[r,p]=$(null);async function a(o){if(!o.target.open||i)return;let q=`/consolidation/runs/${encodeURIComponent(e.id)}`,y=await d.trying(()=>u("GET",q));y&&c(y.results)}async function l(){let o=await d.trying(()=>u("POST","/consolidation/undo",{body:{run_id:e.id}}));o&&(d.done(n.undone(o.restored.length)),p(o),t())}return s`<li class="card">
    <div class="row">
      <h3 class="grow"><${L} at=${new Date(e.started*1e3).toISOString()} minutes /></h3>
      <span class="chip ${e.state==="undone"?"warn":""}">${n.state[e.state]}</span>
      ${e.state==="done"&&g.value&&s`<button onClick=${l} aria-label=${n.undoOf(e.id)}>${n.undo}</button>`}
    </div>
    <p>${_(e.counts)||n.nothing}</p>
    ${r&&r.refused.length>0&&s`<p class="quiet">${n.refused(r.refused.length)}</p>
      <ul>${r.refused.map(o=>s`<li key=${o.memory_id}>
        <a href=${m.memory(o.memory_id)}>${o.memory_id.slice(0,13)}</a> ${o.reason}</li>`)}</ul>`}
    <details onToggle=${a}>
      <summary>${n.changes}</summary>
      ${i?s`<${R} lines=${i} />`:s`<p class="quiet">${n.busy}</p>`}
    </details>
  </li>`}function _(e){return Object.entries(e).filter(([t,i])=>i&&t!=="noted").map(([t,i])=>n.counted(n.operation(t),i)).join(", ")}function x(){let e=h(()=>u("GET","/consolidation/runs",{query:{limit:50}})),t=e.value?.results??[];return s`<section aria-labelledby="runs-heading">
    <${v} id="runs-heading" text=${n.heading} about=${n.about} />
    ${g.value?s`<${O} done=${e.reload} />`:s`<p class="quiet">${n.needsAdmin}</p>`}
    <h2>${n.earlier}</h2>
    <${k} of=${e} />
    ${e.value&&!t.length&&s`<${w} text=${n.empty} hint=${n.emptyHint} />`}
    <ul class="cards wide">${t.map(i=>s`<${T} key=${i.id+i.state} run=${i} done=${e.reload} />`)}</ul>
  </section>`}export{x as Page};
