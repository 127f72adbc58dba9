import{H as f,I as y,K as m,b as r,c as v,n as c,x as h,y as b}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var _=[7,30,90,365],g=96,e=h.usage;function i({name:l,value:s,note:a}){return r`<div class="figure">
    <dt>${l}</dt>
    <dd><strong>${s}</strong>${a&&r` <span class="quiet">${a}</span>`}</dd>
  </div>`}function w({days:l,of:s,part:a,label:o}){let d=Math.max(1,...l.map(s)),n=100/l.length,$=(t,u,k)=>{let p=t/d*g;return t>0&&r`<rect class=${k} x=${u*n+n*.1} y=${g-p}
      width=${n*.8} height=${p} />`};return r`<figure class="bars">
    <figcaption>${o} <span class="quiet">${e.atMost(d)}</span></figcaption>
    <svg viewBox="0 0 100 ${g}" preserveAspectRatio="none" role="img" aria-label=${e.barsOf(o,d)}>
      ${l.map((t,u)=>r`<g key=${t.day}>
        <title>${e.dayIs(t.day,s(t))}</title>
        ${$(s(t),u,"bar")}
        ${a&&$(a(t),u,"bar bad")}
      </g>`)}
    </svg>
    <div class="bars-ends quiet"><${m} at=${l[0]?.day} /><${m} at=${l.at(-1)?.day} /></div>
  </figure>`}function D({days:l}){let s=l.filter(a=>a.asked||a.written);return r`<details>
    <summary>${e.asTable}</summary>
    <div class="table" tabindex="0" role="region" aria-label=${e.asTable}><table>
      <thead><tr><th scope="col">${e.day}</th><th scope="col">${e.asked}</th>
        <th scope="col">${e.empty}</th><th scope="col">${e.written}</th></tr></thead>
      <tbody>${s.map(a=>r`<tr key=${a.day}>
        <td><${m} at=${a.day} /></td><td class="number">${a.asked}</td>
        <td class="number">${a.empty}</td><td class="number">${a.written}</td></tr>`)}</tbody>
    </table></div>
  </details>`}function M({models:l}){return l.length?r`<div class="table" tabindex="0" role="region" aria-label=${e.models}><table>
    <thead><tr><th scope="col">${e.model}</th><th scope="col">${e.kind}</th><th scope="col">${e.calls}</th>
      <th scope="col">${e.failures}</th><th scope="col">${e.tokens}</th><th scope="col">${e.cost}</th></tr></thead>
    <tbody>${l.map(s=>r`<tr key=${s.kind+s.name}>
      <td>${s.name}</td><td>${s.kind}</td><td class="number">${s.calls}</td>
      <td class="number">${s.failures}</td><td class="number">${s.tokens}</td>
      <td class="number">${s.cost===null?e.noPrice:e.money(s.cost)}</td></tr>`)}</tbody>
  </table></div>`:r`<p class="quiet">${e.noModels}</p>`}function S(){let[l,s]=v(30),a=b(()=>c("GET","/status")),o=b(()=>c("GET","/status/metrics",{query:{days:l}}),[l]),d=a.value,n=o.value,$=n&&!n.asked&&!n.written;return r`<section aria-labelledby="usage-heading">
    <${f} id="usage-heading" text=${e.heading} about=${e.about} />
    <${y} of=${a} />
    ${d&&r`<dl class="figures">
      <${i} name=${e.memories} value=${e.number(d.total_insights)} note=${e.edges(d.edge_count)} />
      <${i} name=${e.size} value=${e.bytes(d.bytes)} />
      <${i} name=${e.preset} value=${d.preset} note=${d.embedder} />
      <${i} name=${e.tier} value=${d.tier.tier} note=${d.tier.why} />
      <${i} name=${e.vectors} value=${e.number(d.without_vector)} note=${e.vectorsNote} />
    </dl>`}
    <div class="row">
      <h2 class="grow">${e.served}</h2>
      <label class="inline"><span class="label">${e.span}</span>
        <select value=${String(l)} onChange=${t=>s(Number(t.target.value))}>
          ${_.map(t=>r`<option key=${t} value=${String(t)}>${e.lastDays(t)}</option>`)}
        </select></label>
    </div>
    <${y} of=${o} />
    ${$&&r`<p class="quiet">${e.nothingYet}</p>`}
    ${n&&!$&&r`<dl class="figures">
        <${i} name=${e.asked} value=${e.number(n.asked)} note=${e.answered(n.answered)} />
        <${i} name=${e.written} value=${e.number(n.written)} note=${e.duplicates(n.duplicates)} />
        <${i} name=${e.streamed} value=${e.number(n.streamed)} note=${e.used(n.used)} />
        <${i} name=${e.cost} value=${n.cost===null?e.noPrice:e.money(n.cost)} />
      </dl>
      <div class="charts">
        <${w} days=${n.by_day} of=${t=>t.asked} part=${t=>t.empty} label=${e.askedBars} />
        <${w} days=${n.by_day} of=${t=>t.written} label=${e.writtenBars} />
      </div>
      <${D} days=${n.by_day} />`}
    ${d&&r`<h2>${e.models}</h2><${M} models=${d.models} />`}
  </section>`}export{S as Page};
