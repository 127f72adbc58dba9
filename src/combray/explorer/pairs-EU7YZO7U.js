import{H as O,I as S,J as y,N as m,P as u,S as E,X as T,b as o,c as b,e as q,n as d,x as M,y as x}from"./chunk-O4AZENHX.js";import"./chunk-OOJM4CTU.js";var V=200,e=M.pairs,C=[["1","supersedes"],["2","corrects"],["3","same"],["4","both"]],H="0",L="z";function K(){let s=x(()=>d("GET","/unsettled",{query:{limit:V}})),[g,f]=b(0),[c,a]=b([]),l=q(null),v=(s.value?.results??[]).filter(n=>!c.includes(i(n))),r=v[0];async function h(n){if(!r)return;let t=r;if(a([...c,i(t)]),!await u.trying(()=>d("POST","/settle",{body:{new:t.new.id,old:t.old.id,verdict:n}}))){a(p=>p.filter(N=>N!==i(t)));return}l.current=t,f(p=>p+1),u.done(e.settledAs[n],w)}async function w(){let n=l.current;n&&(l.current=null,await d("POST","/settle",{body:{new:n.new.id,old:n.old.id,verdict:"open"}}),f(t=>Math.max(0,t-1)),a(t=>t.filter(P=>P!==i(n))),s.reload())}function k(){r&&a([...c,i(r)])}let $=T.value;return E({...Object.fromEntries(C.map(([n,t])=>[n,()=>$&&h(t)])),[H]:k,[L]:()=>l.current&&u.trying(w)}),o`<section aria-labelledby="pairs-heading">
    <${O} id="pairs-heading" text=${e.heading} about=${e.about} />
    <${S} of=${s} />
    ${s.value&&!s.value.results.length&&o`<${y} text=${e.empty} hint=${e.emptyHint} />`}
    ${s.value&&s.value.results.length>0&&!r&&o`<${y} text=${e.finished(g)} hint=${e.finishedHint}>
      <button onClick=${()=>{a([]),s.reload()}}>${e.again}</button>
    <//>`}
    ${r&&!$&&o`<p class="quiet">${e.needsWrite}</p>`}
    ${r&&o`<p role="status" class="quiet">${e.progress(v.length,g)}</p>
      <div class="pair">
        <${m} memory=${r.old} label=${e.earlier} level=${2} />
        <${m} memory=${r.new} label=${e.later} level=${2} />
      </div>
      <p class="quiet">${e.because(r.reason,r.score)}</p>
      <div class="verdicts" role="group" aria-label=${e.verdicts}>
        ${C.map(([n,t])=>o`<button key=${n} class="verdict" disabled=${!$} onClick=${()=>h(t)}>
            <kbd>${n}</kbd> <span><strong>${e.verdict[t]}</strong>
            <span class="quiet">${e.meaning[t]}</span></span>
          </button>`)}
        <button class="verdict" onClick=${k}>
          <kbd>${H}</kbd> <span><strong>${e.notNow}</strong>
          <span class="quiet">${e.notNowMeaning}</span></span>
        </button>
      </div>
      <p class="quiet">${e.undoHint} <kbd>${L}</kbd></p>`}
  </section>`}function i(s){return`${s.new.id} ${s.old.id}`}export{K as Page};
