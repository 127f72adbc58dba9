import{a as ee}from"./chunk-NIU65KIX.js";import{A as M,B as K,C,E as W,G as v,J as U,K as b,L as R,M as J,N as z,P as f,Q,R as X,S as Y,X as O,Y as Z,b as a,c as S,d as P,e as L,f as B,m as N,n as g,o as j,p as F,x as w,y as G,z as H}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var h=w.memory,pe=["preference","decision","fact","insight","context","general"];function me(e){return e.split(",").map(t=>t.trim()).filter(Boolean)}function te(e){let{content:t,category:o,importance:n,tags:s,author:i}=e;return{content:t,category:o,importance:String(n),tags:s.join(", "),author:i??""}}function fe(e,t){let o=te(t),n={};for(let s of Object.keys(e))e[s]!==o[s]&&(s==="tags"?n[s]=me(e.tags):s==="importance"?n[s]=Number(e.importance):s==="author"?n[s]=e.author.trim()||null:n[s]=e[s]);return n}function ne({memory:e,close:t,done:o}){let[n,s]=S(te(e)),[i,r]=S(!1),l=L(null);P(()=>l.current?.focus(),[]);let c=p=>T=>s({...n,[p]:T.target.value});async function u(p){p.preventDefault();let T=fe(n,e);if(!Object.keys(T).length)return f.done(h.unchanged),t();r(!0);try{let x=await F(e.id,T,e.version);f.done(h.edited,async()=>{await g("POST",`/memories/${encodeURIComponent(e.id)}/restore`,{body:{version:x.version}}),o()}),t(),o()}catch(x){let _=x instanceof N&&x.status===412;f.bad(_?h.stale:x.message),_&&o()}r(!1)}return a`<form
    class="card change-form"
    onSubmit=${u}
    onKeyDown=${p=>p.key==="Escape"&&t()}
  >
    <label class="field"
      ><span>${h.fields.content}</span
      ><textarea ref=${l} dir="auto" value=${n.content} onInput=${c("content")}></textarea>
    </label>
    <div class="fields">
      <label class="field"
        ><span>${h.fields.category}</span
        ><select value=${n.category} onChange=${c("category")}>
          ${pe.map(p=>a`<option key=${p}>${p}</option>`)}
        </select></label
      >
      <label class="field"
        ><span>${h.fields.importance}</span
        ><select value=${n.importance} onChange=${c("importance")}>
          ${[1,2,3,4,5].map(p=>a`<option key=${p}>${p}</option>`)}
        </select></label
      >
      <label class="field"
        ><span>${h.fields.author}</span><input dir="auto" value=${n.author} onInput=${c("author")}
      /></label>
      <label class="field wide"
        ><span>${h.fields.tags}, ${h.comma}</span
        ><input dir="auto" value=${n.tags} onInput=${c("tags")}
      /></label>
    </div>
    <div class="form-acts">
      <span class="quiet">${h.editAbout}</span><button type="button" onClick=${t}>${h.cancel}</button
      ><button class="primary" disabled=${i}>${h.save}</button>
    </div>
  </form>`}function se({memory:e,close:t,done:o}){let[n,s]=S(e.content),[i,r]=S(!1),l=L(null);P(()=>l.current?.select(),[]);async function c(u){u.preventDefault(),r(!0);let{category:p,entities:T,author:x,slot:_,tags:k}=e,V={content:n,supersedes:[e.id],category:p,entities:T,author:x,slot:_,tags:k},m=await f.trying(()=>g("POST","/memories",{body:V}));if(r(!1),!!m){if(m.action==="refused"||m.action==="skipped")return f.bad(h.notStored(m.reason||m.action));f.done(h.replaced,async()=>{await g("POST","/settle",{body:{new:m.id,old:e.id,verdict:"open"}}),await g("POST","/memories/forget",{body:{ids:[m.id]}}),o(e.id)}),t(),o(m.id)}}return a`<form
    class="card change-form"
    onSubmit=${c}
    onKeyDown=${u=>u.key==="Escape"&&t()}
  >
    <label class="field"
      ><span>${h.newText}</span
      ><textarea
        ref=${l}
        dir="auto"
        value=${n}
        onInput=${u=>s(u.target.value)}
      ></textarea>
    </label>
    <div class="form-acts">
      <span class="quiet">${h.newTextHint} ${h.undoable}</span
      ><button type="button" onClick=${t}>${h.cancel}</button>
      <button class="primary" disabled=${i||!n.trim()||n===e.content}>${h.replace}</button>
    </div>
  </form>`}var A=w.memory,I=["supersedes","may_revise","restates","contrasts","causal","entity","semantic","temporal"],oe=5,ye=["supersedes","corrects","same","both","open"],D=e=>e.said_at??e.occurred_from??e.recorded_at;function ge({here:e,there:t,done:o}){let[n,s]=S(!1),[i,r]=D(e)>=D(t)?[e,t]:[t,e],l=async c=>{let u={new:i.id,old:r.id,verdict:c};await f.trying(()=>g("POST","/settle",{body:u}))&&(f.done(A.settled,async()=>{await g("POST","/settle",{body:{...u,verdict:"open"}}),f.done(A.reopened),o()}),o())};return n?a`<div class="settle" role="group" aria-label=${A.settleQuestion}>
    ${ye.map(c=>a`<button type="button" key=${c} class="small" onClick=${()=>l(c)}>${A.settleAs[c]}</button>`)}
  </div>`:a`<button type="button" class="small" onClick=${()=>s(!0)}>${A.settle}</button>`}function he({type:e,listed:t,here:o,done:n}){let[s,i]=S(!1);return a`<section class="edge-group">
    <h3>${A.edgeTypes[e]??e} <span class="quiet number">${t.length}</span></h3>
    <ul class="plain-list edges">
      ${(s?t:t.slice(0,oe)).map(({memory:r,weight:l,subtypes:c})=>a`<li key=${r.id}>
            <div class="edge">
              <a data-item href=${v.memory(r.id)} class="edge-link"
                ><span class="text clamp" dir="auto">${M(r.content,[],220)}</span></a
              >
              <span class="edge-weight" title=${A.weight(l)}
                ><${ee} share=${l} /><span class="number">${l.toFixed(2)}</span></span
              >
            </div>
            <p class="meta">
              <${b}
                at=${D(r)}
              />${c.filter(Boolean).map(u=>a`<span key=${u}>${u.replaceAll("_"," ")}</span>`)}<${R}
                memory=${r}
              />
              ${e==="may_revise"&&O.value&&a`<${ge} here=${o} there=${r} done=${n} />`}
            </p>
          </li>`)}
    </ul>
    ${!s&&t.length>oe&&a`<button type="button" class="plain small" onClick=${()=>i(!0)}>${A.all(t.length)}</button>`}
  </section>`}function ae({memory:e,related:t,done:o}){let n=new Map;for(let i of t.results)n.set(i.via,[...n.get(i.via)??[],i]);let s=i=>I.includes(i)?I.indexOf(i):I.length;return n.size?a`${[...n].sort(([i],[r])=>s(i)-s(r)).map(([i,r])=>a`<${he} key=${i} type=${i} listed=${r} here=${e} done=${o} />`)}`:a`<p class="quiet">${A.noEdges}</p>`}var $=w.memory;function y({name:e,children:t}){return a`<div>
    <dt>${e}</dt>
    <dd>${t}</dd>
  </div>`}function ie({memory:e}){let{occurred_from:t,occurred_to:o,said_at:n,valid_from:s,valid_to:i,recorded_at:r,expires_at:l,last_accessed_at:c,access_count:u}=e;return a`<section>
    <h2>${$.clocks}</h2>
    <dl class="facts">
      ${t&&a`<${y} name=${$.happened}><${b} at=${t} minutes />${o&&o!==t&&a` – <${b} at=${o} minutes />`}<//>`}
      ${n&&a`<${y} name=${$.said}><${b} at=${n} minutes /><//>`}
      <${y} name=${$.valid}
        >${s||i?a`${s&&a`${$.from} <${b} at=${s} />`}
              ${i&&a`${$.until} <${b} at=${i} />`}`:a`<span class="quiet">${$.always}</span>`}<//
      >
      <${y} name=${$.recorded}><${b} at=${r} minutes /><//>
      ${l&&a`<${y} name=${$.expires}><${b} at=${l} minutes /><//>`}
      <${y} name=${$.recalled}
        >${u>0?a`${$.times(u)} <${b} at=${c} minutes />`:$.never}<//
      >
    </dl>
  </section>`}function re({memory:e}){let{kind:t,category:o,author:n,source:s,session:i,trust:r,importance:l,confidence:c,tier:u,slot:p,entities:T,tags:x}=e,_=w.memoryTexts,k=m=>a`<bdi dir="auto">${m}</bdi>`,V=()=>{navigator.clipboard?.writeText(e.id).then(()=>f.done($.copied))};return a`<section>
    <h2>${$.facts}</h2>
    <dl class="facts">
      <${y} name=${$.fields.kind}>${_.kinds[t]??t}<//>
      <${y} name=${$.fields.category}>${o}<//>
      ${n&&a`<${y} name=${$.fields.author}><a href=${v.search({author:n})}>${k(n)}</a><//>`}
      <${y} name=${$.fields.source}>${k(s)}<//>
      ${i&&a`<${y} name=${$.fields.session}>${k(i)}<//>`}
      <${y} name=${$.fields.trust}>${_.trusts[r]??r}<//>
      <${y} name=${$.fields.importance}><span class="number">${l} / 5</span><//>
      <${y} name=${$.fields.confidence}
        ><span class="number">${Math.round(c*100)} %</span><//
      >
      <${y} name=${$.fields.tier}>${u}<//>
      ${p&&a`<${y} name=${$.fields.slot}>${k(p)}<//>`}
      ${T.length>0&&a`<${y} name=${$.fields.entities}><span class="chips">${T.map(m=>a`<a key=${m} class="chip" href=${v.entity(m)}>${k(m)}</a>`)}</span><//>`}
      ${x.length>0&&a`<${y} name=${$.fields.tags}><span class="chips">${x.map(m=>a`<a key=${m} class="chip" href=${v.search({tag:m})}>${k(m)}</a>`)}</span><//>`}
      ${Object.entries(e.metadata).map(([m,q])=>a`<${y} key=${m} name=${m}>${k(typeof q=="string"?q:JSON.stringify(q))}<//>`)}
      <${y} name=${$.id}
        ><button type="button" class="id" onClick=${V} title=${$.copy}><code>${e.id}</code></button><//
      >
    </dl>
  </section>`}var ce=/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;function le(e,t){let o=e.match(ce)??[],n=t.match(ce)??[],s=0;for(;s<o.length&&s<n.length&&o[s]===n[s];)s++;let i=0;for(;i<o.length-s&&i<n.length-s&&o[o.length-1-i]===n[n.length-1-i];)i++;let r=o.slice(0,s).join(""),l=o.slice(o.length-i).join(""),c=be(o.slice(s,o.length-i),n.slice(s,n.length-i));return ve([["same",r],...c,["same",l]])}function be(e,t){if(e.length*t.length>4e5)return[["gone",e.join("")],["new",t.join("")]];let o=t.length+1,n=new Uint32Array((e.length+1)*o);for(let l=e.length-1;l>=0;l--)for(let c=t.length-1;c>=0;c--)n[l*o+c]=e[l]===t[c]?n[(l+1)*o+c+1]+1:Math.max(n[(l+1)*o+c],n[l*o+c+1]);let s=[],[i,r]=[0,0];for(;i<e.length&&r<t.length;)e[i]===t[r]?(s.push(["same",e[i]]),i++,r++):n[(i+1)*o+r]>=n[i*o+r+1]?s.push(["gone",e[i++]]):s.push(["new",t[r++]]);return[...s,["gone",e.slice(i).join("")],["new",t.slice(r).join("")]]}function ve(e){let t=[];for(let[o,n]of e){let s=t.at(-1);n&&(s?.[0]===o?s[1]+=n:t.push([o,n]))}return t}var E=w.memory,ke=new Set(["content_hash","valid_from_source","said_at"]);function we(e,t){let o={...t},n=[];for(let s of[...e].reverse()){let i=Object.entries(s.before).filter(([r])=>!ke.has(r)).map(([r,l])=>({field:r,before:l,after:o[r]})).filter(r=>!xe(r.before,r.after));Object.assign(o,s.before),n.push({version:s,changed:i})}return n}function xe(e,t){return Array.isArray(e)&&Array.isArray(t)&&JSON.stringify([...e].sort())===JSON.stringify([...t].sort())}function Se(e){return e==null||e===""||Array.isArray(e)&&!e.length?E.nothing:Array.isArray(e)?e.join(", "):typeof e=="object"?JSON.stringify(e):String(e)}function de({field:e,value:t}){if(t&&(e==="superseded_by"||e==="supersedes"||e==="merged_into"))return a`<a href=${v.memory(String(t))}>${String(t).slice(0,8)}</a>`;if(t&&/_(at|from|to)$/.test(e)){let o=typeof t=="number"?new Date(t*1e3).toISOString():String(t);return a`<${b} at=${o} minutes />`}return a`<bdi dir="auto">${Se(t)}</bdi>`}function Te({change:e}){let{field:t,before:o,after:n}=e;if(t==="content")return a`<p class="diff text" dir="auto">
      ${le(String(o),String(n)).map(([s,i],r)=>s==="same"?i:s==="gone"?a`<del key=${r}>${i}</del>`:a`<ins key=${r}>${i}</ins>`)}
    </p>`;if(Array.isArray(o)&&Array.isArray(n)){let s=o.filter(r=>!n.includes(r)),i=n.filter(r=>!o.includes(r));return a`<p class="change">
      <span class="quiet">${E.fields[t]??t}</span>
      ${s.map(r=>a`<del key=${r} dir="auto">${r}</del>`)}${i.map(r=>a`<ins key=${r} dir="auto">${r}</ins>`)}
    </p>`}return a`<p class="change">
    <span class="quiet">${E.fields[t]??t}</span>
    <del><${de} field=${t} value=${o} /></del><span aria-hidden="true">→</span
    ><span class="hidden">${E.to}</span> <ins><${de} field=${t} value=${n} /></ins>
  </p>`}function $e({memory:e,versions:t,done:o}){if(!t.length)return a`<p class="quiet">${E.noVersions}</p>`;let n=async s=>{let i=`/memories/${encodeURIComponent(e.id)}`;await f.trying(()=>g("POST",`${i}/restore`,{body:{version:s.number}}))&&(f.done(E.broughtBack,async()=>{let c=(await g("GET",`${i}/history`)).results.at(-1);c&&await g("POST",`${i}/restore`,{body:{version:c.number}}),o()}),o())};return a`<ol class="versions">
    ${we(t,e).map(({version:s,changed:i})=>a`<li key=${s.number}>
          <div class="version-head">
            <span
              ><strong>${E.operations[s.operation]??s.operation.replaceAll("_"," ")}</strong>
              <span class="quiet">
                ${s.actor.startsWith("consolidate")?E.consolidation:E.by(s.actor)} ·
                <${b} at=${s.changed_at} minutes /></span
            ></span>
            ${O.value&&a`<button type="button" class="plain small" title=${E.bringBackAbout(s.number)} onClick=${()=>n(s)}>${E.bringBack}</button>`}
          </div>
          ${i.map(r=>a`<${Te} key=${r.field} change=${r} />`)}
        </li>`)}
  </ol>`}var d=w.memory,ue=4e3,Ee=20;async function _e(e,t){let o=`/memories/${encodeURIComponent(e)}`,[n,s,i,r,l]=await Promise.all([j(e,{signal:t}),g("GET",`${o}/history`,{signal:t}),g("GET",`${o}/chain`,{signal:t}),g("GET",`${o}/related`,{query:{depth:1},signal:t}),g("GET",`${o}/derived`,{signal:t})]),u=(await Promise.allSettled(n.evidence.slice(0,Ee).map(p=>j(p,{signal:t})))).flatMap(p=>p.status==="fulfilled"?[p.value]:[]);return{memory:n,versions:s.results,chain:i.results,related:r,derived:l,evidence:u}}function ze(){let e=C.value.rest,t=C.value.query.get("q")??"",o=G(s=>_e(e,s),[e]),n=a`<a class="back" href=${v.search({q:t})}><${X} name="back" />${d.back}</a>`;return o.problem?a`${n}<${U} text=${d.gone} hint=${`${o.problem} ${d.goneHint}`} />`:o.value?.memory.id.startsWith(e)?a`${n}<${Ae} key=${e} whole=${o.value} query=${t} reload=${o.reload} />`:a`${n}
      <div class="wait" role="status"></div>`}function Ae({whole:e,query:t,reload:o}){let{memory:n}=e,[s,i]=S(""),[r,l]=S(!1),c=`/memories/${encodeURIComponent(n.id)}`,u=n.status==="active"||n.status==="pending_embed",p=async()=>{await g("POST",`${c}/restore`,{body:{}}),o()},T=async()=>{await f.trying(()=>g("DELETE",c))&&(f.done(d.forgotten,p),o())},x=async()=>{await f.trying(async()=>(await p(),!0))&&f.done(d.restored)};Y({e:()=>O.value&&!s?i("edit"):!1});let _=k=>{l(!1),k&&W(v.search({q:t}))};return a`<div class="memory">
    <div class="memory-main">
      <article class="memory-text" aria-label=${w.pages.memory}>
        <h1 class="hidden">${M(n.content,[],80)}</h1>
        ${!u&&a`<${Me} whole=${e} />`}
        ${s==="edit"?a`<${ne} memory=${n} close=${()=>i("")} done=${o} />`:a`<${Oe} text=${n.content} query=${t} />`}
        <${J} memory=${n} tags=${!1} />
        ${n.context&&a`<p class="quiet" dir="auto">${n.context}</p>`}
      </article>
      ${s==="replace"&&a`<${se} memory=${n} close=${()=>i("")} done=${k=>C.value.rest===k?o():W(v.memory(k))} />`}
      <div class="acts" role="group" aria-label=${d.actions}>
        ${O.value&&a`<button
              type="button"
              title=${`${d.editAbout} (e)`}
              aria-pressed=${s==="edit"}
              onClick=${()=>i(s==="edit"?"":"edit")}
            >
              ${d.edit}
            </button>
            ${u&&a`<button type="button" title=${d.supersedeAbout} aria-pressed=${s==="replace"} onClick=${()=>i(s==="replace"?"":"replace")}>${d.supersede}</button>`}
            ${u&&a`<button type="button" title=${d.forgetAbout} onClick=${T}>${d.forget}</button>`}
            ${!u&&a`<button type="button" title=${d.restoreAbout} onClick=${x}>${d.restore}</button>`}`}
        <a class="button" href=${v.graph(n.id)}>${d.graph}</a>
        ${Z.value&&a`<button type="button" class="danger end" title=${d.eraseAbout} onClick=${()=>l(!0)}>${d.erase}</button>`}
        ${!O.value&&a`<span class="quiet">${w.frame.needs.write}</span>`}
      </div>
      ${e.chain.length>1&&a`<section>
          <h2>${d.chain}</h2>
          <${Ce} steps=${e.chain} now=${n.id} />
        </section>`}
      ${e.versions.length>0&&a`<section>
          <h2>${d.versions}</h2>
          <${$e} memory=${n} versions=${e.versions} done=${o} />
        </section>`}
      <${Re} whole=${e} />
      <section>
        <h2>${d.edges}</h2>
        <${ae} memory=${n} related=${e.related} done=${o} />
      </section>
    </div>
    <aside class="memory-side"><${ie} memory=${n} /><${re} memory=${n} /></aside>
    ${r&&a`<${Q} ids=${[n.id]} close=${_} />`}
  </div>`}function Oe({text:e,query:t}){let[o,n]=S(!1),s=B(()=>H(t),[t]),i=e.length>ue&&!o,r=i?M(e,s,ue):e;return a`<p class="text body" dir="auto">${K(r,s)}</p>
    ${i&&a`<button type="button" class="plain small" onClick=${()=>n(!0)}>${d.long(e.length)}</button>`}`}function Me({whole:e}){let{memory:t,chain:o}=e,n=o.find(r=>r.memory.id===t.id),s=n?.by??t.superseded_by??t.merged_into,i=o.find(r=>r.memory.id===s)?.memory;return a`<div class="why-not">
    <p>
      <${R} memory=${t} /> ${n?.reason&&a`<span>${d.because(n.reason)}</span>`}
      ${t.valid_to&&a`<${b} at=${t.valid_to} />`}
    </p>
    ${s&&a`<a href=${v.memory(s)}><bdi dir="auto">${i?M(i.content,[],160):s.slice(0,8)}</bdi></a>`}
  </div>`}function Ce({steps:e,now:t}){return a`<ol class="chain">
    ${e.map(({memory:o,verdict:n,reason:s})=>a`<li key=${o.id} class=${o.id===t?"here":""}>
          <a data-item href=${v.memory(o.id)} aria-current=${o.id===t?"true":void 0}
            ><span class="text clamp" dir="auto">${M(o.content,[],240)}</span></a
          >
          <p class="meta">
            <${b} at=${o.valid_from??o.recorded_at} />
            <span class=${`badge ${n?"warn":"good"}`}
              >${n?d.verdicts[n]??n:d.holds}</span
            >
            ${s&&a`<span dir="auto">${d.because(s)}</span>`}
          </p>
        </li>`)}
  </ol>`}function Re({whole:e}){let{made:t,resting:o,quoting:n,files:s}=e.derived,i=[[d.evidence,e.evidence],[d.derived,t],[d.resting,o],[d.quoting,n]];return a`${i.filter(([,r])=>r.length).map(([r,l])=>a`<section key=${r}>
          <h2>${r}</h2>
          <div class="plain-list">
            ${l.map(c=>a`<${z} key=${c.id} memory=${c} />`)}
          </div>
        </section>`)}
  ${s.length>0&&a`<section>
      <h2>${d.files}</h2>
      <ul>
        ${s.map(r=>a`<li key=${r} dir="auto">${r}</li>`)}
      </ul>
    </section>`}`}export{ze as Page};
