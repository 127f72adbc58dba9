import{A as c,B as u,D as y,G as m,M as $,b as n,x as d}from"./chunk-KWKHBBK7.js";var g=d.search,o=d.signals,v=3,p=["exact","context","keyword","text","bm25","own","vector","entity","date","author","answer","window"];function w(s,t){return y("memory",s.id,{q:t})}function _({hit:s}){let t=(i,l,a)=>n`<span class="warn-text">${i} <a href=${m.memory(l)}>${a}</a></span>`;return n`<p class="reasons">
    <span>${o.via[s.via]??o.otherwise(s.via)}</span>
    ${s.outdated_by&&t(o.outdated,s.outdated_by,o.later)}
    ${s.may_be_outdated_by&&t(o.mayBeOutdated,s.may_be_outdated_by,o.later)}
    ${s.may_replace&&t(o.mayReplace,s.may_replace,o.earlier)}
    ${s.restated_by.length>0&&n`<span>${o.restated(s.restated_by.length)}</span>`}
  </p>`}function k({share:s,strong:t}){return n`<span class=${`track ${t?"strong":""}`} aria-hidden="true"
    ><span style=${{width:`${Math.round(Math.min(1,Math.max(0,s))*100)}%`}}></span
  ></span>`}function h({hit:s,best:t,order:i,all:l}){let a=l?i:i.filter(e=>(s.signals[e]??0)>0).slice(0,v),r=(e,b,f,x=!1)=>n`<div key=${e}>
      <dt>${e}</dt>
      <dd><${k} share=${f} strong=${x} /><span class="number">${b.toFixed(2)}</span></dd>
    </div>`;return n`<dl class="signals" aria-label=${g.signalsOf}>
    ${r(g.score,s.score,t?s.score/t:0,!0)}
    ${a.map(e=>r(o.names[e]??e,s.signals[e]??0,s.signals[e]??0))}
  </dl>`}function M(s){let t=new Map;for(let a of s)for(let[r,e]of Object.entries(a.signals))t.set(r,[...t.get(r)??[],e]);let i=a=>Math.max(...t.get(a)??[0]),l=a=>p.includes(a)?p.indexOf(a):p.length;return[...t.keys()].filter(a=>i(a)>0).sort((a,r)=>l(a)-l(r)||a.localeCompare(r))}function O({hits:s,query:t,of:i,all:l}){let a=Math.max(...s.map(e=>e.score),0),r=M(s);return n`<ol class="hits">
    ${s.map(e=>n`<li class="hit" key=${e.memory.id}>
          <div class="hit-said">
            <a class="hit-link" data-item href=${w(e.memory,t)}
              ><span class="text clamp" dir="auto">${u(c(e.memory.content,i),i)}</span></a
            >
            <${$} memory=${e.memory} />
            <${_} hit=${e} />
          </div>
          <${h} hit=${e} best=${a} order=${r} all=${l} />
        </li>`)}
  </ol>`}function R({memories:s}){return n`<ol class="hits">
    ${s.map(t=>n`<li class="hit" key=${t.id}>
          <div class="hit-said">
            <a class="hit-link" data-item href=${m.memory(t.id)}
              ><span class="text clamp" dir="auto">${c(t.content,[])}</span></a
            >
            <${$} memory=${t} />
          </div>
        </li>`)}
  </ol>`}export{k as a,O as b,R as c};
