import{a as te}from"./chunk-FFFIJJXN.js";import{A as C,B as K,C as R,E as W,G as v,I as U,J,K as b,L as V,M as z,N as Q,P as f,Q as X,R as Y,S as Z,X as M,Y as ee,b as a,c as S,d as P,e as L,f as D,m as N,n as g,o as j,p as F,x as k,y as G,z as H}from"./chunk-FHXORLZJ.js";import"./chunk-OOJM4CTU.js";var h=k.memory,me=["preference","decision","fact","insight","context","general"];function fe(e){return e.split(",").map(n=>n.trim()).filter(Boolean)}function ne(e){let{content:n,category:o,importance:t,tags:s,author:i}=e;return{content:n,category:o,importance:String(t),tags:s.join(", "),author:i??""}}function ye(e,n){let o=ne(n),t={};for(let s of Object.keys(e))e[s]!==o[s]&&(s==="tags"?t[s]=fe(e.tags):s==="importance"?t[s]=Number(e.importance):s==="author"?t[s]=e.author.trim()||null:t[s]=e[s]);return t}function se({memory:e,close:n,done:o}){let[t,s]=S(ne(e)),[i,r]=S(!1),l=L(null);P(()=>l.current?.focus(),[]);let c=u=>w=>s({...t,[u]:w.target.value});async function p(u){u.preventDefault();let w=ye(t,e);if(!Object.keys(w).length)return f.done(h.unchanged),n();r(!0);try{let x=await F(e.id,w,e.version);f.done(h.edited,async()=>{await g("POST",`/memories/${encodeURIComponent(e.id)}/restore`,{body:{version:x.version}}),o()}),n(),o()}catch(x){let _=x instanceof N&&x.status===412;f.bad(_?h.stale:x.message),_&&o()}r(!1)}return a`<form class="card change-form" onSubmit=${p} onKeyDown=${u=>u.key==="Escape"&&n()}>
    <label class="field"><span>${h.fields.content}</span><textarea ref=${l} dir="auto" value=${t.content} onInput=${c("content")}></textarea></label>
    <div class="fields">
      <label class="field"><span>${h.fields.category}</span><select value=${t.category} onChange=${c("category")}>${me.map(u=>a`<option key=${u}>${u}</option>`)}</select></label>
      <label class="field"><span>${h.fields.importance}</span><select value=${t.importance} onChange=${c("importance")}>${[1,2,3,4,5].map(u=>a`<option key=${u}>${u}</option>`)}</select></label>
      <label class="field"><span>${h.fields.author}</span><input dir="auto" value=${t.author} onInput=${c("author")} /></label>
      <label class="field wide"><span>${h.fields.tags}, ${h.comma}</span><input dir="auto" value=${t.tags} onInput=${c("tags")} /></label>
    </div>
    <div class="form-acts"><span class="quiet">${h.editAbout}</span><button type="button" onClick=${n}>${h.cancel}</button><button class="primary" disabled=${i}>${h.save}</button></div>
  </form>`}function oe({memory:e,close:n,done:o}){let[t,s]=S(e.content),[i,r]=S(!1),l=L(null);P(()=>l.current?.select(),[]);async function c(p){p.preventDefault(),r(!0);let{category:u,entities:w,author:x,slot:_,tags:T}=e,O={content:t,supersedes:[e.id],category:u,entities:w,author:x,slot:_,tags:T},m=await f.trying(()=>g("POST","/memories",{body:O}));if(r(!1),!!m){if(m.action==="refused"||m.action==="skipped")return f.bad(h.notStored(m.reason||m.action));f.done(h.replaced,async()=>{await g("POST","/settle",{body:{new:m.id,old:e.id,verdict:"open"}}),await g("POST","/memories/forget",{body:{ids:[m.id]}}),o(e.id)}),n(),o(m.id)}}return a`<form class="card change-form" onSubmit=${c} onKeyDown=${p=>p.key==="Escape"&&n()}>
    <label class="field"><span>${h.newText}</span><textarea ref=${l} dir="auto" value=${t} onInput=${p=>s(p.target.value)}></textarea></label>
    <div class="form-acts"><span class="quiet">${h.newTextHint} ${h.undoable}</span><button type="button" onClick=${n}>${h.cancel}</button>
      <button class="primary" disabled=${i||!t.trim()||t===e.content}>${h.replace}</button></div>
  </form>`}var A=k.memory,I=["supersedes","may_revise","restates","contrasts","causal","entity","semantic","temporal"],ae=5,ge=["supersedes","corrects","same","both","open"],B=e=>e.said_at??e.occurred_from??e.recorded_at;function he({here:e,there:n,done:o}){let[t,s]=S(!1),[i,r]=B(e)>=B(n)?[e,n]:[n,e],l=async c=>{let p={new:i.id,old:r.id,verdict:c};await f.trying(()=>g("POST","/settle",{body:p}))&&(f.done(A.settled,async()=>{await g("POST","/settle",{body:{...p,verdict:"open"}}),f.done(A.reopened),o()}),o())};return t?a`<div class="settle" role="group" aria-label=${A.settleQuestion}>
    ${ge.map(c=>a`<button type="button" key=${c} class="small" onClick=${()=>l(c)}>${A.settleAs[c]}</button>`)}
  </div>`:a`<button type="button" class="small" onClick=${()=>s(!0)}>${A.settle}</button>`}function be({type:e,listed:n,here:o,done:t}){let[s,i]=S(!1);return a`<section class="edge-group">
    <h3>${A.edgeTypes[e]??e} <span class="quiet number">${n.length}</span></h3>
    <ul class="plain-list edges">
      ${(s?n:n.slice(0,ae)).map(({memory:r,weight:l,subtypes:c})=>a`<li key=${r.id}>
        <div class="edge">
          <a data-item href=${v.memory(r.id)} class="edge-link"><span class="text clamp" dir="auto">${C(r.content,[],220)}</span></a>
          <span class="edge-weight" title=${A.weight(l)}><${te} share=${l} /><span class="number">${l.toFixed(2)}</span></span>
        </div>
        <p class="meta"><${b} at=${B(r)} />${c.filter(Boolean).map(p=>a`<span key=${p}>${p.replaceAll("_"," ")}</span>`)}<${V} memory=${r} />
          ${e==="may_revise"&&M.value&&a`<${he} here=${o} there=${r} done=${t} />`}</p>
      </li>`)}
    </ul>
    ${!s&&n.length>ae&&a`<button type="button" class="plain small" onClick=${()=>i(!0)}>${A.all(n.length)}</button>`}
  </section>`}function ie({memory:e,related:n,done:o}){let t=new Map;for(let i of n.results)t.set(i.via,[...t.get(i.via)??[],i]);let s=i=>I.includes(i)?I.indexOf(i):I.length;return t.size?a`${[...t].sort(([i],[r])=>s(i)-s(r)).map(([i,r])=>a`<${be} key=${i} type=${i} listed=${r} here=${e} done=${o} />`)}`:a`<p class="quiet">${A.noEdges}</p>`}var $=k.memory;function y({name:e,children:n}){return a`<div><dt>${e}</dt><dd>${n}</dd></div>`}function re({memory:e}){let{occurred_from:n,occurred_to:o,said_at:t,valid_from:s,valid_to:i,recorded_at:r,expires_at:l,last_accessed_at:c,access_count:p}=e;return a`<section><h2>${$.clocks}</h2><dl class="facts">
    ${n&&a`<${y} name=${$.happened}><${b} at=${n} minutes />${o&&o!==n&&a` – <${b} at=${o} minutes />`}<//>`}
    ${t&&a`<${y} name=${$.said}><${b} at=${t} minutes /><//>`}
    <${y} name=${$.valid}>${s||i?a`${s&&a`${$.from} <${b} at=${s} />`} ${i&&a`${$.until} <${b} at=${i} />`}`:a`<span class="quiet">${$.always}</span>`}<//>
    <${y} name=${$.recorded}><${b} at=${r} minutes /><//>
    ${l&&a`<${y} name=${$.expires}><${b} at=${l} minutes /><//>`}
    <${y} name=${$.recalled}>${p>0?a`${$.times(p)} <${b} at=${c} minutes />`:$.never}<//>
  </dl></section>`}function ce({memory:e}){let{kind:n,category:o,author:t,source:s,session:i,trust:r,importance:l,confidence:c,tier:p,slot:u,entities:w,tags:x}=e,_=k.memoryTexts,T=m=>a`<bdi dir="auto">${m}</bdi>`,O=()=>{navigator.clipboard?.writeText(e.id).then(()=>f.done($.copied))};return a`<section><h2>${$.facts}</h2><dl class="facts">
    <${y} name=${$.fields.kind}>${_.kinds[n]??n}<//>
    <${y} name=${$.fields.category}>${o}<//>
    ${t&&a`<${y} name=${$.fields.author}><a href=${v.search({author:t})}>${T(t)}</a><//>`}
    <${y} name=${$.fields.source}>${T(s)}<//>
    ${i&&a`<${y} name=${$.fields.session}>${T(i)}<//>`}
    <${y} name=${$.fields.trust}>${_.trusts[r]??r}<//>
    <${y} name=${$.fields.importance}><span class="number">${l} / 5</span><//>
    <${y} name=${$.fields.confidence}><span class="number">${Math.round(c*100)} %</span><//>
    <${y} name=${$.fields.tier}>${p}<//>
    ${u&&a`<${y} name=${$.fields.slot}>${T(u)}<//>`}
    ${w.length>0&&a`<${y} name=${$.fields.entities}><span class="chips">${w.map(m=>a`<a key=${m} class="chip" href=${v.entity(m)}>${T(m)}</a>`)}</span><//>`}
    ${x.length>0&&a`<${y} name=${$.fields.tags}><span class="chips">${x.map(m=>a`<a key=${m} class="chip" href=${v.search({tag:m})}>${T(m)}</a>`)}</span><//>`}
    ${Object.entries(e.metadata).map(([m,q])=>a`<${y} key=${m} name=${m}>${T(typeof q=="string"?q:JSON.stringify(q))}<//>`)}
    <${y} name=${$.id}><button type="button" class="id" onClick=${O} title=${$.copy}><code>${e.id}</code></button><//>
  </dl></section>`}var le=/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;function de(e,n){let o=e.match(le)??[],t=n.match(le)??[],s=0;for(;s<o.length&&s<t.length&&o[s]===t[s];)s++;let i=0;for(;i<o.length-s&&i<t.length-s&&o[o.length-1-i]===t[t.length-1-i];)i++;let r=o.slice(0,s).join(""),l=o.slice(o.length-i).join(""),c=ve(o.slice(s,o.length-i),t.slice(s,t.length-i));return ke([["same",r],...c,["same",l]])}function ve(e,n){if(e.length*n.length>4e5)return[["gone",e.join("")],["new",n.join("")]];let o=n.length+1,t=new Uint32Array((e.length+1)*o);for(let l=e.length-1;l>=0;l--)for(let c=n.length-1;c>=0;c--)t[l*o+c]=e[l]===n[c]?t[(l+1)*o+c+1]+1:Math.max(t[(l+1)*o+c],t[l*o+c+1]);let s=[],[i,r]=[0,0];for(;i<e.length&&r<n.length;)e[i]===n[r]?(s.push(["same",e[i]]),i++,r++):t[(i+1)*o+r]>=t[i*o+r+1]?s.push(["gone",e[i++]]):s.push(["new",n[r++]]);return[...s,["gone",e.slice(i).join("")],["new",n.slice(r).join("")]]}function ke(e){let n=[];for(let[o,t]of e){let s=n.at(-1);t&&(s?.[0]===o?s[1]+=t:n.push([o,t]))}return n}var E=k.memory,we=new Set(["content_hash","valid_from_source","said_at"]);function xe(e,n){let o={...n},t=[];for(let s of[...e].reverse()){let i=Object.entries(s.before).filter(([r])=>!we.has(r)).map(([r,l])=>({field:r,before:l,after:o[r]})).filter(r=>!Se(r.before,r.after));Object.assign(o,s.before),t.push({version:s,changed:i})}return t}function Se(e,n){return Array.isArray(e)&&Array.isArray(n)&&JSON.stringify([...e].sort())===JSON.stringify([...n].sort())}function Te(e){return e==null||e===""||Array.isArray(e)&&!e.length?E.nothing:Array.isArray(e)?e.join(", "):typeof e=="object"?JSON.stringify(e):String(e)}function $e({field:e,value:n}){if(n&&(e==="superseded_by"||e==="supersedes"||e==="merged_into"))return a`<a href=${v.memory(String(n))}>${String(n).slice(0,8)}</a>`;if(n&&/_(at|from|to)$/.test(e)){let o=typeof n=="number"?new Date(n*1e3).toISOString():String(n);return a`<${b} at=${o} minutes />`}return a`<bdi dir="auto">${Te(n)}</bdi>`}function Ee({change:e}){let{field:n,before:o,after:t}=e;if(n==="content")return a`<p class="diff text" dir="auto">${de(String(o),String(t)).map(([s,i],r)=>s==="same"?i:s==="gone"?a`<del key=${r}>${i}</del>`:a`<ins key=${r}>${i}</ins>`)}</p>`;if(Array.isArray(o)&&Array.isArray(t)){let s=o.filter(r=>!t.includes(r)),i=t.filter(r=>!o.includes(r));return a`<p class="change"><span class="quiet">${E.fields[n]??n}</span>
      ${s.map(r=>a`<del key=${r} dir="auto">${r}</del>`)}${i.map(r=>a`<ins key=${r} dir="auto">${r}</ins>`)}</p>`}return a`<p class="change"><span class="quiet">${E.fields[n]??n}</span>
    <del><${$e} field=${n} value=${o} /></del><span aria-hidden="true">→</span><span class="hidden">${E.to}</span>
    <ins><${$e} field=${n} value=${t} /></ins></p>`}function ue({memory:e,versions:n,done:o}){if(!n.length)return a`<p class="quiet">${E.noVersions}</p>`;let t=async s=>{let i=`/memories/${encodeURIComponent(e.id)}`;await f.trying(()=>g("POST",`${i}/restore`,{body:{version:s.number}}))&&(f.done(E.broughtBack,async()=>{let c=(await g("GET",`${i}/history`)).results.at(-1);c&&await g("POST",`${i}/restore`,{body:{version:c.number}}),o()}),o())};return a`<ol class="versions">
    ${xe(n,e).map(({version:s,changed:i})=>a`<li key=${s.number}>
      <div class="version-head">
        <span><strong>${E.operations[s.operation]??s.operation.replaceAll("_"," ")}</strong>
          <span class="quiet"> ${s.actor.startsWith("consolidate")?E.consolidation:E.by(s.actor)} · <${b} at=${s.changed_at} minutes /></span></span>
        ${M.value&&a`<button type="button" class="plain small" title=${E.bringBackAbout(s.number)} onClick=${()=>t(s)}>${E.bringBack}</button>`}
      </div>
      ${i.map(r=>a`<${Ee} key=${r.field} change=${r} />`)}
    </li>`)}
  </ol>`}var d=k.memory,pe=4e3,_e=20;async function Ae(e,n){let o=`/memories/${encodeURIComponent(e)}`,[t,s,i,r,l]=await Promise.all([j(e,{signal:n}),g("GET",`${o}/history`,{signal:n}),g("GET",`${o}/chain`,{signal:n}),g("GET",`${o}/related`,{query:{depth:1},signal:n}),g("GET",`${o}/derived`,{signal:n})]),p=(await Promise.allSettled(t.evidence.slice(0,_e).map(u=>j(u,{signal:n})))).flatMap(u=>u.status==="fulfilled"?[u.value]:[]);return{memory:t,versions:s.results,chain:i.results,related:r,derived:l,evidence:p}}function Qe(){let e=R.value.rest,n=R.value.query.get("q")??"",o=G(s=>Ae(e,s),[e]),t=a`<a class="back" href=${v.search({q:n})}><${Y} name="back" />${d.back}</a>`;return o.problem?a`${t}<${J} text=${d.gone} hint=${`${o.problem} ${d.goneHint}`} />`:o.value?a`${t}<${Oe} key=${e} whole=${o.value} query=${n} reload=${o.reload} />`:a`${t}<${U} of=${o} />`}function Oe({whole:e,query:n,reload:o}){let{memory:t}=e,[s,i]=S(""),[r,l]=S(!1),c=`/memories/${encodeURIComponent(t.id)}`,p=t.status==="forgotten",u=t.status==="active"||t.status==="pending_embed",w=async()=>{await g("POST",`${c}/restore`,{body:{}}),o()},x=async()=>{await f.trying(()=>g("DELETE",c))&&(f.done(d.forgotten,w),o())},_=async()=>{await f.trying(async()=>(await w(),!0))&&f.done(d.restored)};Z({e:()=>M.value&&!s?i("edit"):!1});let T=O=>{l(!1),O&&W(v.search({q:n}))};return a`<div class="memory">
    <div class="memory-main">
      <article class="memory-text" aria-label=${k.pages.memory}>
        <h1 class="hidden">${C(t.content,[],80)}</h1>
        ${!u&&a`<${Ce} whole=${e} />`}
        ${s==="edit"?a`<${se} memory=${t} close=${()=>i("")} done=${o} />`:a`<${Me} text=${t.content} query=${n} />`}
        <${z} memory=${t} tags=${!1} />
        ${t.context&&a`<p class="quiet" dir="auto">${t.context}</p>`}
      </article>
      ${s==="replace"&&a`<${oe} memory=${t} close=${()=>i("")} done=${O=>R.value.rest===O?o():W(v.memory(O))} />`}
      <div class="acts" role="group" aria-label=${d.actions}>
        ${M.value&&a`<button type="button" title=${`${d.editAbout} (e)`} aria-pressed=${s==="edit"} onClick=${()=>i(s==="edit"?"":"edit")}>${d.edit}</button>
          ${u&&a`<button type="button" title=${d.supersedeAbout} aria-pressed=${s==="replace"} onClick=${()=>i(s==="replace"?"":"replace")}>${d.supersede}</button>`}
          ${u&&a`<button type="button" title=${d.forgetAbout} onClick=${x}>${d.forget}</button>`}
          ${!u&&a`<button type="button" title=${d.restoreAbout} onClick=${_}>${d.restore}</button>`}`}
        <a class="button" href=${v.graph(t.id)}>${d.graph}</a>
        ${ee.value&&a`<button type="button" class="danger end" title=${d.eraseAbout} onClick=${()=>l(!0)}>${d.erase}</button>`}
        ${!M.value&&a`<span class="quiet">${k.frame.needs.write}</span>`}
      </div>
      ${e.chain.length>1&&a`<section><h2>${d.chain}</h2><${Re} steps=${e.chain} now=${t.id} /></section>`}
      ${e.versions.length>0&&a`<section><h2>${d.versions}</h2><${ue} memory=${t} versions=${e.versions} done=${o} /></section>`}
      <${Ve} whole=${e} />
      <section><h2>${d.edges}</h2><${ie} memory=${t} related=${e.related} done=${o} /></section>
    </div>
    <aside class="memory-side"><${re} memory=${t} /><${ce} memory=${t} /></aside>
    ${r&&a`<${X} ids=${[t.id]} close=${T} />`}
  </div>`}function Me({text:e,query:n}){let[o,t]=S(!1),s=D(()=>H(n),[n]),i=e.length>pe&&!o,r=i?C(e,s,pe):e;return a`<p class="text body" dir="auto">${K(r,s)}</p>
    ${i&&a`<button type="button" class="plain small" onClick=${()=>t(!0)}>${d.long(e.length)}</button>`}`}function Ce({whole:e}){let{memory:n,chain:o}=e,t=o.find(r=>r.memory.id===n.id),s=t?.by??n.superseded_by??n.merged_into,i=o.find(r=>r.memory.id===s)?.memory;return a`<div class="why-not">
    <p><${V} memory=${n} /> ${t?.reason&&a`<span>${d.because(t.reason)}</span>`} ${n.valid_to&&a`<${b} at=${n.valid_to} />`}</p>
    ${s&&a`<a href=${v.memory(s)}><bdi dir="auto">${i?C(i.content,[],160):s.slice(0,8)}</bdi></a>`}
  </div>`}function Re({steps:e,now:n}){return a`<ol class="chain">
    ${e.map(({memory:o,verdict:t,reason:s})=>a`<li key=${o.id} class=${o.id===n?"here":""}>
      <a data-item href=${v.memory(o.id)} aria-current=${o.id===n?"true":void 0}><span class="text clamp" dir="auto">${C(o.content,[],240)}</span></a>
      <p class="meta"><${b} at=${o.valid_from??o.recorded_at} />
        <span class=${`badge ${t?"warn":"good"}`}>${t?d.verdicts[t]??t:d.holds}</span>
        ${s&&a`<span dir="auto">${d.because(s)}</span>`}</p>
    </li>`)}
  </ol>`}function Ve({whole:e}){let{made:n,resting:o,quoting:t,files:s}=e.derived,i=[[d.evidence,e.evidence],[d.derived,n],[d.resting,o],[d.quoting,t]];return a`${i.filter(([,r])=>r.length).map(([r,l])=>a`<section key=${r}><h2>${r}</h2>
      <div class="plain-list">${l.map(c=>a`<${Q} key=${c.id} memory=${c} />`)}</div></section>`)}
    ${s.length>0&&a`<section><h2>${d.files}</h2><ul>${s.map(r=>a`<li key=${r} dir="auto">${r}</li>`)}</ul></section>`}`}export{Qe as Page};
