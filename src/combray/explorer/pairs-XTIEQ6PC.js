import{H as E,I as T,J as m,N as f,P as p,S as C,X as H,b as i,c,e as x,n as $,x as O,y as S}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var G=200,e=O.pairs,L=[["1","supersedes"],["2","corrects"],["3","same"],["4","both"]],N="0",V="z";function R(){let s=S(()=>$("GET","/unsettled",{query:{limit:G}})),[v,w]=c(0),[b,r]=c([]),[h,y]=c([]),d=x(null),k=(s.value?.results??[]).filter(t=>!b.includes(l(t))&&!h.includes(t.new.id)&&!h.includes(t.old.id)),o=k[0];async function P(t){if(!o)return;let n=o;if(r([...b,l(n)]),!await p.trying(()=>$("POST","/settle",{body:{new:n.new.id,old:n.old.id,verdict:t}}))){r(a=>a.filter(A=>A!==l(n)));return}d.current=n,t!=="both"&&y(a=>[...a,n.old.id]),w(a=>a+1),p.done(e.settledAs[t],q)}async function q(){let t=d.current;t&&(d.current=null,await $("POST","/settle",{body:{new:t.new.id,old:t.old.id,verdict:"open"}}),w(n=>Math.max(0,n-1)),r(n=>n.filter(u=>u!==l(t))),y(n=>n.filter(u=>u!==t.old.id)),s.reload())}function M(){o&&r([...b,l(o)])}let g=H.value;return C({...Object.fromEntries(L.map(([t,n])=>[t,()=>g&&P(n)])),[N]:M,[V]:()=>d.current&&p.trying(q)}),i`<section aria-labelledby="pairs-heading">
    <${E} id="pairs-heading" text=${e.heading} about=${e.about} />
    <${T} of=${s} />
    ${s.value&&!s.value.results.length&&i`<${m} text=${e.empty} hint=${e.emptyHint} />`}
    ${s.value&&s.value.results.length>0&&!o&&i`<${m} text=${e.finished(v)} hint=${e.finishedHint}>
      <button onClick=${()=>{r([]),y([]),s.reload()}}>${e.again}</button>
    <//>`}
    ${o&&!g&&i`<p class="quiet">${e.needsWrite}</p>`}
    ${o&&i`<p role="status" class="quiet">${e.progress(k.length,v)}</p>
      <div class="pair">
        <${f} memory=${o.old} label=${e.earlier} level=${2} />
        <${f} memory=${o.new} label=${e.later} level=${2} />
      </div>
      <p class="quiet">${e.because(o.reason,o.score)}</p>
      <div class="verdicts" role="group" aria-label=${e.verdicts}>
        ${L.map(([t,n])=>i`<button key=${t} class="verdict" disabled=${!g} onClick=${()=>P(n)}>
            <kbd>${t}</kbd> <span><strong>${e.verdict[n]}</strong>
            <span class="quiet">${e.meaning[n]}</span></span>
          </button>`)}
        <button class="verdict" onClick=${M}>
          <kbd>${N}</kbd> <span><strong>${e.notNow}</strong>
          <span class="quiet">${e.notNowMeaning}</span></span>
        </button>
      </div>
      <p class="quiet">${e.undoHint} <kbd>${V}</kbd></p>`}
  </section>`}function l(s){return`${s.new.id} ${s.old.id}`}export{R as Page};
