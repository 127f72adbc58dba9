import{C as m,I as $,R as p,S as y,b as a,w as c,z as u}from"./chunk-P57JSFJ5.js";var g=c.search,n=c.signals,b=4;function x(t,e){return u("memory",t.id,{q:e})}function k({hit:t}){let e=(i,r,o)=>a`<span class="warn-text">${i} <a href=${m.memory(r)}>${o}</a></span>`;return a`<p class="reasons">
    <span>${n.via[t.via]??n.otherwise(t.via)}</span>
    ${t.outdated_by&&e(n.outdated,t.outdated_by,n.later)}
    ${t.may_be_outdated_by&&e(n.mayBeOutdated,t.may_be_outdated_by,n.later)}
    ${t.may_replace&&e(n.mayReplace,t.may_replace,n.earlier)}
    ${t.restated_by.length>0&&a`<span>${n.restated(t.restated_by.length)}</span>`}
  </p>`}function v({share:t,strong:e}){return a`<span class=${`track ${e?"strong":""}`} aria-hidden="true"><span style=${{width:`${Math.round(Math.min(1,Math.max(0,t))*100)}%`}}></span></span>`}function w({hit:t,best:e,order:i}){let r=i.filter(s=>(t.signals[s]??0)>0).slice(0,b),o=(s,l,d,f=!1)=>a`<div key=${s}>
    <dt>${s}</dt><dd><${v} share=${d} strong=${f} /><span class="number">${l.toFixed(2)}</span></dd>
  </div>`;return a`<dl class="signals" aria-label=${g.signalsOf}>
    ${o(g.score,t.score,e?t.score/e:0,!0)}
    ${r.map(s=>o(n.names[s]??s,t.signals[s]??0,t.signals[s]??0))}
  </dl>`}function _(t){let e=new Map;for(let s of t)for(let[l,d]of Object.entries(s.signals))e.set(l,[...e.get(l)??[],d]);let i=s=>Math.max(...e.get(s)??[0]),r=["context","own","window","keyword","vector","entity","exact","date","answer"],o=s=>r.includes(s)?r.indexOf(s):r.length;return[...e.keys()].filter(s=>i(s)>0&&s!=="length").sort((s,l)=>o(s)-o(l)||s.localeCompare(l))}function h({hits:t,query:e,of:i}){let r=Math.max(...t.map(s=>s.score),0),o=_(t);return a`<ol class="hits">
    ${t.map(s=>a`<li class="hit" key=${s.memory.id}>
      <div class="hit-said">
        <a class="hit-link" data-item href=${x(s.memory,e)}><span class="text clamp" dir="auto">${y(p(s.memory.content,i),i)}</span></a>
        <${$} memory=${s.memory} />
        <${k} hit=${s} />
      </div>
      <${w} hit=${s} best=${r} order=${o} />
    </li>`)}
  </ol>`}function H({memories:t}){return a`<ol class="hits">
    ${t.map(e=>a`<li class="hit" key=${e.id}>
      <div class="hit-said">
        <a class="hit-link" data-item href=${m.memory(e.id)}><span class="text clamp" dir="auto">${p(e.content,[])}</span></a>
        <${$} memory=${e} />
      </div>
    </li>`)}
  </ol>`}export{v as a,h as b,H as c};
