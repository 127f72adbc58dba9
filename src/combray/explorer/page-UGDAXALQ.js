import{a as te}from"./chunk-NHD66EQN.js";import{A as W,C as v,E as H,F as K,G as b,H as R,I as U,J,L as f,M as z,N as Q,O as X,Q as Y,R as C,S as Z,W as M,X as ee,b as a,c as S,d as V,e as P,f as B,m as N,n as y,o as L,p as F,w as k,x as G,y as j}from"./chunk-P57JSFJ5.js";import"./chunk-OOJM4CTU.js";var g=k.memory,me=["preference","decision","fact","insight","context","general"];function fe(e){return e.split(",").map(n=>n.trim()).filter(Boolean)}function ne(e){let{content:n,category:o,importance:t,tags:s,author:i}=e;return{content:n,category:o,importance:String(t),tags:s.join(", "),author:i??""}}function ye(e,n){let o=ne(n),t={};for(let s of Object.keys(e))e[s]!==o[s]&&(s==="tags"?t[s]=fe(e.tags):s==="importance"?t[s]=Number(e.importance):s==="author"?t[s]=e.author.trim()||null:t[s]=e[s]);return t}function se({memory:e,close:n,done:o}){let[t,s]=S(ne(e)),[i,r]=S(!1),l=P(null);V(()=>l.current?.focus(),[]);let c=$=>w=>s({...t,[$]:w.target.value});async function p($){$.preventDefault();let w=ye(t,e);if(!Object.keys(w).length)return f.done(g.unchanged),n();r(!0);try{let x=await F(e.id,w,e.version);f.done(g.edited,async()=>{await y("POST",`/memories/${encodeURIComponent(e.id)}/restore`,{body:{version:x.version}}),o()}),n(),o()}catch(x){let _=x instanceof N&&x.status===412;f.bad(_?g.stale:x.message),_&&o()}r(!1)}return a`<form class="card change-form" onSubmit=${p} onKeyDown=${$=>$.key==="Escape"&&n()}>
    <label class="field"><span>${g.fields.content}</span><textarea ref=${l} dir="auto" value=${t.content} onInput=${c("content")}></textarea></label>
    <div class="fields">
      <label class="field"><span>${g.fields.category}</span><select value=${t.category} onChange=${c("category")}>${me.map($=>a`<option key=${$}>${$}</option>`)}</select></label>
      <label class="field"><span>${g.fields.importance}</span><select value=${t.importance} onChange=${c("importance")}>${[1,2,3,4,5].map($=>a`<option key=${$}>${$}</option>`)}</select></label>
      <label class="field"><span>${g.fields.author}</span><input dir="auto" value=${t.author} onInput=${c("author")} /></label>
      <label class="field wide"><span>${g.fields.tags}, ${g.comma}</span><input dir="auto" value=${t.tags} onInput=${c("tags")} /></label>
    </div>
    <div class="form-acts"><span class="quiet">${g.editAbout}</span><button type="button" onClick=${n}>${g.cancel}</button><button class="primary" disabled=${i}>${g.save}</button></div>
  </form>`}function oe({memory:e,close:n,done:o}){let[t,s]=S(e.content),[i,r]=S(!1),l=P(null);V(()=>l.current?.select(),[]);async function c(p){p.preventDefault(),r(!0);let{category:$,entities:w,author:x,slot:_,tags:T}=e,O={content:t,supersedes:[e.id],category:$,entities:w,author:x,slot:_,tags:T},m=await f.trying(()=>y("POST","/memories",{body:O}));if(r(!1),!!m){if(m.action==="refused"||m.action==="skipped")return f.bad(g.notStored(m.reason||m.action));f.done(g.replaced,async()=>{await y("POST","/settle",{body:{new:m.id,old:e.id,verdict:"open"}}),await y("POST","/memories/forget",{body:{ids:[m.id]}}),o(e.id)}),n(),o(m.id)}}return a`<form class="card change-form" onSubmit=${c} onKeyDown=${p=>p.key==="Escape"&&n()}>
    <label class="field"><span>${g.newText}</span><textarea ref=${l} dir="auto" value=${t} onInput=${p=>s(p.target.value)}></textarea></label>
    <div class="form-acts"><span class="quiet">${g.newTextHint} ${g.undoable}</span><button type="button" onClick=${n}>${g.cancel}</button>
      <button class="primary" disabled=${i||!t.trim()||t===e.content}>${g.replace}</button></div>
  </form>`}var A=k.memory,I=["supersedes","may_revise","restates","contrasts","causal","entity","semantic","temporal"],ae=5,ge=["supersedes","corrects","same","both","open"],D=e=>e.said_at??e.occurred_from??e.recorded_at;function he({here:e,there:n,done:o}){let[t,s]=S(!1),[i,r]=D(e)>=D(n)?[e,n]:[n,e],l=async c=>{let p={new:i.id,old:r.id,verdict:c};await f.trying(()=>y("POST","/settle",{body:p}))&&(f.done(A.settled,async()=>{await y("POST","/settle",{body:{...p,verdict:"open"}}),f.done(A.reopened),o()}),o())};return t?a`<div class="settle" role="group" aria-label=${A.settleQuestion}>
    ${ge.map(c=>a`<button type="button" key=${c} class="small" onClick=${()=>l(c)}>${A.settleAs[c]}</button>`)}
  </div>`:a`<button type="button" class="small" onClick=${()=>s(!0)}>${A.settle}</button>`}function be({type:e,listed:n,here:o,done:t}){let[s,i]=S(!1);return a`<section class="edge-group">
    <h3>${A.edgeTypes[e]??e} <span class="quiet number">${n.length}</span></h3>
    <ul class="plain-list edges">
      ${(s?n:n.slice(0,ae)).map(({memory:r,weight:l,subtypes:c})=>a`<li key=${r.id}>
        <div class="edge">
          <a data-item href=${v.memory(r.id)} class="edge-link"><span class="text clamp" dir="auto">${C(r.content,[],220)}</span></a>
          <span class="edge-weight" title=${A.weight(l)}><${te} share=${l} /><span class="number">${l.toFixed(2)}</span></span>
        </div>
        <p class="meta"><${b} at=${D(r)} />${c.map(p=>a`<span key=${p}>${p.replaceAll("_"," ")}</span>`)}<${R} memory=${r} />
          ${e==="may_revise"&&M.value&&a`<${he} here=${o} there=${r} done=${t} />`}</p>
      </li>`)}
    </ul>
    ${!s&&n.length>ae&&a`<button type="button" class="plain small" onClick=${()=>i(!0)}>${A.all(n.length)}</button>`}
  </section>`}function ie({memory:e,related:n,done:o}){let t=new Map;for(let i of n.results)t.set(i.via,[...t.get(i.via)??[],i]);let s=i=>I.includes(i)?I.indexOf(i):I.length;return t.size?a`${[...t].sort(([i],[r])=>s(i)-s(r)).map(([i,r])=>a`<${be} key=${i} type=${i} listed=${r} here=${e} done=${o} />`)}`:a`<p class="quiet">${A.noEdges}</p>`}var u=k.memory;function h({name:e,children:n}){return a`<div><dt>${e}</dt><dd>${n}</dd></div>`}function re({memory:e}){let{occurred_from:n,occurred_to:o,said_at:t,valid_from:s,valid_to:i,recorded_at:r,expires_at:l,last_accessed_at:c,access_count:p}=e;return a`<section><h2>${u.times}</h2><dl class="facts">
    ${n&&a`<${h} name=${u.happened}><${b} at=${n} minutes />${o&&o!==n&&a` – <${b} at=${o} minutes />`}<//>`}
    ${t&&a`<${h} name=${u.said}><${b} at=${t} minutes /><//>`}
    <${h} name=${u.valid}>${s||i?a`${s&&a`${u.from} <${b} at=${s} />`} ${i&&a`${u.until} <${b} at=${i} />`}`:a`<span class="quiet">${u.always}</span>`}<//>
    <${h} name=${u.recorded}><${b} at=${r} minutes /><//>
    ${l&&a`<${h} name=${u.expires}><${b} at=${l} minutes /><//>`}
  </dl><p class="quiet">${u.recalled(p)} ${p>0&&a`<${b} at=${c} minutes />`}</p></section>`}function ce({memory:e}){let{kind:n,category:o,author:t,source:s,session:i,trust:r,importance:l,confidence:c,tier:p,slot:$,entities:w,tags:x}=e,_=k.memoryTexts,T=m=>a`<bdi dir="auto">${m}</bdi>`,O=()=>{navigator.clipboard?.writeText(e.id).then(()=>f.done(u.copied))};return a`<section><h2>${u.facts}</h2><dl class="facts">
    <${h} name=${u.fields.kind}>${_.kinds[n]??n}<//>
    <${h} name=${u.fields.category}>${o}<//>
    ${t&&a`<${h} name=${u.fields.author}><a href=${v.search({author:t})}>${T(t)}</a><//>`}
    <${h} name=${u.fields.source}>${T(s)}<//>
    ${i&&a`<${h} name=${u.fields.session}>${T(i)}<//>`}
    <${h} name=${u.fields.trust}>${_.trusts[r]??r}<//>
    <${h} name=${u.fields.importance}><span class="number">${l} / 5</span><//>
    <${h} name=${u.fields.confidence}><span class="number">${Math.round(c*100)} %</span><//>
    <${h} name=${u.fields.tier}>${p}<//>
    ${$&&a`<${h} name=${u.fields.slot}>${T($)}<//>`}
    ${w.length>0&&a`<${h} name=${u.fields.entities}><span class="chips">${w.map(m=>a`<a key=${m} class="chip" href=${v.entity(m)}>${T(m)}</a>`)}</span><//>`}
    ${x.length>0&&a`<${h} name=${u.fields.tags}><span class="chips">${x.map(m=>a`<a key=${m} class="chip" href=${v.search({tag:m})}>${T(m)}</a>`)}</span><//>`}
    ${Object.entries(e.metadata).map(([m,q])=>a`<${h} key=${m} name=${m}>${T(typeof q=="string"?q:JSON.stringify(q))}<//>`)}
    <${h} name=${u.id}><button type="button" class="id" onClick=${O} title=${u.copy}><code>${e.id}</code></button><//>
  </dl></section>`}var le=/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;function de(e,n){let o=e.match(le)??[],t=n.match(le)??[],s=0;for(;s<o.length&&s<t.length&&o[s]===t[s];)s++;let i=0;for(;i<o.length-s&&i<t.length-s&&o[o.length-1-i]===t[t.length-1-i];)i++;let r=o.slice(0,s).join(""),l=o.slice(o.length-i).join(""),c=ve(o.slice(s,o.length-i),t.slice(s,t.length-i));return ke([["same",r],...c,["same",l]])}function ve(e,n){if(e.length*n.length>4e5)return[["gone",e.join("")],["new",n.join("")]];let o=n.length+1,t=new Uint32Array((e.length+1)*o);for(let l=e.length-1;l>=0;l--)for(let c=n.length-1;c>=0;c--)t[l*o+c]=e[l]===n[c]?t[(l+1)*o+c+1]+1:Math.max(t[(l+1)*o+c],t[l*o+c+1]);let s=[],[i,r]=[0,0];for(;i<e.length&&r<n.length;)e[i]===n[r]?(s.push(["same",e[i]]),i++,r++):t[(i+1)*o+r]>=t[i*o+r+1]?s.push(["gone",e[i++]]):s.push(["new",n[r++]]);return[...s,["gone",e.slice(i).join("")],["new",n.slice(r).join("")]]}function ke(e){let n=[];for(let[o,t]of e){let s=n.at(-1);t&&(s?.[0]===o?s[1]+=t:n.push([o,t]))}return n}var E=k.memory,we=new Set(["content_hash","valid_from_source","said_at"]);function xe(e,n){let o={...n},t=[];for(let s of[...e].reverse()){let i=Object.entries(s.before).filter(([r])=>!we.has(r)).map(([r,l])=>({field:r,before:l,after:o[r]})).filter(r=>!Se(r.before,r.after));Object.assign(o,s.before),t.push({version:s,changed:i})}return t}function Se(e,n){return Array.isArray(e)&&Array.isArray(n)&&JSON.stringify([...e].sort())===JSON.stringify([...n].sort())}function Te(e){return e==null||e===""||Array.isArray(e)&&!e.length?E.nothing:Array.isArray(e)?e.join(", "):typeof e=="object"?JSON.stringify(e):String(e)}function $e({field:e,value:n}){if(n&&(e==="superseded_by"||e==="supersedes"||e==="merged_into"))return a`<a href=${v.memory(String(n))}>${String(n).slice(0,8)}</a>`;if(n&&/_(at|from|to)$/.test(e)){let o=typeof n=="number"?new Date(n*1e3).toISOString():String(n);return a`<${b} at=${o} minutes />`}return a`<bdi dir="auto">${Te(n)}</bdi>`}function Ee({change:e}){let{field:n,before:o,after:t}=e;if(n==="content")return a`<p class="diff text" dir="auto">${de(String(o),String(t)).map(([s,i],r)=>s==="same"?i:s==="gone"?a`<del key=${r}>${i}</del>`:a`<ins key=${r}>${i}</ins>`)}</p>`;if(Array.isArray(o)&&Array.isArray(t)){let s=o.filter(r=>!t.includes(r)),i=t.filter(r=>!o.includes(r));return a`<p class="change"><span class="quiet">${E.fields[n]??n}</span>
      ${s.map(r=>a`<del key=${r} dir="auto">${r}</del>`)}${i.map(r=>a`<ins key=${r} dir="auto">${r}</ins>`)}</p>`}return a`<p class="change"><span class="quiet">${E.fields[n]??n}</span>
    <del><${$e} field=${n} value=${o} /></del><span aria-hidden="true">→</span><span class="hidden">${E.to}</span>
    <ins><${$e} field=${n} value=${t} /></ins></p>`}function ue({memory:e,versions:n,done:o}){if(!n.length)return a`<p class="quiet">${E.noVersions}</p>`;let t=async s=>{let i=`/memories/${encodeURIComponent(e.id)}`;await f.trying(()=>y("POST",`${i}/restore`,{body:{version:s.number}}))&&(f.done(E.broughtBack,async()=>{let c=(await y("GET",`${i}/history`)).results.at(-1);c&&await y("POST",`${i}/restore`,{body:{version:c.number}}),o()}),o())};return a`<ol class="versions">
    ${xe(n,e).map(({version:s,changed:i})=>a`<li key=${s.number}>
      <div class="version-head">
        <span><strong>${E.operations[s.operation]??s.operation.replaceAll("_"," ")}</strong>
          <span class="quiet"> ${s.actor.startsWith("consolidate")?E.consolidation:E.by(s.actor)} · <${b} at=${s.changed_at} minutes /></span></span>
        ${M.value&&a`<button type="button" class="plain small" title=${E.bringBackAbout(s.number)} onClick=${()=>t(s)}>${E.bringBack}</button>`}
      </div>
      ${i.map(r=>a`<${Ee} key=${r.field} change=${r} />`)}
    </li>`)}
  </ol>`}var d=k.memory,pe=4e3,_e=20;async function Ae(e,n){let o=`/memories/${encodeURIComponent(e)}`,[t,s,i,r,l]=await Promise.all([L(e,{signal:n}),y("GET",`${o}/history`,{signal:n}),y("GET",`${o}/chain`,{signal:n}),y("GET",`${o}/related`,{query:{depth:1},signal:n}),y("GET",`${o}/derived`,{signal:n})]),p=(await Promise.allSettled(t.evidence.slice(0,_e).map($=>L($,{signal:n})))).flatMap($=>$.status==="fulfilled"?[$.value]:[]);return{memory:t,versions:s.results,chain:i.results,related:r,derived:l,evidence:p}}function Qe(){let e=j.value.rest,n=j.value.query.get("q")??"",o=G(s=>Ae(e,s),[e]),t=a`<a class="back" href=${v.search({q:n})}><${Q} name="back" />${d.back}</a>`;return o.problem?a`${t}<${K} text=${d.gone} hint=${`${o.problem} ${d.goneHint}`} />`:o.value?a`${t}<${Oe} key=${e} whole=${o.value} query=${n} reload=${o.reload} />`:a`${t}<${H} of=${o} />`}function Oe({whole:e,query:n,reload:o}){let{memory:t}=e,[s,i]=S(""),[r,l]=S(!1),c=`/memories/${encodeURIComponent(t.id)}`,p=t.status==="forgotten",$=t.status==="active"||t.status==="pending_embed",w=async()=>{await y("POST",`${c}/restore`,{body:{}}),o()},x=async()=>{await f.trying(()=>y("DELETE",c))&&(f.done(d.forgotten,w),o())},_=async()=>{await f.trying(async()=>(await w(),!0))&&f.done(d.restored)};X({e:()=>M.value&&!s?i("edit"):!1});let T=O=>{l(!1),O&&W(v.search({q:n}))};return a`<div class="memory">
    <div class="memory-main">
      <article class="memory-text" aria-label=${k.pages.memory}>
        <h1 class="hidden">${C(t.content,[],80)}</h1>
        ${!$&&a`<${Ce} whole=${e} />`}
        ${s==="edit"?a`<${se} memory=${t} close=${()=>i("")} done=${o} />`:a`<${Me} text=${t.content} query=${n} />`}
        <${U} memory=${t} tags=${!1} />
        ${t.context&&a`<p class="quiet" dir="auto">${t.context}</p>`}
      </article>
      ${s==="replace"&&a`<${oe} memory=${t} close=${()=>i("")} done=${O=>O===t.id?o():W(v.memory(O))} />`}
      <div class="acts" role="group" aria-label=${d.actions}>
        ${M.value&&a`<button type="button" title=${`${d.editAbout} (e)`} aria-pressed=${s==="edit"} onClick=${()=>i(s==="edit"?"":"edit")}>${d.edit}</button>
          ${$&&a`<button type="button" title=${d.supersedeAbout} aria-pressed=${s==="replace"} onClick=${()=>i(s==="replace"?"":"replace")}>${d.supersede}</button>`}
          ${$&&a`<button type="button" title=${d.forgetAbout} onClick=${x}>${d.forget}</button>`}
          ${!$&&a`<button type="button" title=${d.restoreAbout} onClick=${_}>${d.restore}</button>`}`}
        <a class="button" href=${v.graph(t.id)}>${d.graph}</a>
        ${ee.value&&a`<button type="button" class="danger end" title=${d.eraseAbout} onClick=${()=>l(!0)}>${d.erase}</button>`}
        ${!M.value&&a`<span class="quiet">${k.frame.needs.write}</span>`}
      </div>
      ${e.chain.length>1&&a`<section><h2>${d.chain}</h2><${Re} steps=${e.chain} now=${t.id} /></section>`}
      ${e.versions.length>0&&a`<section><h2>${d.versions}</h2><${ue} memory=${t} versions=${e.versions} done=${o} /></section>`}
      <${qe} whole=${e} />
      <section><h2>${d.edges}</h2><${ie} memory=${t} related=${e.related} done=${o} /></section>
    </div>
    <aside class="memory-side"><${re} memory=${t} /><${ce} memory=${t} /></aside>
    ${r&&a`<${z} ids=${[t.id]} close=${T} />`}
  </div>`}function Me({text:e,query:n}){let[o,t]=S(!1),s=B(()=>Y(n),[n]),i=e.length>pe&&!o,r=i?C(e,s,pe):e;return a`<p class="text body" dir="auto">${Z(r,s)}</p>
    ${i&&a`<button type="button" class="plain small" onClick=${()=>t(!0)}>${d.long(e.length)}</button>`}`}function Ce({whole:e}){let{memory:n,chain:o}=e,t=o.find(r=>r.memory.id===n.id),s=t?.by??n.superseded_by??n.merged_into,i=o.find(r=>r.memory.id===s)?.memory;return a`<div class="why-not">
    <p><${R} memory=${n} /> ${t?.reason&&a`<span>${d.because(t.reason)}</span>`} ${n.valid_to&&a`<${b} at=${n.valid_to} />`}</p>
    ${s&&a`<a href=${v.memory(s)}><bdi dir="auto">${i?C(i.content,[],160):s.slice(0,8)}</bdi></a>`}
  </div>`}function Re({steps:e,now:n}){return a`<ol class="chain">
    ${e.map(({memory:o,verdict:t,reason:s})=>a`<li key=${o.id} class=${o.id===n?"here":""}>
      <a data-item href=${v.memory(o.id)} aria-current=${o.id===n?"true":void 0}><span class="text clamp" dir="auto">${C(o.content,[],240)}</span></a>
      <p class="meta"><${b} at=${o.valid_from??o.recorded_at} />
        <span class=${`badge ${t?"warn":"good"}`}>${t?d.verdicts[t]??t:d.holds}</span>
        ${s&&a`<span dir="auto">${d.because(s)}</span>`}</p>
    </li>`)}
  </ol>`}function qe({whole:e}){let{made:n,resting:o,quoting:t,files:s}=e.derived,i=[[d.evidence,e.evidence],[d.derived,n],[d.resting,o],[d.quoting,t]];return a`${i.filter(([,r])=>r.length).map(([r,l])=>a`<section key=${r}><h2>${r}</h2>
      <div class="plain-list">${l.map(c=>a`<${J} key=${c.id} memory=${c} />`)}</div></section>`)}
    ${s.length>0&&a`<section><h2>${d.files}</h2><ul>${s.map(r=>a`<li key=${r} dir="auto">${r}</li>`)}</ul></section>`}`}export{Qe as Page};
