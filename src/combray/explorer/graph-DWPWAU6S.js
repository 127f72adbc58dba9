import{a as z,b as Y,c as Z,d as R}from"./chunk-4NIIPTNR.js";import{C as B,E as T,G as E,J as P,b as i,ba as V,c as $,d as S,e as I,f as C,i as G,n as W,q as n}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var D=class{constructor(s,r){this.net=s;let c=s.type_names.map(o=>r.types.has(o)),l=Array.from(s.ids,()=>[]);this.visible=s.types.map((o,t)=>!!c[o]&&s.weights[t]>=r.weight),this.visible.forEach((o,t)=>{if(!o)return;let[u,p]=[s.sources[t],s.targets[t]];l[u].push({edge:t,other:p,out:!0}),p!==u&&l[p].push({edge:t,other:u,out:!1}),this.count++}),this.steps=l,this.degree=l.map(o=>o.length)}net;visible;degree;count=0;steps;at(s){let{weights:r}=this.net;return[...this.steps[s]??[]].sort((c,l)=>r[l.edge]-r[c.edge]||c.edge-l.edge)}};function q(e){let s=new Map;for(let r of e.types){let c=e.type_names[r];s.set(c,(s.get(c)??0)+1)}return s}var me={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,1],ArrowDown:[0,-1]};function U(e,s,r,c){let l=me[c];if(!l)return;let o,t=.35;for(let{other:u}of s.at(r)){let p=e.x[u]-e.x[r],g=e.y[u]-e.y[r],h=Math.hypot(p,g)||1e-9,f=(p*l[0]+g*l[1])/h-h*.15;u!==r&&f>t&&(t=f,o=u)}return o}function J(e,s,r,c){let l=r.toLocaleLowerCase().split(/\s+/).filter(Boolean),o=e.ids.map((u,p)=>p),t=l.length?o.filter(u=>{let p=e.labels[u].toLocaleLowerCase();return l.every(g=>p.includes(g))}):o;return c==="links"?t.sort((u,p)=>s.degree[p]-s.degree[u]||e.moments[p]-e.moments[u]):c==="newest"?t.sort((u,p)=>e.moments[p]-e.moments[u]):t.sort((u,p)=>e.labels[u].localeCompare(e.labels[p]))}var Q=60,$e=new Intl.DateTimeFormat(void 0,{dateStyle:"medium"}),X=e=>$e.format(e*1e3);function ee({net:e,links:s,node:r,choose:c,dark:l}){let o=s.at(r),[t,u]=$(12);return S(()=>u(12),[e,r]),i`<section class="graph-chosen" aria-live="off">
    <p class="graph-text" dir="auto">${e.labels[r]}</p>
    <p class="graph-facts">
      <span>${e.kinds[r]}</span>
      ${e.categories[r]!==e.kinds[r]&&i`<span>${e.categories[r]}</span>`}
      ${e.statuses[r]!=="active"&&i`<span class="graph-status">${e.statuses[r]}</span>`}
      <time datetime=${new Date(e.moments[r]*1e3).toISOString()}>${X(e.moments[r])}</time>
    </p>
    <p class="graph-acts">
      <a class="button" href=${E.memory(e.ids[r])}>${n.open}</a>
      <button type="button" onClick=${()=>O(e.ids[r])}>${n.outwards}</button>
      <button type="button" class="plain" onClick=${()=>c(void 0)}>${n.close}</button>
    </p>
    ${!o.length&&i`<p class="graph-none">${n.noLinks}</p>`}
    <ul class="graph-links">
      ${o.slice(0,t).map(({edge:p,other:g,out:h})=>{let f=e.type_names[e.types[p]],d=(h?n.from:n.to)[f];return i`<li key=${p}>
          <button type="button" onClick=${()=>c(g)}>
            <span class="graph-how"
              ><${j} type=${f} dark=${l} />${d}${e.subtypes[p]&&` (${e.subtypes[p]})`}
              <small>${e.weights[p].toFixed(2)}</small></span
            >
            <span dir="auto">${e.labels[g]}</span>
          </button>
        </li>`})}
    </ul>
    ${o.length>t&&i`<button type="button" class="plain" onClick=${()=>u(t+50)}>
        ${n.more(Math.min(50,o.length-t))}
      </button>`}
  </section>`}function te({net:e,links:s,chosen:r,hovered:c,choose:l}){let[o,t]=$(""),[u,p]=$("links"),[g,h]=$(Q),f=C(()=>J(e,s,o,u),[e,s,o,u]);return S(()=>h(Q),[e,o,u]),i`<section class="graph-list">
    <div class="graph-find">
      <input
        type="search"
        placeholder=${n.find}
        aria-label=${n.find}
        value=${o}
        onInput=${d=>t(d.target.value)}
      />
      <select
        aria-label=${n.order}
        value=${u}
        onChange=${d=>p(d.target.value)}
      >
        ${Object.entries(n.orders).map(([d,k])=>i`<option value=${d}>${k}</option>`)}
      </select>
    </div>
    ${!f.length&&i`<p class="graph-none">${n.noMatch}</p>`}
    <ol>
      ${f.slice(0,g).map(d=>i`<li key=${d}>
          <button
            type="button"
            aria-current=${d===r?"true":void 0}
            class=${d===c?"hovered":""}
            onClick=${()=>l(d)}
          >
            <span dir="auto">${e.labels[d]}</span>
            <small>${e.kinds[d]} · ${X(e.moments[d])} · ${n.links(s.degree[d])}</small>
          </button>
        </li>`)}
    </ol>
    ${f.length>g&&i`<button type="button" class="plain" onClick=${()=>h(g+200)}>
        ${n.more(Math.min(200,f.length-g))}
      </button>`}
  </section>`}var ge=[300,1e3,3e3,1e4],he=[1,2,3,4],fe=["temporal","may_revise"],L=new Intl.NumberFormat,be=e=>e>3e3?1:e>1e3?2:4;function ye(){let e=B.value.rest;return i`<${ke} key=${G.value} start=${e} dark=${V.value} />`}var O=(e="")=>T(E.graph(e));function ke({start:e,dark:s}){let[r,c]=$(1e3),[l,o]=$(2),[t,u]=$(),[p,g]=$(),[h,f]=$(new Set(fe)),[d,k]=$(0),[b,N]=$("kind"),[m,H]=$(),[re,se]=$(),[oe,F]=$(""),[K,ae]=$("picture"),ie=e?[...h].sort().join():"";S(()=>{let a=new AbortController;g(void 0);let y=e?{memory_id:e,depth:l,limit:1e3,strongest:6,min_weight:d,types:Object.keys(z).filter(w=>!h.has(w))}:{limit:r,strongest:be(r)},_=setTimeout(()=>{W("GET","/graph",{query:y,signal:a.signal}).then(w=>{u(w),H(e?w.ids.indexOf(e):void 0)},w=>w.name==="AbortError"||g(w.message))},t&&e?150:0);return()=>{clearTimeout(_),a.abort()}},[e,r,l,ie,e?d:0]);let x=C(()=>{let a=new Set(Object.keys(z).filter(y=>!h.has(y)));return t&&new D(t,{types:a,weight:d})},[t,h,d]),A=C(()=>t?q(t):new Map,[t]),[le,ue]=C(()=>t?we(t,b,s):[[],new Map],[t,b,s]),v=ve(t,x,le,s,{chosen:m,setChosen:H,setHovered:se}),M=a=>{H(a),v.mark(a,!0),t&&a!==void 0&&F(`${t.labels[a]}. ${n.links(x.degree[a])}.`)},ce=a=>{if(!t||!x||a.ctrlKey||a.metaKey||a.altKey)return;let y={"+":()=>v.zoom(1.5),"=":()=>v.zoom(1.5),"-":()=>v.zoom(1/1.5),0:()=>v.fit(),Escape:()=>M(void 0),Enter:()=>m!==void 0&&T(E.memory(t.ids[m])),g:()=>m!==void 0&&O(t.ids[m])},_=a.key.startsWith("Arrow");if(!_&&!y[a.key])return;if(a.preventDefault(),!_)return y[a.key]?.();if(m===void 0)return M(v.central());let w=U(t,x,m,a.key);w===void 0?F(n.noWay):M(w)},pe=a=>{let y=new Set(h);y.delete(a)||y.add(a),f(y)};if(t&&!t.ids.length)return i`<${Ne} gone=${e} leave=${()=>O()} />`;let de=Object.keys(z).filter(a=>A.has(a)||e&&h.has(a));return i`
    <section class="graph" data-pane=${K}>
      <header class="graph-bar">
        <h1>${n.title}</h1>
        ${e?i`<${xe} net=${t} memory=${e} leave=${()=>O()} />
                <${ne} label=${n.depth} values=${he} value=${l} set=${o} />`:i`<${ne} label=${n.size} values=${ge} value=${r} set=${c} />`}
        <label class="graph-select"
          >${n.colour}
          <select value=${b} onChange=${a=>N(a.target.value)}>
            ${Object.entries(n.colours).map(([a,y])=>i`<option value=${a}>${y}</option>`)}
          </select></label
        >
        <label class="graph-weight"
          >${n.weight} <b>${d.toFixed(2)}</b>
          <input
            type="range"
            min="0"
            max="1"
            step="0.05"
            value=${d}
            onInput=${a=>k(Number(a.target.value))}
        /></label>
        <fieldset class="graph-types">
          <legend>${n.edges}</legend>
          ${de.map(a=>i`<button
              type="button"
              class="graph-type"
              aria-pressed=${!h.has(a)}
              onClick=${()=>pe(a)}
            >
              <${j} type=${a} dark=${s} />${n.types[a]}
              ${A.has(a)&&i`<small>${L.format(A.get(a))}</small>`}
            </button>`)}
        </fieldset>
      </header>
      <div class="graph-panes" role="group">
        ${["picture","list"].map(a=>i`<button type="button" aria-pressed=${K===a} onClick=${()=>ae(a)}>
              ${a==="picture"?n.picture:n.list}
            </button>`)}
      </div>
      <div class="graph-picture">
        <div
          class="graph-canvas"
          ref=${v.element}
          tabindex="0"
          role="application"
          aria-label=${n.canvas}
          aria-describedby="graph-keys"
          onKeyDown=${ce}
        ></div>
        ${!t&&!p&&i`<p class="graph-wait" role="status">${n.loading}</p>`}
        ${p&&i`<p class="graph-wait" role="alert">${p}</p>`}
        ${v.failed&&i`<p class="graph-wait">${n.noGl}</p>`}
        <div class="graph-zoom">
          <button type="button" aria-label=${n.zoomIn} title=${n.zoomIn} onClick=${()=>v.zoom(1.5)}>+</button>
          <button type="button" aria-label=${n.zoomOut} title=${n.zoomOut} onClick=${()=>v.zoom(1/1.5)}>−</button>
          <button type="button" aria-label=${n.fit} title=${n.fit} onClick=${()=>v.fit()}>⤢</button>
        </div>
        <${Se} by=${b} legend=${ue} dark=${s} rings=${t?.statuses.includes("superseded")} />
        <p class="graph-keys" id="graph-keys">${n.keys}</p>
        <p class="hidden" role="status">${oe}</p>
      </div>
      <aside class="graph-side" aria-label=${n.list}>
        ${t&&x&&i`<p class="graph-count">
              ${n.shown(L.format(t.ids.length),L.format(x.count))}
              ${t.nodes_left_out+t.edges_left_out>0&&i`<small
                  >${t.nodes_left_out>0&&n.leftOut(L.format(t.nodes_left_out))}
                  ${t.edges_left_out>0&&n.edgesLeftOut(L.format(t.edges_left_out))}</small
                >`}
            </p>
            ${m!==void 0&&m>=0&&i`<${ee}
                net=${t}
                links=${x}
                node=${m}
                choose=${M}
                dark=${s}
              />`}
            <${te} net=${t} links=${x} chosen=${m} hovered=${re} choose=${M} />`}
      </aside>
    </section>
  `}function ve(e,s,r,c,l){let o=I(null),t=I(void 0),u=I(void 0),p=I(e);p.current=e;let[g,h]=$(!1),[f,d]=$(0);return S(()=>{let k=!1;import("./canvas-6FEZYD5G.js").then(N=>{if(!(k||!o.current))try{t.current=new N.Picture(o.current,{hover:l.setHovered,select:m=>{l.setChosen(m),t.current?.mark(m)},open:m=>T(E.memory(p.current.ids[m]))}),d(m=>m+1)}catch{h(!0)}});let b=new ResizeObserver(()=>t.current?.resize());return b.observe(o.current),()=>{k=!0,b.disconnect(),t.current?.kill(),t.current=void 0,u.current=void 0}},[]),S(()=>{if(!t.current||!e||!s)return;let b={dark:c,colours:r,edgeName:(N,m)=>m||(n.types[N]??N)};if(u.current===e){t.current.restyle(s,b);return}u.current=e,t.current.show(e,s,b),performance.mark("combray-graph"),o.current.dataset.ready=String(e.ids.length)},[e,s,r,f]),{element:o,failed:g,zoom:k=>t.current?.zoom(k),fit:()=>t.current?.fit(),mark:(k,b)=>t.current?.mark(k,b),central:()=>t.current?.central()}}function we(e,s,r){if(s!=="age"){let o=s==="kind"?e.kinds:e.categories,t=Z(o,r);return[o.map(u=>t.get(u)),t]}let[c,l]=[Number.POSITIVE_INFINITY,Number.NEGATIVE_INFINITY];for(let o of e.moments)c=Math.min(c,o),l=Math.max(l,o);return[e.moments.map(o=>R((o-c)/(l-c||1),r)),new Map]}function ne({label:e,values:s,value:r,set:c}){return i`<div class="graph-choice" role="group" aria-label=${e}>
    <span>${e}</span>
    ${s.map(l=>i`<button type="button" aria-pressed=${l===r} onClick=${()=>c(l)}>${L.format(l)}</button>`)}
  </div>`}function xe({net:e,memory:s,leave:r}){let c=e?.labels[e.ids.indexOf(s)]??s.slice(0,8);return i`<p class="graph-around">
    <span>${n.around}</span> <b dir="auto">${c}</b>
    <button type="button" aria-label=${n.leave} title=${n.leave} onClick=${r}>×</button>
  </p>`}function j({type:e,dark:s}){let r=Y(e);return i`<svg class="graph-line" width="30" height="10" aria-hidden="true">
    <line
      x1="1"
      y1="5"
      x2=${r.arrow?24:29}
      y2="5"
      stroke=${s?r.dark:r.light}
      stroke-width="2"
      stroke-dasharray=${r.dash[1]?r.dash.join(" "):"none"}
    />
    ${r.arrow&&i`<path d="M23 1 L29 5 L23 9 Z" fill=${s?r.dark:r.light} />`}
  </svg>`}function Se({by:e,legend:s,dark:r,rings:c}){let l=[...s].slice(0,6);return i`<ul class="graph-legend">
    ${l.map(([o,t])=>i`<li><svg width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="4.5" fill=${t} /></svg>${o}</li>`)}
    ${e==="age"&&i`<li>
        ${n.older}
        <svg width="70" height="8" aria-hidden="true">
          ${[0,1,2,3,4,5,6].map(o=>i`<rect x=${o*10} width="10" height="8" fill=${R(o/6,r)} />`)}</svg
        >${n.newer}
      </li>`}
    ${c&&i`<li>
        <svg width="10" height="10" aria-hidden="true">
          <circle cx="5" cy="5" r="3.6" fill="none" stroke="currentColor" stroke-width="1.6" /></svg
        >${n.notCurrent}
      </li>`}
  </ul>`}function Ne({gone:e,leave:s}){return e?i`<h1>${n.title}</h1>
      <${P} text=${n.goneTitle} hint=${n.goneText}>
        <button type="button" onClick=${s}>${n.leave}</button>
      <//>`:i`<h1>${n.title}</h1>
    <${P} text=${n.emptyTitle} hint=${n.emptyText} command=${n.emptyHow} />`}export{ye as Page};
