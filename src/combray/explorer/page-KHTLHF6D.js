import{A as W,B as V,C as O,F as L,H as X,I as z,J as H,K as _,L as P,b as r,c as h,d as v,e as S,f as K,m as E,r as g,s as G,t as Y,u as x,w as J,x as I,z as U}from"./chunk-UMYEYDSP.js";var Q=g.search,k=g.signals,dt=4;function ut(t,e){return x("memory",t.id,{q:e})}function pt({hit:t}){let e=(i,s,o)=>r`<span class="warn-text">${i} <a href=${I.memory(s)}>${o}</a></span>`;return r`<p class="reasons">
    <span>${k.via[t.via]??k.otherwise(t.via)}</span>
    ${t.outdated_by&&e(k.outdated,t.outdated_by,k.later)}
    ${t.may_be_outdated_by&&e(k.mayBeOutdated,t.may_be_outdated_by,k.later)}
    ${t.may_replace&&e(k.mayReplace,t.may_replace,k.earlier)}
    ${t.restated_by.length>0&&r`<span>${k.restated(t.restated_by.length)}</span>`}
  </p>`}function R({share:t,strong:e}){return r`<span class=${`track ${e?"strong":""}`} aria-hidden="true"><span style=${{width:`${Math.round(Math.min(1,Math.max(0,t))*100)}%`}}></span></span>`}function mt({hit:t,best:e,order:i}){let s=i.filter(n=>(t.signals[n]??0)>0).slice(0,dt),o=(n,c,p,l=!1)=>r`<div key=${n}>
    <dt>${n}</dt><dd><${R} share=${p} strong=${l} /><span class="number">${c.toFixed(2)}</span></dd>
  </div>`;return r`<dl class="signals" aria-label=${Q.signalsOf}>
    ${o(Q.score,t.score,e?t.score/e:0,!0)}
    ${s.map(n=>o(k.names[n]??n,t.signals[n]??0,t.signals[n]??0))}
  </dl>`}function $t(t){let e=new Map;for(let n of t)for(let[c,p]of Object.entries(n.signals))e.set(c,[...e.get(c)??[],p]);let i=n=>Math.max(...e.get(n)??[0]),s=["context","own","window","keyword","vector","entity","exact","date","answer"],o=n=>s.includes(n)?s.indexOf(n):s.length;return[...e.keys()].filter(n=>i(n)>0&&n!=="length").sort((n,c)=>o(n)-o(c)||n.localeCompare(c))}function Z({hits:t,query:e,of:i}){let s=Math.max(...t.map(n=>n.score),0),o=$t(t);return r`<ol class="hits">
    ${t.map(n=>r`<li class="hit" key=${n.memory.id}>
      <div class="hit-said">
        <a class="hit-link" data-item href=${ut(n.memory,e)}><span class="text clamp" dir="auto">${_(H(n.memory.content,i),i)}</span></a>
        <${O} memory=${n.memory} />
        <${pt} hit=${n} />
      </div>
      <${mt} hit=${n} best=${s} order=${o} />
    </li>`)}
  </ol>`}function tt({memories:t}){return r`<ol class="hits">
    ${t.map(e=>r`<li class="hit" key=${e.id}>
      <div class="hit-said">
        <a class="hit-link" data-item href=${I.memory(e.id)}><span class="text clamp" dir="auto">${H(e.content,[])}</span></a>
        <${O} memory=${e} />
      </div>
    </li>`)}
  </ol>`}var w=["kind","tag","entity","author","trust"],A=["since","until","as_of"],ft={kind:"kind",tag:"tags",entity:"entities",author:"author",trust:"trust"},yt=20,gt=30;function et(t){return{q:t.get("q")??"",lists:Object.fromEntries(w.map(e=>[e,t.getAll(e)])),days:Object.fromEntries(A.map(e=>[e,t.get(e)??""])),presets:t.getAll("preset")}}function st(t){return x("search","",{q:t.q,...t.lists,...t.days,preset:t.presets})}function C(t){return w.some(e=>t.lists[e].length)||A.some(e=>t.days[e])}function M(t,e){if(!t)return;let i=new Date(`${t}T${e?"23:59:59":"00:00:00"}`);return Number.isNaN(i.getTime())?void 0:i.toISOString()}function D(t,e,i){let{kind:s,tag:o,entity:n,author:c,trust:p}=t.lists,l=d=>d.length?d:void 0,a={query:t.q,limit:yt,preset:e,kinds:l(s),tags:l(o),authors:l(c),trusts:l(p),since:M(t.days.since,!1),until:M(t.days.until,!0),as_of:M(t.days.as_of,!0),filter:n.length?{entities:{in:n}}:void 0};return E("POST","/recall",{body:a,signal:i})}function B(t,e,i){let s={};for(let l of w)t.lists[l].length&&(s[ft[l]]={in:t.lists[l]});let o=M(t.days.since,!1),n=M(t.days.until,!0);(o||n)&&(s.moment={...o&&{gte:o},...n&&{lte:n}});let c=M(t.days.as_of,!0);c&&(s.recorded_at={lte:c});let p={limit:gt,after:e,filter:Object.keys(s).length?s:void 0};return E("GET","/memories",{query:p,signal:i})}var F=g.search,bt=10;function nt({wish:t,of:e}){let[i,s]=h(""),{presets:o,...n}=t,c=G(l=>t.q.trim()?Promise.all(o.map(a=>D(t,a,l))):Promise.resolve([]),[JSON.stringify(n),o.join()]),p=c.value?.[0]?.hits.map(l=>l.memory.id)??[];return r`<${U} of=${c} />
    <div class="columns">${(c.value??[]).map((l,a)=>r`<section key=${l.preset} aria-label=${l.preset}>
      <h2>${l.preset}</h2>
      <p class="quiet">${F.found(l.hits.length,l.trace.reduce((d,y)=>d+y.milliseconds,0))}</p>
      <ol>${l.hits.slice(0,bt).map((d,y)=>{let b=d.memory.id,u=p.indexOf(b),m=u<0?F.only:u===y?F.same:F.rank(u-y);return r`<li key=${b}>
          <a data-item class=${`ranked ${i===b?"pointed":""}`} href=${x("memory",b,{q:t.q})} onPointerEnter=${()=>s(b)} onPointerLeave=${()=>s("")} onFocus=${()=>s(b)} onBlur=${()=>s("")}>
            <span class="place number">${y+1}</span>
            <span class="text clamp" dir="auto">${_(H(d.memory.content,e,160),e)}</span>
            <span class="ranked-foot"><${R} share=${l.hits[0]?.score?d.score/l.hits[0].score:0} strong /><span class="number">${d.score.toFixed(2)}</span>
              ${a>0&&r`<span class="quiet">${m}</span>`}<${V} memory=${d.memory} /></span>
          </a>
        </li>`})}</ol>
      ${!l.hits.length&&r`<p class="quiet">${l.reason}</p>`}
    </section>`)}</div>`}var f=g.search,j={kind:["fact","episode","insight","chunk","summary"],trust:["owner","agent","untrusted"]},ht=8;function rt(t,e){return(t==="kind"?g.memoryTexts.kinds:t==="trust"?g.memoryTexts.trusts:{})[e]??e}function ot({wish:t,change:e,seen:i}){let[s,o]=h(""),n=S(null);v(()=>{if(!s)return;let a=d=>!n.current?.querySelector(".menu-place.open")?.contains(d.target)&&o("");return document.addEventListener("pointerdown",a),()=>document.removeEventListener("pointerdown",a)},[s]);let c=(a,d)=>e({...t,lists:{...t.lists,[a]:t.lists[a].filter(y=>y!==d)}}),p={lists:Object.fromEntries(w.map(a=>[a,[]])),days:{since:"",until:"",as_of:""}},l=(a,d)=>r`<div class=${`menu-place ${s===a?"open":""}`} key=${a}
      onKeyDown=${y=>{y.key!=="Escape"||s!==a||(y.stopPropagation(),o(""),y.currentTarget.querySelector("button")?.focus())}}>
    <button type="button" class="chip filter" aria-expanded=${s===a} onClick=${()=>o(s===a?"":a)}>
      ${f.filter[a]}<${L} name="down" />
    </button>
    ${s===a&&r`<div class="menu" role="group" aria-label=${f.filter[a]}>${d}</div>`}
  </div>`;return r`<div class="filters" role="group" aria-label=${f.filters} ref=${n}>
    ${w.map(a=>l(a,r`<${vt} name=${a} wish=${t} change=${e} seen=${i} />`))}
    ${l("time",r`<${xt} wish=${t} change=${e} />`)}
    ${w.flatMap(a=>t.lists[a].map(d=>r`<span class="chip chosen" key=${`${a} ${d}`}>
      <span class="quiet">${f.filter[a]}</span><bdi dir="auto">${rt(a,d)}</bdi>
      <button type="button" class="chip-button" onClick=${()=>c(a,d)} aria-label=${f.remove(f.filter[a]??"",d)}>×</button>
    </span>`))}
    ${A.filter(a=>t.days[a]).map(a=>r`<span class="chip chosen" key=${a}>
      <span class="quiet">${f.filter[a]}</span>${t.days[a]}
      <button type="button" class="chip-button" onClick=${()=>e({...t,days:{...t.days,[a]:""}})} aria-label=${f.remove(f.filter[a]??"",t.days[a])}>×</button>
    </span>`)}
    ${C(t)&&r`<button type="button" class="plain small" onClick=${()=>e({...t,...p})}>${f.clear}</button>`}
  </div>`}async function kt(t,e){if(t==="entity")return(await E("GET","/entities",{query:{limit:500}})).results.sort((n,c)=>c.memories-n.memories).map(n=>n.name);let i=[...e,...(await E("GET","/memories",{query:{limit:500}})).memories],s=new Map;for(let o of i)for(let n of t==="tag"?o.tags:[o.author??""])n&&s.set(n,(s.get(n)??0)+1);return[...s].sort((o,n)=>n[1]-o[1]).map(([o])=>o)}function vt({name:t,wish:e,change:i,seen:s}){let[o,n]=h(j[t]??[]),[c,p]=h(""),l=S(null),a=S(null),d=e.lists[t];v(()=>{if(j[t]){a.current?.querySelector("input")?.focus();return}l.current?.focus();let m=!0;return kt(t,s).then(T=>m&&n(T),()=>{}),()=>{m=!1}},[]);let y=o.filter(m=>m.toLowerCase().includes(c.trim().toLowerCase())),b=[...new Set([...d,...y])].slice(0,Math.max(ht,d.length)),u=m=>i({...e,lists:{...e.lists,[t]:d.includes(m)?d.filter(T=>T!==m):[...d,m]}});return r`<div ref=${a}>
    ${!j[t]&&r`<form onSubmit=${m=>{m.preventDefault(),c.trim()&&u(y[0]??c.trim()),p("")}}><input ref=${l} value=${c} placeholder=${f.find} aria-label=${f.find} onInput=${m=>p(m.target.value)} /></form>`}
    <ul class="options">
      ${b.map(m=>r`<li key=${m}><label><input type="checkbox" checked=${d.includes(m)} onChange=${()=>u(m)} /><bdi dir="auto">${rt(t,m)}</bdi></label></li>`)}
      ${!b.length&&c&&r`<li><button type="button" class="plain small" onClick=${()=>{u(c.trim()),p("")}}>${f.use(c.trim())}</button></li>`}
      ${!b.length&&!c&&r`<li class="quiet">${f.noValues}</li>`}
    </ul>
  </div>`}function xt({wish:t,change:e}){let i=S(null);v(()=>i.current?.focus(),[]);let s=(o,n,c)=>r`<label class="field"><span>${n}</span>
    <input type="date" ref=${c} value=${t.days[o]} onChange=${p=>e({...t,days:{...t.days,[o]:p.target.value}})} />
  </label>`;return r`${s("since",f.since,i)}${s("until",f.until)}${s("as_of",f.asOf)}`}var q=g.search,at=t=>`${t<.1?t.toFixed(3):t<10?t.toFixed(2):t.toFixed(1)} ms`;function it({trace:t}){let e=t.reduce((s,o)=>s+o.milliseconds,0),i=0;return r`<div class="stages"><table>
    <caption class="hidden">${q.stages}</caption>
    <thead><tr><th scope="col">${q.stage}</th><th scope="col" class="number">${q.candidates}</th><th scope="col" colspan="2">${q.time}</th><th scope="col">${q.note}</th></tr></thead>
    <tbody>${t.map((s,o)=>{let n=i;return i+=s.milliseconds,r`<tr key=${o}>
        <th scope="row">${s.stage}</th>
        <td class="number">${s.before===s.after?s.after:`${s.before} → ${s.after}`}</td>
        <td class="waterfall"><span style=${{marginInlineStart:`${e?n/e*100:0}%`,width:`${e?Math.max(s.milliseconds/e*100,.5):0}%`}}></span></td>
        <td class="number">${at(s.milliseconds)}</td>
        <td class="quiet">${s.note}</td>
      </tr>`})}</tbody>
    <tfoot><tr><th scope="row">${q.sum}</th><td></td><td></td><td class="number">${at(e)}</td><td></td></tr></tfoot>
  </table></div>`}var $=g.search,St=40,lt={of:""};function Yt(){let t=et(Y.value.query),e=t.q,[i,s]=h(lt),[o,n]=h(!1),c=S(null),p=JSON.stringify([e,t.lists,t.days]),l=t.presets.length>0,a=K(()=>z(e),[e]);v(()=>{document.activeElement===document.body&&c.current?.focus({preventScroll:!0})},[]),v(()=>{if(l)return;let u=new AbortController,m=async()=>{let N={of:p};try{e.trim()?N.answer=await D(t,void 0,u.signal):N.listed=await B(t,void 0,u.signal)}catch(ct){N.problem=ct.message}u.signal.aborted||s(lt=N)},T=setTimeout(()=>{m()},i.of?St:0);return()=>{clearTimeout(T),u.abort()}},[p,l]);let d=u=>J(st(u)),y=()=>d({...t,presets:l?[]:(P.value?.presets??[]).slice(0,3)}),b=i.answer?.hits.map(u=>u.memory)??i.listed?.memories??[];return r`<search>
      <label class="find"><span class="hidden">${$.label}</span><${L} name="search" />
        <input type="search" data-find ref=${c} value=${e} placeholder=${$.placeholder} dir="auto" autocomplete="off" spellcheck=${!1}
          onInput=${u=>d({...t,q:u.target.value})}
          onKeyDown=${u=>{u.key==="Escape"&&!e&&c.current?.blur(),(u.key==="ArrowDown"||u.key==="Enter")&&(u.preventDefault(),X(1))}} />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <${ot} wish=${t} change=${d} seen=${b} />
    </search>
    <div class="summary">
      <p role="status">${l?"":r`<${wt} found=${i} />`}</p>
      <span class="summary-acts">
        ${i.answer&&!l&&r`<button type="button" class="small" aria-pressed=${o} onClick=${()=>n(!o)}><${L} name="steps" />${$.why}</button>`}
        ${e.trim()&&r`<button type="button" class="small" aria-pressed=${l} onClick=${y}><${L} name="columns" />${$.compare}</button>`}
      </span>
    </div>
    ${l?r`<${Lt} wish=${t} change=${d} /><${nt} wish=${t} of=${a} />`:r`${o&&i.answer&&r`<div class="why"><p class="quiet">${i.answer.reason}</p><${it} trace=${i.answer.trace} /></div>`}<${Et} found=${i} wish=${t} of=${a} />`}`}function wt({found:t}){let{answer:e,listed:i}=t;if(e){let s=e.trace.reduce((o,n)=>o+n.milliseconds,0);return r`<span class="number">${$.found(e.hits.length,s)}</span>
      ${e.hits.length>0&&r`<span class="quiet number">${$.confidence(e.confidence)}</span>`}
      ${e.details?.weak&&e.hits.length>0&&r`<span class="warn-text">${$.weak}</span>`}`}return i?r`<span>${$.newest}</span><span class="quiet number">${$.total(i.total)}</span>`:null}function Et({found:t,wish:e,of:i}){let[s,o]=h([]);if(v(()=>o([]),[t]),t.problem)return r`<div class="problem" role="alert"><p>${t.problem}</p></div>`;if(t.answer){let{hits:l}=t.answer;return l.length?r`<${Z} hits=${l} query=${e.q} of=${i} />`:r`<${W} text=${$.none} hint=${`${t.answer.reason}. ${$.noneHint}`} />`}if(!t.listed)return null;if(!t.listed.memories.length)return C(e)?r`<${W} text=${$.noneMatch} />`:r`<${W} text=${$.empty} hint=${$.emptyHint} command=${$.emptyCommand}><a class="button primary" href=${x("files")}>${$.emptyFiles}</a><//>`;let n=[t.listed,...s],c=n.at(-1)?.cursor,p=async()=>o([...s,await B(e,c??void 0)]);return r`<${tt} memories=${n.flatMap(l=>l.memories)} />
    ${c&&r`<p class="center"><button type="button" data-item onClick=${p}>${$.more}</button></p>`}`}function Lt({wish:t,change:e}){let i=s=>{let o=t.presets.includes(s)?t.presets.filter(n=>n!==s):[...t.presets,s];o.length&&e({...t,presets:o})};return r`<div class="presets chips" role="group" aria-label=${$.presets}>
    ${(P.value?.presets??[]).map(s=>r`<button type="button" key=${s} class="small" aria-pressed=${t.presets.includes(s)} onClick=${()=>i(s)}>${s}</button>`)}
  </div>`}export{Yt as Page};
