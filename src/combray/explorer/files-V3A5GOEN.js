import{G as k,H as w,J as D,K as $,P as f,Y as g,b as s,c as b,e as y,n as c,x as v}from"./chunk-SV5Z2YKO.js";import"./chunk-OOJM4CTU.js";var P=7e6,R=500,n=v.files,S=0;function T(e){return new Promise((t,l)=>{let r=new FileReader;r.onload=()=>t(String(r.result).replace(/^[^,]*,?/,"")),r.onerror=()=>l(r.error??new Error(n.unreadable)),r.readAsDataURL(e)})}async function q(e,t){let l=await T(e.file);return c("POST","/import/file",{body:{name:e.file.name,data:l,dry_run:t,trusted:e.trusted}})}async function x(e){for(let t=0;t<e.length;t+=R)await c("POST","/memories/forget",{body:{ids:e.slice(t,t+R)}})}function O({report:e}){return s`<details>
    <summary>${n.show(e.sample.length,e.memories)}</summary>
    <ol class="samples">${e.sample.map((t,l)=>s`<li key=${l}>
        ${t.context&&s`<strong dir="auto">${t.context}</strong>`}
        ${t.author&&s`<strong dir="auto">${t.author}</strong>`}
        ${t.occurred_at&&s` <span class="quiet"><${$} at=${t.occurred_at} /></span>`}
        <p dir="auto" class="sample">${t.content}</p>
      </li>`)}</ol>
  </details>`}function _({report:e,past:t}){return s`<p role="status">${t?n.imported(e.memories):n.would(e.memories,e.known)}
    ${e.known>0&&s` ${n.known(e.known)}`}
    ${e.quarantined>0&&s` <a href=${k.quarantine}>${n.quarantined(e.quarantined)}</a>`}
    ${e.first&&s` ${n.between} <${$} at=${e.first} />–<${$} at=${e.last} />`}</p>
    ${e.problems.length>0&&s`<p class="bad">${n.problems(e.problems.length)}</p>
      <ul>${e.problems.map((l,r)=>s`<li key=${r} dir="auto">${l}</li>`)}</ul>`}`}function A({each:e,change:t,remove:l}){let r=e.done??e.preview;async function d(){t({busy:!0});let a=await f.trying(()=>q(e,!1));t({busy:!1,...a&&{done:a}}),a?.ids.length&&f.done(n.imported(a.memories),()=>p(a))}async function p(a){await x(a.ids),t({undone:!0})}return s`<li class="card">
    <div class="row">
      <h2 class="grow clip"><bdi dir="auto">${e.file.name}</bdi></h2>
      <span class="quiet">${n.size(e.file.size)}</span>
      ${r&&s`<span class="chip">${n.kind[r.kind]}</span>`}
    </div>
    ${e.busy&&s`<p class="quiet" role="status">${n.reading}</p>`}
    ${e.problem&&s`<p class="bad" role="alert" dir="auto">${e.problem}</p>`}
    ${r&&s`<${_} report=${r} past=${!!e.done} />`}
    ${e.undone&&s`<p role="status">${n.undone}</p>`}
    ${e.preview&&!e.done&&e.preview.sample.length>0&&s`<${O} report=${e.preview} />`}
    ${e.done&&!e.done.ids.length&&e.done.memories>0&&s`<p class="quiet">${n.noUndo}</p>`}
    <div class="row">
      ${e.preview&&!e.done&&e.preview.memories>0&&s`<label class="tick grow"><input type="checkbox" checked=${e.trusted}
            onChange=${a=>t({trusted:a.target.checked})} />
          <span>${n.trusted} <span class="quiet">${n.trustedAbout}</span></span></label>
        <button class="primary" onClick=${d} disabled=${e.busy}>${n.import(e.preview.memories)}</button>`}
      ${e.done&&e.done.ids.length>0&&!e.undone&&s`<button onClick=${()=>f.trying(()=>p(e.done))}>${n.undo}</button>`}
      <button class="plain" onClick=${l} aria-label=${n.removeOf(e.file.name)}>${n.remove}</button>
    </div>
  </li>`}function z(){let[e,t]=b([]),[l,r]=b(!1),d=y(null);function p(o,u){t(i=>i.map(m=>m.key===o?{...m,...u}:m))}async function a(o){let u=[...o].map(i=>({key:++S,file:i,trusted:!1,busy:!0}));t(i=>[...u,...i]);for(let i of u){if(i.file.size>P){p(i.key,{busy:!1,problem:n.tooLarge(i.file.size)});continue}try{p(i.key,{busy:!1,preview:await q(i,!0)})}catch(m){p(i.key,{busy:!1,problem:m instanceof Error?m.message:String(m)})}}}function E(o){o.preventDefault(),r(!1),o.dataTransfer&&a(o.dataTransfer.files)}return s`<section aria-labelledby="files-heading">
    <${w} id="files-heading" text=${n.heading} about=${n.about} />
    ${!g.value&&s`<${D} text=${n.needsAdmin} hint=${n.needsAdminHint} />`}
    ${g.value&&s`<div class="drop ${l?"over":""}" onDrop=${E}
      onDragOver=${o=>{o.preventDefault(),r(!0)}} onDragLeave=${()=>r(!1)}>
      <p><strong>${n.dropHere}</strong></p>
      <p class="quiet">${n.forms}</p>
      <input ref=${d} id="files-input" type="file" multiple class="hidden-input"
        accept=".md,.markdown,.txt,.json,.jsonl,.ndjson,.zip"
        onChange=${()=>{d.current?.files&&a(d.current.files),d.current&&(d.current.value="")}} />
      <label for="files-input" class="button">${n.choose}</label>
    </div>`}
    <ul class="cards wide">${e.map(o=>s`<${A} key=${o.key} each=${o}
      change=${u=>p(o.key,u)}
      remove=${()=>t(u=>u.filter(i=>i.key!==o.key))} />`)}</ul>
  </section>`}export{z as Page};
