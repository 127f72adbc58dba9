import{a as U,b as V,c as X}from"./chunk-NHD66EQN.js";import{B as _,E as j,F as N,H as K,N as L,P as B,Q as G,R as Y,S as J,T as C,b as r,c as b,d as k,e as v,f as H,n as x,w as h,x as O,y as R,z as E}from"./chunk-P57JSFJ5.js";import"./chunk-OOJM4CTU.js";var S=["kind","tag","entity","author","trust"],W=["since","until","as_of"],it={kind:"kind",tag:"tags",entity:"entities",author:"author",trust:"trust"},at=20,lt=30;function z(t){return{q:t.get("q")??"",lists:Object.fromEntries(S.map(e=>[e,t.getAll(e)])),days:Object.fromEntries(W.map(e=>[e,t.get(e)??""])),presets:t.getAll("preset")}}function Q(t){return E("search","",{q:t.q,...t.lists,...t.days,preset:t.presets})}function D(t){return S.some(e=>t.lists[e].length)||W.some(e=>t.days[e])}function q(t,e){if(!t)return;let a=new Date(`${t}T${e?"23:59:59":"00:00:00"}`);return Number.isNaN(a.getTime())?void 0:a.toISOString()}function I(t,e,a){let{kind:n,tag:s,entity:l,author:u,trust:m}=t.lists,i=c=>c.length?c:void 0,o={query:t.q,limit:at,preset:e,kinds:i(n),tags:i(s),authors:i(u),trusts:i(m),since:q(t.days.since,!1),until:q(t.days.until,!0),as_of:q(t.days.as_of,!0),filter:l.length?{entities:{in:l}}:void 0};return x("POST","/look",{body:o,signal:a})}function F(t,e,a){let n={};for(let i of S)t.lists[i].length&&(n[it[i]]={in:t.lists[i]});let s=q(t.days.since,!1),l=q(t.days.until,!0);(s||l)&&(n.moment={...s&&{gte:s},...l&&{lte:l}});let u=q(t.days.as_of,!0);u&&(n.recorded_at={lte:u});let m={limit:lt,after:e,filter:Object.keys(n).length?n:void 0};return x("GET","/memories",{query:m,signal:a})}var A=h.search,ct=10;function Z({wish:t,of:e}){let[a,n]=b(""),{presets:s,...l}=t,u=O(i=>t.q.trim()?Promise.all(s.map(o=>I(t,o,i))):Promise.resolve([]),[JSON.stringify(l),s.join()]),m=u.value?.[0]?.hits.map(i=>i.memory.id)??[];return r`<${j} of=${u} />
    <div class="columns">${(u.value??[]).map((i,o)=>r`<section key=${i.preset} aria-label=${i.preset}>
      <h2>${i.preset}</h2>
      <p class="quiet">${A.found(i.hits.length,i.trace.reduce((c,y)=>c+y.milliseconds,0))}</p>
      <ol>${i.hits.slice(0,ct).map((c,y)=>{let g=c.memory.id,d=m.indexOf(g),p=d<0?A.only:d===y?A.same:A.rank(d-y);return r`<li key=${g}>
          <a data-item class=${`ranked ${a===g?"pointed":""}`} href=${E("memory",g,{q:t.q})} onPointerEnter=${()=>n(g)} onPointerLeave=${()=>n("")} onFocus=${()=>n(g)} onBlur=${()=>n("")}>
            <span class="place number">${y+1}</span>
            <span class="text clamp" dir="auto">${J(Y(c.memory.content,e,160),e)}</span>
            <span class="ranked-foot"><${U} share=${i.hits[0]?.score?c.score/i.hits[0].score:0} strong /><span class="number">${c.score.toFixed(2)}</span>
              ${o>0&&r`<span class="quiet">${p}</span>`}<${K} memory=${c.memory} /></span>
          </a>
        </li>`})}</ol>
      ${!i.hits.length&&r`<p class="quiet">${i.reason}</p>`}
    </section>`)}</div>`}var f=h.search,P={kind:["fact","episode","insight","chunk","summary"],trust:["owner","agent","untrusted"]},ut=8;function tt(t,e){return(t==="kind"?h.memoryTexts.kinds:t==="trust"?h.memoryTexts.trusts:{})[e]??e}function et({wish:t,change:e,seen:a}){let[n,s]=b(""),l=v(null);k(()=>{if(!n)return;let o=c=>!l.current?.querySelector(".menu-place.open")?.contains(c.target)&&s("");return document.addEventListener("pointerdown",o),()=>document.removeEventListener("pointerdown",o)},[n]);let u=(o,c)=>e({...t,lists:{...t.lists,[o]:t.lists[o].filter(y=>y!==c)}}),m={lists:Object.fromEntries(S.map(o=>[o,[]])),days:{since:"",until:"",as_of:""}},i=(o,c)=>r`<div class=${`menu-place ${n===o?"open":""}`} key=${o}
      onKeyDown=${y=>{y.key!=="Escape"||n!==o||(y.stopPropagation(),s(""),y.currentTarget.querySelector("button")?.focus())}}>
    <button type="button" class="chip filter" aria-expanded=${n===o} onClick=${()=>s(n===o?"":o)}>
      ${f.filter[o]}<${L} name="down" />
    </button>
    ${n===o&&r`<div class="menu" role="group" aria-label=${f.filter[o]}>${c}</div>`}
  </div>`;return r`<div class="filters" role="group" aria-label=${f.filters} ref=${l}>
    ${S.map(o=>i(o,r`<${pt} name=${o} wish=${t} change=${e} seen=${a} />`))}
    ${i("time",r`<${mt} wish=${t} change=${e} />`)}
    ${S.flatMap(o=>t.lists[o].map(c=>r`<span class="chip chosen" key=${`${o} ${c}`}>
      <span class="quiet">${f.filter[o]}</span><bdi dir="auto">${tt(o,c)}</bdi>
      <button type="button" class="chip-button" onClick=${()=>u(o,c)} aria-label=${f.remove(f.filter[o]??"",c)}>×</button>
    </span>`))}
    ${W.filter(o=>t.days[o]).map(o=>r`<span class="chip chosen" key=${o}>
      <span class="quiet">${f.filter[o]}</span>${t.days[o]}
      <button type="button" class="chip-button" onClick=${()=>e({...t,days:{...t.days,[o]:""}})} aria-label=${f.remove(f.filter[o]??"",t.days[o])}>×</button>
    </span>`)}
    ${D(t)&&r`<button type="button" class="plain small" onClick=${()=>e({...t,...m})}>${f.clear}</button>`}
  </div>`}async function dt(t,e){if(t==="entity")return(await x("GET","/entities",{query:{limit:500}})).results.sort((l,u)=>u.memories-l.memories).map(l=>l.name);let a=[...e,...(await x("GET","/memories",{query:{limit:500}})).memories],n=new Map;for(let s of a)for(let l of t==="tag"?s.tags:[s.author??""])l&&n.set(l,(n.get(l)??0)+1);return[...n].sort((s,l)=>l[1]-s[1]).map(([s])=>s)}function pt({name:t,wish:e,change:a,seen:n}){let[s,l]=b(P[t]??[]),[u,m]=b(""),i=v(null),o=v(null),c=e.lists[t];k(()=>{if(P[t]){o.current?.querySelector("input")?.focus();return}i.current?.focus();let p=!0;return dt(t,n).then(T=>p&&l(T),()=>{}),()=>{p=!1}},[]);let y=s.filter(p=>p.toLowerCase().includes(u.trim().toLowerCase())),g=[...new Set([...c,...y])].slice(0,Math.max(ut,c.length)),d=p=>a({...e,lists:{...e.lists,[t]:c.includes(p)?c.filter(T=>T!==p):[...c,p]}});return r`<div ref=${o}>
    ${!P[t]&&r`<form onSubmit=${p=>{p.preventDefault(),u.trim()&&d(y[0]??u.trim()),m("")}}><input ref=${i} value=${u} placeholder=${f.find} aria-label=${f.find} onInput=${p=>m(p.target.value)} /></form>`}
    <ul class="options">
      ${g.map(p=>r`<li key=${p}><label><input type="checkbox" checked=${c.includes(p)} onChange=${()=>d(p)} /><bdi dir="auto">${tt(t,p)}</bdi></label></li>`)}
      ${!g.length&&u&&r`<li><button type="button" class="plain small" onClick=${()=>{d(u.trim()),m("")}}>${f.use(u.trim())}</button></li>`}
      ${!g.length&&!u&&r`<li class="quiet">${f.noValues}</li>`}
    </ul>
  </div>`}function mt({wish:t,change:e}){let a=v(null);k(()=>a.current?.focus(),[]);let n=(s,l,u)=>r`<label class="field"><span>${l}</span>
    <input type="date" ref=${u} value=${t.days[s]} onChange=${m=>e({...t,days:{...t.days,[s]:m.target.value}})} />
  </label>`;return r`${n("since",f.since,a)}${n("until",f.until)}${n("as_of",f.asOf)}`}var w=h.search,st=t=>`${t<.1?t.toFixed(3):t<10?t.toFixed(2):t.toFixed(1)} ms`;function nt({trace:t}){let e=t.reduce((s,l)=>s+l.milliseconds,0),a=t.some(s=>s.note),n=0;return r`<div class="stages"><table>
    <caption class="hidden">${w.stages}</caption>
    <thead><tr><th scope="col">${w.stage}</th><th scope="col" class="number">${w.candidates}</th><th scope="col" colspan="2">${w.time}</th>${a&&r`<th scope="col">${w.note}</th>`}</tr></thead>
    <tbody>${t.map((s,l)=>{let u=n;return n+=s.milliseconds,r`<tr key=${l}>
        <th scope="row">${s.stage}</th>
        <td class="number">${s.before===s.after?s.after:`${s.before} → ${s.after}`}</td>
        <td class="waterfall"><span style=${{marginInlineStart:`${e?u/e*100:0}%`,width:`${e?Math.max(s.milliseconds/e*100,.5):0}%`}}></span></td>
        <td class="number">${st(s.milliseconds)}</td>
        ${a&&r`<td class="quiet">${s.note}</td>`}
      </tr>`})}</tbody>
    <tfoot><tr><th scope="row">${w.sum}</th><td></td><td></td><td class="number">${st(e)}</td>${a&&r`<td></td>`}</tr></tfoot>
  </table></div>`}var $=h.search,$t=40,rt={of:""};function Ct(){let t=z(R.value.query),e=t.q,[a,n]=b(rt),[s,l]=b(!1),u=v(null),m=JSON.stringify([e,t.lists,t.days]),i=t.presets.length>0,o=H(()=>G(e),[e]);k(()=>{document.activeElement===document.body&&u.current?.focus({preventScroll:!0})},[]),k(()=>{if(i)return;let d=new AbortController,p=async()=>{let M={of:m};try{e.trim()?M.answer=await I(t,void 0,d.signal):M.listed=await F(t,void 0,d.signal)}catch(ot){M.problem=ot.message}d.signal.aborted||n(rt=M)},T=setTimeout(()=>{p()},a.of?$t:0);return()=>{clearTimeout(T),d.abort()}},[m,i]);let c=d=>_(Q(d)),y=()=>c({...t,presets:i?[]:(C.value?.presets??[]).slice(0,3)}),g=a.answer?.hits.map(d=>d.memory)??a.listed?.memories??[];return r`<search>
      <label class="find"><span class="hidden">${$.label}</span><${L} name="search" />
        <input type="search" data-find ref=${u} value=${e} placeholder=${$.placeholder} dir="auto" autocomplete="off" spellcheck=${!1}
          onInput=${d=>c({...t,q:d.target.value})}
          onKeyDown=${d=>{d.key==="Escape"&&!e&&u.current?.blur(),(d.key==="ArrowDown"||d.key==="Enter")&&(d.preventDefault(),B(1))}} />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <${et} wish=${t} change=${c} seen=${g} />
    </search>
    <div class="summary">
      <p role="status">${i?"":r`<${ft} found=${a} />`}</p>
      <span class="summary-acts">
        ${a.answer&&!i&&r`<button type="button" class="small" aria-pressed=${s} onClick=${()=>l(!s)}><${L} name="steps" />${$.why}</button>`}
        ${e.trim()&&r`<button type="button" class="small" aria-pressed=${i} onClick=${y}><${L} name="columns" />${$.compare}</button>`}
      </span>
    </div>
    ${i?r`<${gt} wish=${t} change=${c} /><${Z} wish=${t} of=${o} />`:r`${s&&a.answer&&r`<div class="why"><p class="quiet">${a.answer.reason}</p><${nt} trace=${a.answer.trace} /></div>`}<${yt} found=${a} wish=${t} of=${o} />`}`}function ft({found:t}){let{answer:e,listed:a}=t;if(e){let n=e.trace.reduce((s,l)=>s+l.milliseconds,0);return r`<span class="number">${$.found(e.hits.length,n)}</span>
      ${e.hits.length>0&&r`<span class="quiet number">${$.confidence(e.confidence)}</span>`}
      ${e.details?.weak&&e.hits.length>0&&r`<span class="warn-text">${$.weak}</span>`}`}return a?r`<span>${$.newest}</span><span class="quiet number">${$.total(a.total)}</span>`:null}function yt({found:t,wish:e,of:a}){let[n,s]=b([]);if(k(()=>s([]),[t]),t.problem)return r`<div class="problem" role="alert"><p>${t.problem}</p></div>`;if(t.answer){let{hits:i}=t.answer;return i.length?r`<${V} hits=${i} query=${e.q} of=${a} />`:r`<${N} text=${$.none} hint=${`${t.answer.reason}. ${$.noneHint}`} />`}if(!t.listed)return null;if(!t.listed.memories.length)return D(e)?r`<${N} text=${$.noneMatch} />`:r`<${N} text=${$.empty} hint=${$.emptyHint} command=${$.emptyCommand}><a class="button primary" href=${E("files")}>${$.emptyFiles}</a><//>`;let l=[t.listed,...n],u=l.at(-1)?.cursor,m=async()=>s([...n,await F(e,u??void 0)]);return r`<${X} memories=${l.flatMap(i=>i.memories)} />
    ${u&&r`<p class="center"><button type="button" data-item onClick=${m}>${$.more}</button></p>`}`}function gt({wish:t,change:e}){let a=n=>{let s=t.presets.includes(n)?t.presets.filter(l=>l!==n):[...t.presets,n];s.length&&e({...t,presets:s})};return r`<div class="presets chips" role="group" aria-label=${$.presets}>
    ${(C.value?.presets??[]).map(n=>r`<button type="button" key=${n} class="small" aria-pressed=${t.presets.includes(n)} onClick=${()=>a(n)}>${n}</button>`)}
  </div>`}export{Ct as Page};
