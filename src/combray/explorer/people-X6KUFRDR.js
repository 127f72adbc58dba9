import{G as v,H as w,I as C,J as E,P as y,X as b,b as i,c as p,n as d,x as f,y as h}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var O=500,t=f.people;async function T(n){await d("POST","/memories/forget",{body:{ids:[n.id]}})}async function L(n){for(let l of n){let a=`/memories/${encodeURIComponent(l.id)}`;if(l.status==="forgotten")await d("POST","/memories/restore",{body:{ids:[l.id]}});else{let o=(await d("GET",`${a}/history`)).results.at(-1);o&&await d("POST",`${a}/restore`,{body:{version:o.number}})}}}function k({entity:n,split:l}){return n.aliases.length?i`<ul class="chips">
    ${n.aliases.map(a=>i`<li key=${a} class="chip">
        <bdi dir="auto">${a}</bdi>
        ${n.learned.includes(a)&&i`<span class="quiet">${t.learned}</span>`}
        ${b.value&&i`<button class="chip-button" onClick=${()=>l(a)} aria-label=${t.splitOf(a,n.name)}
          title=${t.splitOf(a,n.name)}>×</button>`}
      </li>`)}
  </ul>`:null}function P({entity:n,names:l,done:a}){let[m,o]=p(""),[r,u]=p(!1),$=l.some(e=>e.toLowerCase()===m.trim().toLowerCase());async function g(e){e.preventDefault();let s=m.trim();if(!s)return;u(!0);let c=await y.trying(()=>$?d("POST","/entities/merge",{body:{other:s,into:n.name}}):d("POST","/entities/alias",{body:{name:n.name,others:[s]}}));u(!1),c&&(o(""),y.done(t.joined(s,n.name),async()=>{await T(c),a()}),a())}return i`<form class="row" onSubmit=${g}>
    <label class="grow">
      <span class="label">${t.otherName}</span>
      <input list="entity-names" value=${m} dir="auto" autocomplete="off"
        onInput=${e=>o(e.target.value)} />
    </label>
    <button disabled=${r||!m.trim()}>${$?t.merge:t.add}</button>
  </form>`}function I(){let[n,l]=p(""),[a,m]=p(""),o=h(()=>d("GET","/entities",{query:{limit:O}})),r=o.value?.results??[],u=n.trim().toLowerCase(),$=u?r.filter(e=>[e.name,...e.aliases].some(s=>s.toLowerCase().includes(u))):r;async function g(e,s){let c=await y.trying(()=>d("POST","/entities/separate",{body:{name:e.name,alias:s}}));c&&(y.done(t.parted(s,e.name),async()=>{await L(c.results),o.reload()}),o.reload())}return i`<section aria-labelledby="people-heading">
    <${w} id="people-heading" text=${t.heading} about=${t.about} />
    <${C} of=${o} />
    ${o.value&&!r.length&&i`<${E} text=${t.empty} hint=${t.emptyHint} />`}
    ${r.length>0&&i`<label class="field narrow">
        <span class="label">${t.find}</span>
        <input type="search" value=${n} dir="auto"
          onInput=${e=>l(e.target.value)} />
      </label>
      <datalist id="entity-names">${r.map(e=>i`<option key=${e.name} value=${e.name} />`)}</datalist>
      <p class="quiet" role="status">${t.count($.length,r.length)}</p>
      <ul class="cards">
        ${$.slice(0,200).map(e=>i`<li key=${e.name} class="card entity">
            <div class="entity-head">
              <h2 class="entity-name"><bdi dir="auto">${e.name}</bdi></h2>
              <a class="quiet" href=${v.entity(e.name)}>${t.memories(e.memories)}</a>
            </div>
            <${k} entity=${e} split=${s=>g(e,s)} />
            ${b.value&&i`<button class="small" aria-expanded=${a===e.name} aria-label=${t.changeOf(e.name)}
              onClick=${()=>m(a===e.name?"":e.name)}>${t.change}</button>`}
            ${a===e.name&&i`<${P} entity=${e} names=${r.map(s=>s.name)} done=${o.reload} />`}
          </li>`)}
      </ul>`}
  </section>`}export{I as Page};
