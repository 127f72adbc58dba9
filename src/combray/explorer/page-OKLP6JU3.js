import{a as X,b as z,c as Q}from"./chunk-NIU65KIX.js";import{A as K,B,C as G,D as E,F as Y,I as J,J as N,L as U,R as L,T as V,U as F,b as r,c as h,d as k,e as v,f as R,i as C,n as x,x as b,y as _,z as j}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var S=["kind","tag","entity","author","trust"],W=["since","until","as_of"],at={kind:"kind",tag:"tags",entity:"entities",author:"author",trust:"trust"},lt=20,ct=30;function Z(t){return{q:t.get("q")??"",lists:Object.fromEntries(S.map(e=>[e,t.getAll(e)])),days:Object.fromEntries(W.map(e=>[e,t.get(e)??""])),presets:t.getAll("preset")}}function tt(t){return E("search","",{q:t.q,...t.lists,...t.days,preset:t.presets})}function D(t){return S.some(e=>t.lists[e].length)||W.some(e=>t.days[e])}function q(t,e){if(!t)return;let i=new Date(`${t}T${e?"23:59:59":"00:00:00"}`);return Number.isNaN(i.getTime())?void 0:i.toISOString()}function I(t,e,i){let{kind:o,tag:s,entity:l,author:u,trust:m}=t.lists,a=c=>c.length?c:void 0,n={query:t.q,limit:lt,preset:e,kinds:a(o),tags:a(s),authors:a(u),trusts:a(m),since:q(t.days.since,!1),until:q(t.days.until,!0),as_of:q(t.days.as_of,!0),filter:l.length?{entities:{in:l}}:void 0};return x("POST","/look",{body:n,signal:i})}function P(t,e,i){let o={};for(let a of S)t.lists[a].length&&(o[at[a]]={in:t.lists[a]});let s=q(t.days.since,!1),l=q(t.days.until,!0);(s||l)&&(o.moment={...s&&{gte:s},...l&&{lte:l}});let u=q(t.days.as_of,!0);u&&(o.recorded_at={lte:u});let m={limit:ct,after:e,filter:Object.keys(o).length?o:void 0};return x("GET","/memories",{query:m,signal:i})}var A=b.search,ut=10;function et({wish:t,of:e}){let[i,o]=h(""),{presets:s,...l}=t,u=_(a=>t.q.trim()?Promise.all(s.map(n=>I(t,n,a))):Promise.resolve([]),[JSON.stringify(l),s.join()]),m=u.value?.[0]?.hits.map(a=>a.memory.id)??[];return r`<${J} of=${u} />
    <div class="columns">
      ${(u.value??[]).map((a,n)=>r`<section key=${a.preset} aria-label=${a.preset}>
            <h2>${a.preset}</h2>
            <p class="quiet">
              ${A.found(a.hits.length,a.trace.reduce((c,y)=>c+y.milliseconds,0))}
            </p>
            <ol>
              ${a.hits.slice(0,ut).map((c,y)=>{let g=c.memory.id,d=m.indexOf(g),p=d<0?A.only:d===y?A.same:A.rank(d-y);return r`<li key=${g}>
                  <a
                    data-item
                    class=${`ranked ${i===g?"pointed":""}`}
                    href=${E("memory",g,{q:t.q})}
                    onPointerEnter=${()=>o(g)}
                    onPointerLeave=${()=>o("")}
                    onFocus=${()=>o(g)}
                    onBlur=${()=>o("")}
                  >
                    <span class="place number">${y+1}</span>
                    <span class="text clamp" dir="auto">${B(K(c.memory.content,e,160),e)}</span>
                    <span class="ranked-foot"
                      ><${X}
                        share=${a.hits[0]?.score?c.score/a.hits[0].score:0}
                        strong /><span class="number">${c.score.toFixed(2)}</span>
                      ${n>0&&r`<span class="quiet">${p}</span>`}<${U} memory=${c.memory}
                    /></span>
                  </a>
                </li>`})}
            </ol>
            ${!a.hits.length&&r`<p class="quiet">${a.reason}</p>`}
          </section>`)}
    </div>`}var f=b.search,H={kind:["fact","episode","insight","chunk","summary"],trust:["owner","agent","untrusted"]},dt=8;function st(t,e){return(t==="kind"?b.memoryTexts.kinds:t==="trust"?b.memoryTexts.trusts:{})[e]??e}function nt({wish:t,change:e,seen:i}){let[o,s]=h(""),l=v(null);k(()=>{if(!o)return;let n=c=>!l.current?.querySelector(".menu-place.open")?.contains(c.target)&&s("");return document.addEventListener("pointerdown",n),()=>document.removeEventListener("pointerdown",n)},[o]);let u=(n,c)=>e({...t,lists:{...t.lists,[n]:t.lists[n].filter(y=>y!==c)}}),m={lists:Object.fromEntries(S.map(n=>[n,[]])),days:{since:"",until:"",as_of:""}},a=(n,c)=>r`<div
      class=${`menu-place ${o===n?"open":""}`}
      key=${n}
      onKeyDown=${y=>{y.key!=="Escape"||o!==n||(y.stopPropagation(),s(""),y.currentTarget.querySelector("button")?.focus())}}
    >
      <button
        type="button"
        class="chip filter"
        aria-expanded=${o===n}
        onClick=${()=>s(o===n?"":n)}
      >
        ${f.filter[n]}<${L} name="down" />
      </button>
      ${o===n&&r`<div class="menu" role="group" aria-label=${f.filter[n]}>${c}</div>`}
    </div>`;return r`<div class="filters" role="group" aria-label=${f.filters} ref=${l}>
    ${S.map(n=>a(n,r`<${mt} name=${n} wish=${t} change=${e} seen=${i} />`))}
    ${a("time",r`<${$t} wish=${t} change=${e} />`)}
    ${S.flatMap(n=>t.lists[n].map(c=>r`<span class="chip chosen" key=${`${n} ${c}`}>
            <span class="quiet">${f.filter[n]}</span><bdi dir="auto">${st(n,c)}</bdi>
            <button
              type="button"
              class="chip-button"
              onClick=${()=>u(n,c)}
              aria-label=${f.remove(f.filter[n]??"",c)}
            >
              ×
            </button>
          </span>`))}
    ${W.filter(n=>t.days[n]).map(n=>r`<span class="chip chosen" key=${n}>
          <span class="quiet">${f.filter[n]}</span>${t.days[n]}
          <button
            type="button"
            class="chip-button"
            onClick=${()=>e({...t,days:{...t.days,[n]:""}})}
            aria-label=${f.remove(f.filter[n]??"",t.days[n])}
          >
            ×
          </button>
        </span>`)}
    ${D(t)&&r`<button type="button" class="plain small" onClick=${()=>e({...t,...m})}>${f.clear}</button>`}
  </div>`}async function pt(t,e){if(t==="entity")return(await x("GET","/entities",{query:{limit:500}})).results.sort((l,u)=>u.memories-l.memories).map(l=>l.name);let i=[...e,...(await x("GET","/memories",{query:{limit:500}})).memories],o=new Map;for(let s of i)for(let l of t==="tag"?s.tags:[s.author??""])l&&o.set(l,(o.get(l)??0)+1);return[...o].sort((s,l)=>l[1]-s[1]).map(([s])=>s)}function mt({name:t,wish:e,change:i,seen:o}){let[s,l]=h(H[t]??[]),[u,m]=h(""),a=v(null),n=v(null),c=e.lists[t];k(()=>{if(H[t]){n.current?.querySelector("input")?.focus();return}a.current?.focus();let p=!0;return pt(t,o).then(T=>p&&l(T),()=>{}),()=>{p=!1}},[]);let y=s.filter(p=>p.toLowerCase().includes(u.trim().toLowerCase())),g=[...new Set([...c,...y])].slice(0,Math.max(dt,c.length)),d=p=>i({...e,lists:{...e.lists,[t]:c.includes(p)?c.filter(T=>T!==p):[...c,p]}});return r`<div ref=${n}>
    ${!H[t]&&r`<form
        onSubmit=${p=>{p.preventDefault(),u.trim()&&d(y[0]??u.trim()),m("")}}
      >
        <input
          ref=${a}
          value=${u}
          placeholder=${f.find}
          aria-label=${f.find}
          onInput=${p=>m(p.target.value)}
        />
      </form>`}
    <ul class="options">
      ${g.map(p=>r`<li key=${p}>
            <label
              ><input type="checkbox" checked=${c.includes(p)} onChange=${()=>d(p)} /><bdi
                dir="auto"
                >${st(t,p)}</bdi
              ></label
            >
          </li>`)}
      ${!g.length&&u&&r`<li>
          <button
            type="button"
            class="plain small"
            onClick=${()=>{d(u.trim()),m("")}}
          >
            ${f.use(u.trim())}
          </button>
        </li>`}
      ${!g.length&&!u&&r`<li class="quiet">${f.noValues}</li>`}
    </ul>
  </div>`}function $t({wish:t,change:e}){let i=v(null);k(()=>i.current?.focus(),[]);let o=(s,l,u)=>r`<label class="field"
      ><span>${l}</span>
      <input
        type="date"
        ref=${u}
        value=${t.days[s]}
        onChange=${m=>e({...t,days:{...t.days,[s]:m.target.value}})}
      />
    </label>`;return r`${o("since",f.since,i)}${o("until",f.until)}${o("as_of",f.asOf)}`}var w=b.search,rt=t=>`${t<.1?t.toFixed(3):t<10?t.toFixed(2):t.toFixed(1)} ms`;function ot({trace:t}){let e=t.reduce((s,l)=>s+l.milliseconds,0),i=t.some(s=>s.note),o=0;return r`<div class="stages">
    <table>
      <caption class="hidden">
        ${w.stages}
      </caption>
      <thead>
        <tr>
          <th scope="col">${w.stage}</th>
          <th scope="col" class="number">${w.candidates}</th>
          <th scope="col" colspan="2">${w.time}</th>
          ${i&&r`<th scope="col">${w.note}</th>`}
        </tr>
      </thead>
      <tbody>
        ${t.map((s,l)=>{let u=o;return o+=s.milliseconds,r`<tr key=${l}>
            <th scope="row">${s.stage}</th>
            <td class="number">${s.before===s.after?s.after:`${s.before} → ${s.after}`}</td>
            <td class="waterfall">
              <span
                style=${{marginInlineStart:`${e?u/e*100:0}%`,width:`${e?Math.max(s.milliseconds/e*100,.5):0}%`}}
              ></span>
            </td>
            <td class="number">${rt(s.milliseconds)}</td>
            ${i&&r`<td class="quiet">${s.note}</td>`}
          </tr>`})}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">${w.sum}</th>
          <td></td>
          <td></td>
          <td class="number">${rt(e)}</td>
          ${i&&r`<td></td>`}
        </tr>
      </tfoot>
    </table>
  </div>`}var $=b.search,ft=40,O={space:"",found:{of:""}};function Ft(){let t=Z(G.value.query),e=t.q,[i,o]=h(O.space===C.value?O.found:{of:""}),[s,l]=h(!1),u=v(null),m=JSON.stringify([e,t.lists,t.days]),a=t.presets.length>0,n=R(()=>j(e),[e]);k(()=>{document.activeElement===document.body&&u.current?.focus({preventScroll:!0})},[]),k(()=>{if(a)return;let d=new AbortController,p=async()=>{let M={of:m};try{e.trim()?M.answer=await I(t,void 0,d.signal):M.listed=await P(t,void 0,d.signal)}catch(it){M.problem=it.message}d.signal.aborted||(O={space:C.value,found:M},o(M))},T=setTimeout(()=>{p()},i.of?ft:0);return()=>{clearTimeout(T),d.abort()}},[m,a]);let c=d=>Y(tt(d)),y=()=>c({...t,presets:a?[]:(F.value?.presets??[]).slice(0,3)}),g=i.answer?.hits.map(d=>d.memory)??i.listed?.memories??[];return r`<h1 class="hidden">${b.pages.search}</h1>
    <search>
      <label class="find"
        ><span class="hidden">${$.label}</span><${L} name="search" />
        <input
          type="search"
          data-find
          ref=${u}
          value=${e}
          placeholder=${$.placeholder}
          dir="auto"
          autocomplete="off"
          spellcheck=${!1}
          onInput=${d=>c({...t,q:d.target.value})}
          onKeyDown=${d=>{d.key==="Escape"&&!e&&u.current?.blur(),(d.key==="ArrowDown"||d.key==="Enter")&&(d.preventDefault(),V(1))}}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <${nt} wish=${t} change=${c} seen=${g} />
    </search>
    <div class="summary">
      <p role="status">${a?"":r`<${yt} found=${i} />`}</p>
      <span class="summary-acts">
        ${i.answer&&!a&&r`<button type="button" class="small" aria-pressed=${s} onClick=${()=>l(!s)}><${L} name="steps" />${$.why}</button>`}
        ${e.trim()&&r`<button type="button" class="small" aria-pressed=${a} onClick=${y}><${L} name="columns" />${$.compare}</button>`}
      </span>
    </div>
    ${a?r`<${bt} wish=${t} change=${c} /><${et} wish=${t} of=${n} />`:r`${s&&i.answer&&r`<div class="why">
                <p class="quiet">${i.answer.reason}</p>
                <${ot} trace=${i.answer.trace} />
              </div>`}<${gt} found=${i} wish=${t} of=${n} all=${s} />`}`}function yt({found:t}){let{answer:e,listed:i}=t;if(e){let o=e.trace.reduce((s,l)=>s+l.milliseconds,0);return r`<span class="number">${$.found(e.hits.length,o)}</span>
      ${e.hits.length>0&&r`<span class="quiet number">${$.confidence(e.confidence)}</span>`}
      ${e.details?.weak&&e.hits.length>0&&r`<span class="warn-text">${$.weak}</span>`}`}return i?r`<span>${$.newest}</span><span class="quiet number">${$.total(i.total)}</span>`:null}function gt({found:t,wish:e,of:i,all:o}){let[s,l]=h([]);if(k(()=>l([]),[t]),t.problem)return r`<div class="problem" role="alert"><p>${t.problem}</p></div>`;if(t.answer){let{hits:n}=t.answer;return n.length?r`<${z} hits=${n} query=${e.q} of=${i} all=${o} />`:r`<${N} text=${$.none} hint=${`${t.answer.reason}. ${$.noneHint}`} />`}if(!t.listed)return null;if(!t.listed.memories.length)return D(e)?r`<${N} text=${$.noneMatch} />`:r`<${N} text=${$.empty} hint=${$.emptyHint} command=${$.emptyCommand}
      ><a class="button primary" href=${E("files")}>${$.emptyFiles}</a><//
    >`;let u=[t.listed,...s],m=u.at(-1)?.cursor,a=async()=>l([...s,await P(e,m??void 0)]);return r`<${Q} memories=${u.flatMap(n=>n.memories)} />
    ${m&&r`<p class="center"><button type="button" data-item onClick=${a}>${$.more}</button></p>`}`}function bt({wish:t,change:e}){let i=o=>{let s=t.presets.includes(o)?t.presets.filter(l=>l!==o):[...t.presets,o];s.length&&e({...t,presets:s})};return r`<div class="presets chips" role="group" aria-label=${$.presets}>
    ${(F.value?.presets??[]).map(o=>r`<button type="button" key=${o} class="small" aria-pressed=${t.presets.includes(o)} onClick=${()=>i(o)}>${o}</button>`)}
  </div>`}export{Ft as Page};
