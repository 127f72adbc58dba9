import{G as k,H as w,J as D,K as $,P as f,Y as g,b as t,c,e as y,n as b,x as v}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var P=7e6,R=500,s=v.files,S=0;function T(e){return new Promise((n,l)=>{let r=new FileReader;r.onload=()=>n(String(r.result).replace(/^[^,]*,?/,"")),r.onerror=()=>l(r.error??new Error(s.unreadable)),r.readAsDataURL(e)})}async function q(e,n){let l=await T(e.file);return b("POST","/import/file",{body:{name:e.file.name,data:l,dry_run:n,trusted:e.trusted}})}async function x(e){for(let n=0;n<e.length;n+=R)await b("POST","/memories/forget",{body:{ids:e.slice(n,n+R)}})}function O({report:e}){return t`<details>
    <summary>${s.show(e.sample.length,e.memories)}</summary>
    <ol class="samples">${e.sample.map((n,l)=>t`<li key=${l}>
        ${n.context&&t`<strong dir="auto">${n.context}</strong>`}
        ${n.author&&t`<strong dir="auto">${n.author}</strong>`}
        ${n.occurred_at&&t` <span class="quiet"><${$} at=${n.occurred_at} /></span>`}
        <p dir="auto" class="sample">${n.content}</p>
      </li>`)}</ol>
  </details>`}function _({report:e,past:n}){return t`<p role="status">${n?s.imported(e.memories):s.would(e.memories,e.known)}
    ${e.known>0&&t` ${s.known(e.known)}`}
    ${e.quarantined>0&&t` <a href=${k.quarantine}>${s.quarantined(e.quarantined)}</a>`}
    ${e.first&&t` <${$} at=${e.first} />`}
    ${e.last!==e.first&&t` – <${$} at=${e.last} />`}</p>
    ${e.problems.length>0&&t`<p class="bad">${s.problems(e.problems.length)}</p>
      <ul>${e.problems.map((l,r)=>t`<li key=${r} dir="auto">${l}</li>`)}</ul>`}`}function A({each:e,change:n,remove:l}){let r=e.done??e.preview;async function d(){n({busy:!0});let a=await f.trying(()=>q(e,!1));n({busy:!1,...a&&{done:a}}),a?.ids.length&&f.done(s.imported(a.memories),()=>p(a))}async function p(a){await x(a.ids),n({undone:!0})}return t`<li class="card">
    <div class="row">
      <h2 class="grow clip"><bdi dir="auto">${e.file.name}</bdi></h2>
      <span class="quiet">${s.size(e.file.size)}</span>
      ${r&&t`<span class="chip">${s.kind[r.kind]}</span>`}
    </div>
    ${e.busy&&t`<p class="quiet" role="status">${s.reading}</p>`}
    ${e.problem&&t`<p class="bad" role="alert" dir="auto">${e.problem}</p>`}
    ${r&&t`<${_} report=${r} past=${!!e.done} />`}
    ${e.undone&&t`<p role="status">${s.undone}</p>`}
    ${e.preview&&!e.done&&e.preview.sample.length>0&&t`<${O} report=${e.preview} />`}
    ${e.done&&!e.done.ids.length&&e.done.memories>0&&t`<p class="quiet">${s.noUndo}</p>`}
    <div class="row">
      ${e.preview&&!e.done&&e.preview.memories>0&&t`<label class="tick grow"><input type="checkbox" checked=${e.trusted}
            onChange=${a=>n({trusted:a.target.checked})} />
          <span>${s.trusted} <span class="quiet">${s.trustedAbout}</span></span></label>
        <button class="primary" onClick=${d} disabled=${e.busy}>${s.import(e.preview.memories)}</button>`}
      ${e.done&&e.done.ids.length>0&&!e.undone&&t`<button onClick=${()=>f.trying(()=>p(e.done))}>${s.undo}</button>`}
      <button class="plain" onClick=${l} aria-label=${s.removeOf(e.file.name)}>${s.remove}</button>
    </div>
  </li>`}function z(){let[e,n]=c([]),[l,r]=c(!1),d=y(null);function p(o,u){n(i=>i.map(m=>m.key===o?{...m,...u}:m))}async function a(o){let u=[...o].map(i=>({key:++S,file:i,trusted:!1,busy:!0}));n(i=>[...u,...i]);for(let i of u){if(i.file.size>P){p(i.key,{busy:!1,problem:s.tooLarge(i.file.size)});continue}try{p(i.key,{busy:!1,preview:await q(i,!0)})}catch(m){p(i.key,{busy:!1,problem:m instanceof Error?m.message:String(m)})}}}function E(o){o.preventDefault(),r(!1),o.dataTransfer&&a(o.dataTransfer.files)}return t`<section aria-labelledby="files-heading">
    <${w} id="files-heading" text=${s.heading} about=${s.about} />
    ${!g.value&&t`<${D} text=${s.needsAdmin} hint=${s.needsAdminHint} />`}
    ${g.value&&t`<div class="drop ${l?"over":""}" onDrop=${E}
      onDragOver=${o=>{o.preventDefault(),r(!0)}} onDragLeave=${()=>r(!1)}>
      <p><strong>${s.dropHere}</strong></p>
      <p class="quiet">${s.forms}</p>
      <input ref=${d} id="files-input" type="file" multiple class="hidden-input"
        accept=".md,.markdown,.txt,.json,.jsonl,.ndjson,.zip"
        onChange=${()=>{d.current?.files&&a(d.current.files),d.current&&(d.current.value="")}} />
      <label for="files-input" class="button">${s.choose}</label>
    </div>`}
    <ul class="cards wide">${e.map(o=>t`<${A} key=${o.key} each=${o}
      change=${u=>p(o.key,u)}
      remove=${()=>n(u=>u.filter(i=>i.key!==o.key))} />`)}</ul>
  </section>`}export{z as Page};
