import{G as f,H as v,I as h,J as k,K as w,P as E,b as i,c as l,n as p,x as y,y as m}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var b=3,t=y.audit;function q(){let[n,r]=l(null),[s,o]=l(!1);async function a(){o(!0),r(await E.trying(()=>p("POST","/audit/verify",{body:{}}))??null),o(!1)}let $=n&&!n.findings.length;return i`<div class="card">
    <div class="row">
      <button onClick=${a} disabled=${s}>${t.verify}</button>
      <p role="status" class="grow ${n?$?"good":"bad":"quiet"}">
        ${s?t.verifying:n?$?t.sound(n.entries):t.broken(n.findings.length+n.more):t.verifyAbout}
      </p>
    </div>
    ${n&&[...n.findings,...n.notes].length>0&&i`<ul>${[...n.findings,...n.notes].map((d,u)=>i`<li key=${u}>${t.deviation(d.line,d.kind)} <span dir="auto">${d.detail}</span></li>`)}</ul>`}
  </div>`}function x({entry:n}){let r=Object.entries(n.counts??{}).map(([o,a])=>`${a} ${o}`),s=n.ids??[];return i`<span>${r.join(", ")}</span>
    ${s.slice(0,b).map(o=>i` <a key=${o} class="id" href=${f.memory(o)} aria-label=${t.memory(o)}>${o.slice(0,13)}</a>`)}
    ${s.length>b&&i` <span class="quiet">${t.more(s.length-b)}</span>`}`}function S(){let[n,r]=l(50),[s,o]=l(""),[a,$]=l(""),d={limit:n,...s&&{operation:s},...a&&{since:a}},u=m(()=>p("GET","/audit",{query:d}),[n,s,a]),c=u.value?.results??[],g=e=>e.target.value;return i`<section aria-labelledby="audit-heading">
    <${v} id="audit-heading" text=${t.heading} about=${t.about} />
    <${q} />
    <div class="row filters">
      <label><span class="label">${t.operation}</span>
        <select value=${s} onChange=${e=>o(g(e))}>
          <option value="">${t.every}</option>
          ${t.operations.map(e=>i`<option key=${e} value=${e}>${e}</option>`)}
        </select></label>
      <label><span class="label">${t.since}</span>
        <input type="date" value=${a} onChange=${e=>$(g(e))} /></label>
    </div>
    <${h} of=${u} />
    ${u.value&&!c.length&&i`<${k} text=${t.empty} hint=${t.emptyHint} />`}
    ${c.length>0&&i`<div class="table" tabindex="0" role="region" aria-labelledby="audit-heading">
        <table>
          <thead><tr>
            <th scope="col">${t.number}</th><th scope="col">${t.when}</th><th scope="col">${t.operation}</th>
            <th scope="col">${t.who}</th><th scope="col">${t.namespace}</th>
            <th scope="col">${t.result}</th><th scope="col">${t.what}</th>
          </tr></thead>
          <tbody>${c.map(e=>i`<tr key=${e.seq}>
              <td class="number">${e.seq}</td>
              <td><${w} at=${e.at} minutes /></td>
              <td>${e.operation}${e.within&&i` <span class="quiet">(${e.within})</span>`}</td>
              <td dir="auto">${e.actor}</td>
              <td dir="auto">${e.namespace}</td>
              <td class=${e.result==="ok"?"":"bad"}>${e.result}</td>
              <td><${x} entry=${e} /></td>
            </tr>`)}</tbody>
        </table>
      </div>
      ${c.length>=n&&i`<button onClick=${()=>r(n*4)}>${t.older}</button>`}`}
  </section>`}export{S as Page};
