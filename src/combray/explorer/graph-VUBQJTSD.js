import{a as z,b as Y,c as Z,d as R}from"./chunk-4NIIPTNR.js";import{C as B,E as T,G as N,J as P,b as i,ba as V,c as $,d as S,e as M,f as E,i as G,n as W,q as n}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var D=class{constructor(r,s){this.net=r;let c=r.type_names.map(o=>s.types.has(o)),l=Array.from(r.ids,()=>[]);this.visible=r.types.map((o,t)=>!!c[o]&&r.weights[t]>=s.weight),this.visible.forEach((o,t)=>{if(!o)return;let[u,p]=[r.sources[t],r.targets[t]];l[u].push({edge:t,other:p,out:!0}),p!==u&&l[p].push({edge:t,other:u,out:!1}),this.count++}),this.steps=l,this.degree=l.map(o=>o.length)}net;visible;degree;count=0;steps;at(r){let{weights:s}=this.net;return[...this.steps[r]??[]].sort((c,l)=>s[l.edge]-s[c.edge]||c.edge-l.edge)}};function q(e){let r=new Map;for(let s of e.types){let c=e.type_names[s];r.set(c,(r.get(c)??0)+1)}return r}var me={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,1],ArrowDown:[0,-1]};function U(e,r,s,c){let l=me[c];if(!l)return;let o,t=.35;for(let{other:u}of r.at(s)){let p=e.x[u]-e.x[s],g=e.y[u]-e.y[s],h=Math.hypot(p,g)||1e-9,b=(p*l[0]+g*l[1])/h-h*.15;u!==s&&b>t&&(t=b,o=u)}return o}function J(e,r,s,c){let l=s.toLocaleLowerCase().split(/\s+/).filter(Boolean),o=e.ids.map((u,p)=>p),t=l.length?o.filter(u=>{let p=e.labels[u].toLocaleLowerCase();return l.every(g=>p.includes(g))}):o;return c==="links"?t.sort((u,p)=>r.degree[p]-r.degree[u]||e.moments[p]-e.moments[u]):c==="newest"?t.sort((u,p)=>e.moments[p]-e.moments[u]):t.sort((u,p)=>e.labels[u].localeCompare(e.labels[p]))}var Q=60,$e=new Intl.DateTimeFormat(void 0,{dateStyle:"medium"}),X=e=>$e.format(e*1e3);function ee({net:e,links:r,node:s,choose:c,dark:l}){let o=r.at(s),[t,u]=$(12);return S(()=>u(12),[e,s]),i`<section class="graph-chosen" aria-live="off">
    <p class="graph-text" dir="auto">${e.labels[s]}</p>
    <p class="graph-facts">
      <span>${e.kinds[s]}</span>
      ${e.categories[s]!==e.kinds[s]&&i`<span>${e.categories[s]}</span>`}
      ${e.statuses[s]!=="active"&&i`<span class="graph-status">${e.statuses[s]}</span>`}
      <time datetime=${new Date(e.moments[s]*1e3).toISOString()}>${X(e.moments[s])}</time>
    </p>
    <p class="graph-acts">
      <a class="button" href=${N.memory(e.ids[s])}>${n.open}</a>
      <button type="button" onClick=${()=>I(e.ids[s])}>${n.outwards}</button>
      <button type="button" class="plain" onClick=${()=>c(void 0)}>${n.close}</button>
    </p>
    ${!o.length&&i`<p class="graph-none">${n.noLinks}</p>`}
    <ul class="graph-links">
      ${o.slice(0,t).map(({edge:p,other:g,out:h})=>{let b=e.type_names[e.types[p]],d=(h?n.from:n.to)[b];return i`<li key=${p}>
          <button type="button" onClick=${()=>c(g)}>
            <span class="graph-how"
              ><${j} type=${b} dark=${l} />${d}${e.subtypes[p]&&` (${e.subtypes[p]})`}
              <small>${e.weights[p].toFixed(2)}</small></span
            >
            <span dir="auto">${e.labels[g]}</span>
          </button>
        </li>`})}
    </ul>
    ${o.length>t&&i`<button type="button" class="plain" onClick=${()=>u(t+50)}>
        ${n.more(Math.min(50,o.length-t))}
      </button>`}
  </section>`}function te({net:e,links:r,chosen:s,hovered:c,choose:l}){let[o,t]=$(""),[u,p]=$("links"),[g,h]=$(Q),b=E(()=>J(e,r,o,u),[e,r,o,u]);return S(()=>h(Q),[e,o,u]),i`<section class="graph-list">
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
    ${!b.length&&i`<p class="graph-none">${n.noMatch}</p>`}
    <ol>
      ${b.slice(0,g).map(d=>i`<li key=${d}>
          <button
            type="button"
            aria-current=${d===s?"true":void 0}
            class=${d===c?"hovered":""}
            onClick=${()=>l(d)}
          >
            <span dir="auto">${e.labels[d]}</span>
            <small>${e.kinds[d]} · ${X(e.moments[d])} · ${n.links(r.degree[d])}</small>
          </button>
        </li>`)}
    </ol>
    ${b.length>g&&i`<button type="button" class="plain" onClick=${()=>h(g+200)}>
        ${n.more(Math.min(200,b.length-g))}
      </button>`}
  </section>`}var ge=[300,1e3,3e3,1e4],he=[1,2,3,4],be=["temporal","may_revise"],_=new Intl.NumberFormat,fe=e=>e>3e3?1:e>1e3?2:4;function ye(){let e=B.value.rest;return i`<${ke} key=${G.value} start=${e} dark=${V.value} />`}var I=(e="")=>T(N.graph(e));function ke({start:e,dark:r}){let[s,c]=$(1e3),[l,o]=$(2),[t,u]=$(),[p,g]=$(),[h,b]=$(new Set(be)),[d,k]=$(0),[f,C]=$("kind"),[m,H]=$(),[se,re]=$(),[oe,F]=$(""),[K,ae]=$("picture"),ie=e?[...h].sort().join():"";S(()=>{let a=new AbortController;g(void 0);let y=e?{memory_id:e,depth:l,limit:1e3,strongest:6,min_weight:d,types:Object.keys(z).filter(w=>!h.has(w))}:{limit:s,strongest:fe(s)},O=setTimeout(()=>{W("GET","/graph",{query:y,signal:a.signal}).then(w=>{u(w),H(e?w.ids.indexOf(e):void 0)},w=>w.name==="AbortError"||g(w.message))},t&&e?150:0);return()=>{clearTimeout(O),a.abort()}},[e,s,l,ie,e?d:0]);let x=E(()=>{let a=new Set(Object.keys(z).filter(y=>!h.has(y)));return t&&new D(t,{types:a,weight:d})},[t,h,d]),A=E(()=>t?q(t):new Map,[t]),[le,ue]=E(()=>t?we(t,f,r):[[],new Map],[t,f,r]),v=ve(t,x,le,r,{chosen:m,setChosen:H,setHovered:re}),L=a=>{H(a),v.mark(a,!0),t&&a!==void 0&&F(`${t.labels[a]}. ${n.links(x.degree[a])}.`)},ce=a=>{if(!t||!x||a.ctrlKey||a.metaKey||a.altKey)return;let y={"+":()=>v.zoom(1.5),"=":()=>v.zoom(1.5),"-":()=>v.zoom(1/1.5),0:()=>v.fit(),Escape:()=>L(void 0),Enter:()=>m!==void 0&&T(N.memory(t.ids[m])),g:()=>m!==void 0&&I(t.ids[m])},O=a.key.startsWith("Arrow");if(!O&&!y[a.key])return;if(a.preventDefault(),!O)return y[a.key]?.();if(m===void 0)return L(v.central());let w=U(t,x,m,a.key);w===void 0?F(n.noWay):L(w)},pe=a=>{let y=new Set(h);y.delete(a)||y.add(a),b(y)};if(t&&!t.ids.length)return i`<${Ce} gone=${e} leave=${()=>I()} />`;let de=Object.keys(z).filter(a=>A.has(a)||e&&h.has(a));return i`
    <section class="graph" data-pane=${K}>
      <header class="graph-bar">
        <h1>${n.title}</h1>
        ${e?i`<${xe} net=${t} memory=${e} leave=${()=>I()} />
                <${ne} label=${n.depth} values=${he} value=${l} set=${o} />`:i`<${ne} label=${n.size} values=${ge} value=${s} set=${c} />`}
        <label class="graph-select"
          >${n.colour}
          <select value=${f} onChange=${a=>C(a.target.value)}>
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
              <${j} type=${a} dark=${r} />${n.types[a]}
              ${A.has(a)&&i`<small>${_.format(A.get(a))}</small>`}
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
        <${Se} by=${f} legend=${ue} dark=${r} rings=${t?.statuses.includes("superseded")} />
        <p class="graph-keys" id="graph-keys">${n.keys}</p>
        <p class="hidden" role="status">${oe}</p>
      </div>
      <aside class="graph-side" aria-label=${n.list}>
        ${t&&x&&i`<p class="graph-count">
              ${n.shown(_.format(t.ids.length),_.format(x.count))}
              ${t.nodes_left_out+t.edges_left_out>0&&i`<small
                  >${t.nodes_left_out>0&&n.leftOut(_.format(t.nodes_left_out))}
                  ${t.edges_left_out>0&&n.edgesLeftOut(_.format(t.edges_left_out))}</small
                >`}
            </p>
            ${m!==void 0&&m>=0&&i`<${ee}
                net=${t}
                links=${x}
                node=${m}
                choose=${L}
                dark=${r}
              />`}
            <${te} net=${t} links=${x} chosen=${m} hovered=${se} choose=${L} />`}
      </aside>
    </section>
  `}function ve(e,r,s,c,l){let o=M(null),t=M(void 0),u=M(void 0),p=M(e);p.current=e;let[g,h]=$(!1),[b,d]=$(0);return S(()=>{let k=!1;import("./canvas-6FEZYD5G.js").then(C=>{if(!(k||!o.current))try{t.current=new C.Picture(o.current,{hover:l.setHovered,select:m=>{l.setChosen(m),t.current?.mark(m)},open:m=>T(N.memory(p.current.ids[m]))}),d(m=>m+1)}catch{h(!0)}});let f=new ResizeObserver(()=>t.current?.resize());return f.observe(o.current),()=>{k=!0,f.disconnect(),t.current?.kill(),t.current=void 0,u.current=void 0}},[]),S(()=>{if(!t.current||!e||!r)return;let f={dark:c,colours:s,edgeName:(C,m)=>m||(n.types[C]??C)};if(u.current===e){t.current.restyle(r,f);return}u.current=e,t.current.show(e,r,f),performance.mark("combray-graph"),o.current.dataset.ready=String(e.ids.length)},[e,r,s,b]),{element:o,failed:g,zoom:k=>t.current?.zoom(k),fit:()=>t.current?.fit(),mark:(k,f)=>t.current?.mark(k,f),central:()=>t.current?.central()}}function we(e,r,s){if(r!=="age"){let o=r==="kind"?e.kinds:e.categories,t=Z(o,s);return[o.map(u=>t.get(u)),t]}let[c,l]=[Number.POSITIVE_INFINITY,Number.NEGATIVE_INFINITY];for(let o of e.moments)c=Math.min(c,o),l=Math.max(l,o);return[e.moments.map(o=>R((o-c)/(l-c||1),s)),new Map]}function ne({label:e,values:r,value:s,set:c}){return i`<div class="graph-choice" role="group" aria-label=${e}>
    <span>${e}</span>
    ${r.map(l=>i`<button type="button" aria-pressed=${l===s} onClick=${()=>c(l)}>${_.format(l)}</button>`)}
  </div>`}function xe({net:e,memory:r,leave:s}){let c=e?.labels[e.ids.indexOf(r)]??r.slice(0,8);return i`<p class="graph-around">
    <span>${n.around}</span> <b dir="auto">${c}</b>
    <button type="button" aria-label=${n.leave} title=${n.leave} onClick=${s}>×</button>
  </p>`}function j({type:e,dark:r}){let s=Y(e);return i`<svg class="graph-line" width="30" height="10" aria-hidden="true">
    <line
      x1="1"
      y1="5"
      x2=${s.arrow?24:29}
      y2="5"
      stroke=${r?s.dark:s.light}
      stroke-width="2"
      stroke-dasharray=${s.dash[1]?s.dash.join(" "):"none"}
    />
    ${s.arrow&&i`<path d="M23 1 L29 5 L23 9 Z" fill=${r?s.dark:s.light} />`}
  </svg>`}function Se({by:e,legend:r,dark:s,rings:c}){let l=[...r].slice(0,6);return i`<ul class="graph-legend">
    ${l.map(([o,t])=>i`<li><svg width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="4.5" fill=${t} /></svg>${o}</li>`)}
    ${e==="age"&&i`<li>
        ${n.older}
        <svg width="70" height="8" aria-hidden="true">
          ${[0,1,2,3,4,5,6].map(o=>i`<rect x=${o*10} width="10" height="8" fill=${R(o/6,s)} />`)}</svg
        >${n.newer}
      </li>`}
    ${c&&i`<li>
        <svg width="10" height="10" aria-hidden="true">
          <circle cx="5" cy="5" r="3.6" fill="none" stroke="currentColor" stroke-width="1.6" /></svg
        >${n.notCurrent}
      </li>`}
  </ul>`}function Ce({gone:e,leave:r}){return e?i`<h1>${n.title}</h1>
      <${P} text=${n.goneTitle} hint=${n.goneText}>
        <button type="button" onClick=${r}>${n.leave}</button>
      <//>`:i`<h1>${n.title}</h1>
    <${P} text=${n.emptyTitle} hint=${n.emptyText} command=${n.emptyHow} />`}export{ye as Page};
