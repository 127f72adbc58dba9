import{G as _,H,J as A,b as c,c as g,d as D,e as I,f as S,i as O,n as P,r as i}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var C=class{year;month;date;count;constructor(e,r){let s=new Date(e);[this.year,this.month,this.date]=[s.getFullYear(),s.getMonth(),s.getDate()],this.count=this.of(r)+1}start(e){return new Date(this.year,this.month,this.date+e).getTime()}end(e){return this.start(e+1)-1}of(e){let r=new Date(e),s=Date.UTC(this.year,this.month,this.date);return Math.round((Date.UTC(r.getFullYear(),r.getMonth(),r.getDate())-s)/864e5)}};function N(t,e,r){return Date.parse(t.recorded)>r?"unknown":Date.parse(t.true_from)>e?"future":t.true_to===null||Date.parse(t.true_to)>e?"stands":Date.parse(t.ended_recorded??t.recorded)>r?"believed":t.superseded_by?"ended":"over"}var v=864e5,V=[[v,"day",1],[2*v,"day",2],[7*v,"day",7],[30*v,"month",1],[91*v,"month",3],[182*v,"month",6],[365*v,"month",12]],J=[1826*v,"month",60];function R(t,e,r){let[,s,o]=V.find(([b])=>(e-t)/b<=r)??J,n=new Date(t),a=[],m=new Intl.DateTimeFormat(void 0,s==="day"?{day:"numeric",month:"short"}:{month:"short"}),$=new Intl.DateTimeFormat(void 0,{year:"numeric"}),u=s==="day"?0:o>=12?-n.getMonth()-12*(n.getFullYear()%(o/12)):-(n.getMonth()%o);for(let b=0;a.length<=r+2;b++){let l=s==="day"?new Date(n.getFullYear(),n.getMonth(),n.getDate()+b*o):new Date(n.getFullYear(),n.getMonth()+u+b*o,1),d=l.getTime();if(d>e)break;if(d<t)continue;let y=s==="month"&&l.getMonth()===0;a.push({at:d,major:y,label:y?$.format(l):m.format(l)})}return a}function j(t,e){let r=[],s="";for(let o of t){let n=new Date(e(o)),a=n.toDateString();a!==s&&r.push({day:n,items:[]}),s=a,r.at(-1)?.items.push(o)}return r}var k=46,T=10,U=22,B=3*k+2*T+U+6,q=new Intl.NumberFormat,L=new Intl.DateTimeFormat(void 0,{dateStyle:"medium"});function Y(t){let{from:e,to:r,line:s}=t,o=I(null),[n,a]=g(800),[m,$]=g(),[u,b]=g();D(()=>{let f=new ResizeObserver(([M])=>a(Math.max(200,Math.round(M?.contentRect.width??0))));return f.observe(o.current.parentElement),()=>f.disconnect()},[]);let l=f=>(f-e)/(r-e)*n,d=f=>{let{left:M}=o.current.getBoundingClientRect();return e+Math.min(n,Math.max(0,f.clientX-M))/n*(r-e)},y={onPointerDown:f=>{f.button===0&&(o.current.setPointerCapture(f.pointerId),b([d(f),d(f)]))},onPointerMove:f=>{$(d(f)),u&&b([u[0],d(f)])},onPointerUp:()=>{if(!u)return;let[f,M]=[Math.min(...u),Math.max(...u)];l(M)-l(f)>5?t.setWindow([f,M]):t.setDay(f),b(void 0)},onPointerCancel:()=>b(void 0),onPointerLeave:()=>$(void 0),onDblClick:()=>t.setWindow(void 0)},h=u??t.window,[w,x]=h?[l(Math.min(...h)),l(Math.max(...h))]:[0,n],p=3*k+2*T;return c`<div class="time-chart">
    <svg ref=${o} width=${n} height=${B} role="img" aria-label=${i.chart} ...${y}>
      <rect width=${n} height=${B} fill="transparent" />
      <${X} from=${e} to=${r} width=${n} bottom=${p} />
      <${Q} line=${s} from=${e} to=${r} width=${n} />
      <rect class="time-later" x=${l(t.knownBy)} y=${k+T} width=${Math.max(0,n-l(t.knownBy))} height=${k} />
      <rect class="time-later" x=${l(t.trueOn)} y="0" width=${Math.max(0,n-l(t.trueOn))} height=${k} />
      ${h&&c`<rect class="time-out" width=${w} height=${p} />
          <rect class="time-out" x=${x} width=${Math.max(0,n-x)} height=${p} />
          <rect class="time-window" x=${w} width=${Math.max(1,x-w)} height=${p} />`}
      <line class="time-mark known" x1=${l(t.knownBy)} x2=${l(t.knownBy)} y1=${k+T-4} y2=${p} />
      <line class="time-mark" x1=${l(t.trueOn)} x2=${l(t.trueOn)} y1="0" y2=${p} />
      ${m!==void 0&&!u&&c`<line class="time-over" x1=${l(m)} x2=${l(m)} y1="0" y2=${p} />`}
    </svg>
    <${Z} line=${s} from=${e} to=${r} moment=${m??t.trueOn} />
  </div>`}function X({from:t,to:e,width:r,bottom:s}){let o=S(()=>R(t,e,Math.max(2,Math.floor(r/62))),[t,e,r]);return c`<g class="time-axis">
    ${o.map(({at:n,major:a,label:m})=>{let $=(n-t)/(e-t)*r,u=$<20?"start":$>r-24?"end":"middle";return c`<line x1=${$} x2=${$} y1="0" y2=${s+4} class=${a?"major":""} />
        <text x=${$} y=${s+18} text-anchor=${u} class=${a?"major":""}>${m}</text>`})}
  </g>`}function Q({line:t,from:e,to:r,width:s}){return S(()=>{let o=Date.parse(t.since),n=l=>(o+l*t.width*1e3-e)/(r-e)*s,a=(l,d,y)=>{let h=Math.max(1,...l),w=l.map((x,p)=>{if(!x)return"";let f=Math.max(2,Math.sqrt(x/h)*(k-14));return`M${n(p).toFixed(1)} ${d+k}v${-f.toFixed(1)}H${(n(p+1)-.5).toFixed(1)}v${f.toFixed(1)}z`}).join("");return c`<path class=${`time-bars ${y}`} d=${w} />`},m=2*(k+T),$=Math.max(1,...t.true,...t.believed),u=l=>l.reduce((d,y,h)=>`${d}V${(m+k-y/$*(k-14)).toFixed(1)}H${n(h+1).toFixed(1)}`,`M${n(0).toFixed(1)} ${m+k}`),b=t.ended.map((l,d)=>l?`M${n(d+.5).toFixed(1)} ${m+3}v${k-3}`:"").join("");return c`<g>
      ${a(t.happened,0,"happened")} ${a(t.learnt,k+T,"learnt")}
      <path class="time-area" d=${`${u(t.true)}V${m+k}Z`} />
      <path class="time-ended" d=${b} />
      <path class="time-true" d=${u(t.true)} />
      <path class="time-believed" d=${u(t.believed)} />
      ${[[i.happened,0],[i.learnt,k+T],[i.stood,m]].map(([l,d])=>c`<text class="time-lane" x="4" y=${Number(d)+11}>${l}</text>`)}
    </g>`},[t,e,r,s])}function Z({line:t,moment:e}){let r=Date.parse(t.since),s=t.width*1e3,o=Math.min(t.true.length-1,Math.max(0,Math.floor((e-r)/s))),n=[["happened",t.happened[o]??0],["learnt",t.learnt[o]??0],["ended",t.ended[o]??0],["stood",t.true[o]??0],["believed",t.believed[o]??0]],a=i,[m,$]=[L.format(r+o*s),L.format(r+(o+1)*s-1)];return c`<p class="time-reading">
    <b>${m===$?m:`${m} – ${$}`}</b>
    ${n.map(([u,b])=>c`<span class=${`key ${u}`}>${a[u]} <b>${q.format(b)}</b></span>`)}
  </p>`}var tt=new Intl.DateTimeFormat(void 0,{weekday:"short",day:"numeric",month:"long",year:"numeric"}),et=200;function G(t){let{days:e,trueDay:r,knownDay:s,joined:o,setDay:n}=t,[a,m]=g(!1),$=I(r);$.current=r,D(()=>{if(!a)return;let d=matchMedia("(prefers-reduced-motion: reduce)").matches,y=Math.max(1,Math.round(e.count/(d?24:et)));$.current>=e.count-1&&n(0);let h=setInterval(()=>{let w=Math.min(e.count-1,$.current+y);n(w),w===e.count-1&&m(!1)},d?700:60);return()=>clearInterval(h)},[a,o]);let u=d=>tt.format(e.start(d)),b=d=>{if(d.key===" ")m(!a);else if(d.key==="PageUp")n(r+30);else if(d.key==="PageDown")n(r-30);else return;d.preventDefault()},l=(d,y,h,w)=>c`<input
      type="range"
      class=${`time-slider ${w}`}
      min="0"
      max=${e.count-1}
      value=${d}
      aria-label=${y}
      aria-valuetext=${u(d)}
      title=${i.keys}
      onInput=${x=>{m(!1),h(Number(x.target.value))}}
      onKeyDown=${b}
    />`;return c`<div class="time-clocks">
    <div class="time-head">
      <button type="button" class="time-play" aria-pressed=${a} onClick=${()=>m(!a)}>
        <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
          <path d=${a?"M1 0h4v12H1zM7 0h4v12H7z":"M1 0l10 6-10 6z"} fill="currentColor" />
        </svg>
        ${a?i.pause:i.play}
      </button>
      <span class="time-step">
        <button type="button" aria-label=${i.before} title=${i.before} onClick=${()=>n(r-1)}>‹</button>
        <button type="button" aria-label=${i.after} title=${i.after} onClick=${()=>n(r+1)}>›</button>
        <button type="button" onClick=${()=>n(e.count-1)}>${i.latest}</button>
      </span>
      <p class="time-dial true"><span>${o?i.on:i.trueOn}</span><b>${u(r)}</b></p>
      ${!o&&c`<p class="time-dial known"><span>${i.knownBy}</span><b>${u(s)}</b></p>`}
      <button type="button" class="time-join" aria-pressed=${!o} onClick=${()=>t.setJoined(!o)}>
        ${o?i.separate:i.join}
      </button>
    </div>
    ${t.children} ${l(r,o?i.day:i.trueOn,n,"true")}
    ${!o&&l(s,i.knownBy,t.setKnown,"known")}
  </div>`}var nt=new Intl.DateTimeFormat(void 0,{dateStyle:"medium"}),rt=new Intl.DateTimeFormat(void 0,{timeStyle:"short"}),F=t=>nt.format(new Date(t));function K({each:t,moment:e,at:r,known:s,from:o,to:n}){let a=N(t,r,s),m=F(t.true_from),$=t.true_to&&F(t.true_to),u=$?m===$?i.only(m):i.span(m,$):i.since(m);return c`<li class=${`time-row ${a}`}>
    <time datetime=${e}>${rt.format(new Date(e))}</time>
    <div class="time-what">
      <a href=${_.memory(t.id)} dir="auto">${t.text}</a>
      <p>
        <span class="time-state">${i.standing[a]}</span>
        <span>${u}</span> <span>${i.knownSince(F(t.recorded))}</span>
        ${t.superseded_by&&c`<a class="time-by" href=${_.memory(t.superseded_by)}
            >${i.superseded}${t.ended_recorded&&` (${i.endLearnt(F(t.ended_recorded))})`}</a
          >`}
      </p>
    </div>
    <${ot} each=${t} at=${r} known=${s} from=${o} to=${n} />
  </li>`}function ot({each:t,at:e,known:r,from:s,to:o}){let a=d=>Math.min(200,Math.max(0,(d-s)/(o-s||1)*200)),m=Date.parse(t.true_from),$=t.true_to?Date.parse(t.true_to):Number.POSITIVE_INFINITY,u=Date.parse(t.recorded),b=t.ended_recorded?Date.parse(t.ended_recorded):Number.POSITIVE_INFINITY,l=(d,y,h,w)=>y>s&&d<o&&c`<rect class=${w} x=${a(d)} y=${h} width=${Math.max(2,a(y)-a(d))} height="6" rx="3" />`;return c`<svg class="time-spans" viewBox="0 0 ${200} 24" preserveAspectRatio="none" aria-hidden="true">
    <line class="track" x2=${200} y1="6" y2="6" /><line class="track" x2=${200} y1="17" y2="17" />
    ${l(m,$,3,"truth")} ${l(u,b,14,"knowledge")}
    <line class="time-mark" x1=${a(e)} x2=${a(e)} y1="0" y2="12" />
    <line class="time-mark known" x1=${a(r)} x2=${a(r)} y1="12" y2="24" />
  </svg>`}var at=240,st=100,W=new Intl.NumberFormat,it=new Intl.DateTimeFormat(void 0,{weekday:"long",day:"numeric",month:"long",year:"numeric"}),z=(t,e)=>P("GET","/timeline",{query:t,signal:e}),E=t=>new Date(t).toISOString();function mt(){return c`<${ut} key=${O.value} />`}function ut(){let[t,e]=g(),[r,s]=g();return D(()=>{let o=new AbortController;return z({buckets:at,limit:0},o.signal).then(e,n=>n.name==="AbortError"||s(n.message)),()=>o.abort()},[]),r?c`<p role="alert" class="problem">${r}</p>`:t?t.first?c`<${dt} line=${t} />`:c`<${H} text=${i.title} />
      <${A} text=${i.emptyTitle} hint=${i.emptyText} command=${i.emptyHow} />`:c`<div class="wait" role="status"><span class="hidden">${i.loading}</span></div>`}function dt({line:t}){let e=S(()=>new C(Date.parse(t.first),Date.parse(t.last)),[t]),[r,s]=[e.start(0),e.start(e.count)],[o,n]=g(e.count-1),[a,m]=g(e.count-1),[$,u]=g(!0),[b,l]=g(),[d,y]=g("happened"),[h,w]=[e.end(o),e.end(a)],x=p=>{let f=Math.min(e.count-1,Math.max(0,p));n(f),$&&m(f)};return c`<section class="time">
    <${H} text=${i.title} about=${i.about} />
    <${G}
      days=${e}
      trueDay=${o}
      knownDay=${a}
      joined=${$}
      setDay=${x}
      setKnown=${m}
      setJoined=${p=>{u(p),p&&m(o)}}
    >
      <${Y}
        line=${t}
        from=${r}
        to=${s}
        trueOn=${Math.min(h,s)}
        knownBy=${Math.min(w,s)}
        window=${d==="true"?void 0:b}
        setWindow=${p=>{l(p),d==="true"&&y("happened")}}
        setDay=${p=>x(e.of(p))}
      />
    <//>
    <div class="time-tabs" role="tablist">
      ${["happened","learnt","true"].map(p=>c`<button type="button" role="tab" aria-selected=${d===p} onClick=${()=>y(p)}>
            ${i.tabs[p]}
          </button>`)}
    </div>
    ${d!=="true"&&c`<${lt} days=${e} window=${b} from=${r} to=${s} set=${l} />`}
    <${ct}
      key=${d}
      tab=${d}
      window=${b??[r,s]}
      whole=${!b}
      at=${h}
      known=${w}
      joined=${$}
      extent=${[r,s]}
    />
  </section>`}function lt(t){let[e,r]=t.window??[t.from,t.to],s=a=>{let m=new Date(a),$=u=>String(u).padStart(2,"0");return`${m.getFullYear()}-${$(m.getMonth()+1)}-${$(m.getDate())}`},o=(a,m)=>Number.isFinite(a)&&Number.isFinite(m)&&a<m&&t.set([a,m]),n=a=>new Date(`${a.target.value}T00:00`).getTime();return c`<div class="time-bounds">
    <label>${i.from} <input type="date" value=${s(e)} onChange=${a=>o(n(a),r)} /></label>
    <label
      >${i.until}
      <input type="date" value=${s(r-1)} onChange=${a=>o(e,n(a)+864e5)}
    /></label>
    ${t.window&&c`<button type="button" class="plain" onClick=${()=>t.set(void 0)}>${i.whole}</button>`}
    <small>${i.hint}</small>
  </div>`}function ct(t){let{tab:e,window:r,at:s,known:o}=t,[n,a]=g(),[m,$]=g(st),u=e==="true";D(()=>{let h=new AbortController,w=u?{clock:"true",true_on:E(s),known_by:E(o)}:{clock:e,...t.whole?{}:{since:E(r[0]),until:E(r[1])}},x=setTimeout(()=>z({...w,buckets:1,limit:m},h.signal).then(a,()=>{}),n?120:0);return()=>{clearTimeout(x),h.abort()}},[e,m,...u?[s,o]:r]);let b=h=>e==="happened"?h.happened:e==="learnt"?h.recorded:h.true_from,l=S(()=>n?j(n.memories,b):[],[n,e]),[d,y]=u?t.extent:r;return c`<div class="time-list" role="tabpanel">
    ${u&&c`<${$t} at=${s} joined=${t.joined} />`}
    ${n&&c`<p class="time-count">${i.count(W.format(n.memories.length),W.format(n.total))}</p>`}
    ${n&&!n.total&&c`<p class="time-none">${u?i.nothingThen:i.nothingHere}</p>`}
    ${l.map(({day:h,items:w})=>c`<section key=${h.getTime()}>
        <h2>${it.format(h)}</h2>
        <ol>
          ${w.map(x=>c`<${K}
                key=${x.id}
                each=${x}
                moment=${b(x)}
                at=${s}
                known=${o}
                from=${d}
                to=${y}
              />`)}
        </ol>
      </section>`)}
    ${n&&n.total>n.memories.length&&m<1e3&&c`<button type="button" class="plain" onClick=${()=>$(Math.min(1e3,m+300))}>${i.more}</button>`}
  </div>`}function $t({at:t,joined:e}){let[r,s]=g(""),[o,n]=g(""),[a,m]=g();return D(()=>{if(!o||!e)return m(void 0);let u=new AbortController,b=setTimeout(()=>P("POST","/recall",{body:{query:o,as_of:E(t),limit:5},signal:u.signal}).then(l=>m(l.hits),()=>{}),a?150:0);return()=>{clearTimeout(b),u.abort()}},[o,t,e]),c`<form class="time-ask" onSubmit=${u=>{u.preventDefault(),n(r.trim())}}>
    <label
      >${i.ask}
      <input
        type="search"
        value=${r}
        placeholder=${i.asking}
        disabled=${!e}
        onInput=${u=>{s(u.target.value),u.target.value||n("")}}
    /></label>
    <button type="submit" disabled=${!e}>${i.askGo}</button>
    ${!e&&c`<small>${i.askJoin}</small>`}
    ${a&&c`<ol class="time-hits">
        ${a.map(({memory:u,score:b})=>c`<li key=${u.id}><a href=${_.memory(u.id)} dir="auto">${u.content.slice(0,300)}</a> <small>${b.toFixed(2)}</small></li>`)}
        ${!a.length&&c`<li>${i.noAnswer}</li>`}
      </ol>`}
  </form>`}export{mt as Page};
