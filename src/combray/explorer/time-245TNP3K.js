import{G as E,H,J as A,b as c,c as g,d as D,e as C,f as S,i as O,n as P,r as i}from"./chunk-KWKHBBK7.js";import"./chunk-OOJM4CTU.js";var F=class{year;month;date;count;constructor(e,o){let s=new Date(e);[this.year,this.month,this.date]=[s.getFullYear(),s.getMonth(),s.getDate()],this.count=this.of(o)+1}start(e){return new Date(this.year,this.month,this.date+e).getTime()}end(e){return this.start(e+1)-1}of(e){let o=new Date(e),s=Date.UTC(this.year,this.month,this.date);return Math.round((Date.UTC(o.getFullYear(),o.getMonth(),o.getDate())-s)/864e5)}};function N(t,e,o){return Date.parse(t.recorded)>o?"unknown":Date.parse(t.true_from)>e?"future":t.true_to===null||Date.parse(t.true_to)>e?"stands":Date.parse(t.ended_recorded??t.recorded)>o?"believed":t.superseded_by?"ended":"over"}var v=864e5,V=[[v,"day",1],[2*v,"day",2],[7*v,"day",7],[30*v,"month",1],[91*v,"month",3],[182*v,"month",6],[365*v,"month",12]],J=[1826*v,"month",60];function R(t,e,o){let[,s,r]=V.find(([b])=>(e-t)/b<=o)??J,n=new Date(t),a=[],m=new Intl.DateTimeFormat(void 0,s==="day"?{day:"numeric",month:"short"}:{month:"short"}),$=new Intl.DateTimeFormat(void 0,{year:"numeric"}),u=s==="day"?0:r>=12?-n.getMonth()-12*(n.getFullYear()%(r/12)):-(n.getMonth()%r);for(let b=0;a.length<=o+2;b++){let l=s==="day"?new Date(n.getFullYear(),n.getMonth(),n.getDate()+b*r):new Date(n.getFullYear(),n.getMonth()+u+b*r,1),d=l.getTime();if(d>e)break;if(d<t)continue;let p=s==="month"&&l.getMonth()===0;a.push({at:d,major:p,label:p?$.format(l):m.format(l)})}return a}function j(t,e){let o=[],s="";for(let r of t){let n=new Date(e(r)),a=n.toDateString();a!==s&&o.push({day:n,items:[]}),s=a,o.at(-1)?.items.push(r)}return o}var k=46,T=10,U=22,B=3*k+2*T+U+6,q=new Intl.NumberFormat,L=new Intl.DateTimeFormat(void 0,{dateStyle:"medium"});function Y(t){let{from:e,to:o,line:s}=t,r=C(null),[n,a]=g(800),[m,$]=g(),[u,b]=g();D(()=>{let f=new ResizeObserver(([M])=>a(Math.max(200,Math.round(M?.contentRect.width??0))));return f.observe(r.current.parentElement),()=>f.disconnect()},[]);let l=f=>(f-e)/(o-e)*n,d=f=>{let{left:M}=r.current.getBoundingClientRect();return e+Math.min(n,Math.max(0,f.clientX-M))/n*(o-e)},p={onPointerDown:f=>{f.button===0&&(r.current.setPointerCapture(f.pointerId),b([d(f),d(f)]))},onPointerMove:f=>{$(d(f)),u&&b([u[0],d(f)])},onPointerUp:()=>{if(!u)return;let[f,M]=[Math.min(...u),Math.max(...u)];l(M)-l(f)>5?t.setWindow([f,M]):t.setDay(f),b(void 0)},onPointerCancel:()=>b(void 0),onPointerLeave:()=>$(void 0),onDblClick:()=>t.setWindow(void 0)},h=u??t.window,[w,x]=h?[l(Math.min(...h)),l(Math.max(...h))]:[0,n],y=3*k+2*T;return c`<div class="time-chart">
    <svg ref=${r} width=${n} height=${B} role="img" aria-label=${i.chart} ...${p}>
      <rect width=${n} height=${B} fill="transparent" />
      <${X} from=${e} to=${o} width=${n} bottom=${y} />
      <${Q} line=${s} from=${e} to=${o} width=${n} />
      <rect class="time-later" x=${l(t.knownBy)} y=${k+T} width=${Math.max(0,n-l(t.knownBy))} height=${k} />
      <rect class="time-later" x=${l(t.trueOn)} y="0" width=${Math.max(0,n-l(t.trueOn))} height=${k} />
      ${h&&c`<rect class="time-out" width=${w} height=${y} />
          <rect class="time-out" x=${x} width=${Math.max(0,n-x)} height=${y} />
          <rect class="time-window" x=${w} width=${Math.max(1,x-w)} height=${y} />`}
      <line class="time-mark known" x1=${l(t.knownBy)} x2=${l(t.knownBy)} y1=${k+T-4} y2=${y} />
      <line class="time-mark" x1=${l(t.trueOn)} x2=${l(t.trueOn)} y1="0" y2=${y} />
      ${m!==void 0&&!u&&c`<line class="time-over" x1=${l(m)} x2=${l(m)} y1="0" y2=${y} />`}
    </svg>
    <${Z} line=${s} from=${e} to=${o} moment=${m??t.trueOn} />
  </div>`}function X({from:t,to:e,width:o,bottom:s}){let r=S(()=>R(t,e,Math.max(2,Math.floor(o/62))),[t,e,o]);return c`<g class="time-axis">
    ${r.map(({at:n,major:a,label:m})=>{let $=(n-t)/(e-t)*o,u=$<20?"start":$>o-24?"end":"middle";return c`<line x1=${$} x2=${$} y1="0" y2=${s+4} class=${a?"major":""} />
        <text x=${$} y=${s+18} text-anchor=${u} class=${a?"major":""}>${m}</text>`})}
  </g>`}function Q({line:t,from:e,to:o,width:s}){return S(()=>{let r=Date.parse(t.since),n=l=>(r+l*t.width*1e3-e)/(o-e)*s,a=(l,d,p)=>{let h=Math.max(1,...l),w=l.map((x,y)=>{if(!x)return"";let f=Math.max(2,Math.sqrt(x/h)*(k-14));return`M${n(y).toFixed(1)} ${d+k}v${-f.toFixed(1)}H${(n(y+1)-.5).toFixed(1)}v${f.toFixed(1)}z`}).join("");return c`<path class=${`time-bars ${p}`} d=${w} />`},m=2*(k+T),$=Math.max(1,...t.true,...t.believed),u=l=>l.reduce((d,p,h)=>`${d}V${(m+k-p/$*(k-14)).toFixed(1)}H${n(h+1).toFixed(1)}`,`M${n(0).toFixed(1)} ${m+k}`),b=t.ended.map((l,d)=>l?`M${n(d+.5).toFixed(1)} ${m+3}v${k-3}`:"").join("");return c`<g>
      ${a(t.happened,0,"happened")} ${a(t.learnt,k+T,"learnt")}
      <path class="time-area" d=${`${u(t.true)}V${m+k}Z`} />
      <path class="time-ended" d=${b} />
      <path class="time-true" d=${u(t.true)} />
      <path class="time-believed" d=${u(t.believed)} />
      ${[[i.happened,0],[i.learnt,k+T],[i.stood,m]].map(([l,d])=>c`<text class="time-lane" x="4" y=${Number(d)+11}>${l}</text>`)}
    </g>`},[t,e,o,s])}function Z({line:t,moment:e}){let o=Date.parse(t.since),s=t.width*1e3,r=Math.min(t.true.length-1,Math.max(0,Math.floor((e-o)/s))),n=[["happened",t.happened[r]??0],["learnt",t.learnt[r]??0],["ended",t.ended[r]??0],["stood",t.true[r]??0],["believed",t.believed[r]??0]],a=i,[m,$]=[L.format(o+r*s),L.format(o+(r+1)*s-1)];return c`<p class="time-reading">
    <b>${m===$?m:`${m} – ${$}`}</b>
    ${n.map(([u,b])=>c`<span class=${`key ${u}`}>${a[u]} <b>${q.format(b)}</b></span>`)}
  </p>`}var tt=new Intl.DateTimeFormat(void 0,{weekday:"short",day:"numeric",month:"long",year:"numeric"}),et=200;function G(t){let{days:e,trueDay:o,knownDay:s,joined:r,setDay:n}=t,[a,m]=g(!1),$=C(o);$.current=o,D(()=>{if(!a)return;let d=matchMedia("(prefers-reduced-motion: reduce)").matches,p=Math.max(1,Math.round(e.count/(d?24:et)));$.current>=e.count-1&&n(0);let h=setInterval(()=>{let w=Math.min(e.count-1,$.current+p);n(w),w===e.count-1&&m(!1)},d?700:60);return()=>clearInterval(h)},[a,r]);let u=d=>tt.format(e.start(d)),b=d=>{if(d.key===" ")m(!a);else if(d.key==="PageUp")n(o+30);else if(d.key==="PageDown")n(o-30);else return;d.preventDefault()},l=(d,p,h,w)=>c`<input
      type="range"
      class=${`time-slider ${w}`}
      min="0"
      max=${e.count-1}
      value=${d}
      aria-label=${p}
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
        <button type="button" aria-label=${i.before} title=${i.before} onClick=${()=>n(o-1)}>‹</button>
        <button type="button" aria-label=${i.after} title=${i.after} onClick=${()=>n(o+1)}>›</button>
        <button type="button" onClick=${()=>n(e.count-1)}>${i.latest}</button>
      </span>
      <p class="time-dial true"><span>${r?i.on:i.trueOn}</span><b>${u(o)}</b></p>
      ${!r&&c`<p class="time-dial known"><span>${i.knownBy}</span><b>${u(s)}</b></p>`}
      <button type="button" class="time-join" aria-pressed=${!r} onClick=${()=>t.setJoined(!r)}>
        ${r?i.separate:i.join}
      </button>
    </div>
    ${t.children} ${l(o,r?i.day:i.trueOn,n,"true")}
    ${!r&&l(s,i.knownBy,t.setKnown,"known")}
  </div>`}var nt=new Intl.DateTimeFormat(void 0,{dateStyle:"medium"}),ot=new Intl.DateTimeFormat(void 0,{timeStyle:"short"}),_=t=>nt.format(new Date(t));function K({each:t,moment:e,at:o,known:s,from:r,to:n}){let a=N(t,o,s),m=_(t.true_from),$=t.true_to&&_(t.true_to),u=$?m===$?i.only(m):i.span(m,$):i.since(m);return c`<li class=${`time-row ${a}`}>
    <time datetime=${e}>${ot.format(new Date(e))}</time>
    <div class="time-what">
      <a href=${E.memory(t.id)} dir="auto">${t.text}</a>
      <p>
        <span class="time-state">${i.standing[a]}</span>
        <span>${u}</span> <span>${i.knownSince(_(t.recorded))}</span>
        ${t.superseded_by&&c`<a class="time-by" href=${E.memory(t.superseded_by)}
            >${i.superseded}${t.ended_recorded&&` (${i.endLearnt(_(t.ended_recorded))})`}</a
          >`}
      </p>
    </div>
    <${rt} each=${t} at=${o} known=${s} from=${r} to=${n} />
  </li>`}function rt({each:t,at:e,known:o,from:s,to:r}){let a=d=>Math.min(200,Math.max(0,(d-s)/(r-s||1)*200)),m=Date.parse(t.true_from),$=t.true_to?Date.parse(t.true_to):Number.POSITIVE_INFINITY,u=Date.parse(t.recorded),b=t.ended_recorded?Date.parse(t.ended_recorded):Number.POSITIVE_INFINITY,l=(d,p,h,w)=>p>s&&d<r&&c`<rect class=${w} x=${a(d)} y=${h} width=${Math.max(2,a(p)-a(d))} height="6" rx="3" />`;return c`<svg class="time-spans" viewBox="0 0 ${200} 24" preserveAspectRatio="none" aria-hidden="true">
    <line class="track" x2=${200} y1="6" y2="6" /><line class="track" x2=${200} y1="17" y2="17" />
    ${l(m,$,3,"truth")} ${l(u,b,14,"knowledge")}
    <line class="time-mark" x1=${a(e)} x2=${a(e)} y1="0" y2="12" />
    <line class="time-mark known" x1=${a(o)} x2=${a(o)} y1="12" y2="24" />
  </svg>`}var at=240,st=100,W=new Intl.NumberFormat,it=new Intl.DateTimeFormat(void 0,{weekday:"long",day:"numeric",month:"long",year:"numeric"}),z=(t,e)=>P("GET","/timeline",{query:t,signal:e}),I=t=>new Date(t).toISOString();function mt(){return c`<${ut} key=${O.value} />`}function ut(){let[t,e]=g(),[o,s]=g();return D(()=>{let r=new AbortController;return z({buckets:at,limit:0},r.signal).then(e,n=>n.name==="AbortError"||s(n.message)),()=>r.abort()},[]),o?c`<p role="alert" class="problem">${o}</p>`:t?t.first?c`<${dt} line=${t} />`:c`<${H} text=${i.title} />
      <${A} text=${i.emptyTitle} hint=${i.emptyText} command=${i.emptyHow} />`:c`<div class="wait" role="status"><span class="hidden">${i.loading}</span></div>`}function dt({line:t}){let e=S(()=>new F(Date.parse(t.first),Date.parse(t.last)),[t]),[o,s]=[e.start(0),e.start(e.count)],[r,n]=g(e.count-1),[a,m]=g(e.count-1),[$,u]=g(!0),[b,l]=g(),[d,p]=g("happened"),[h,w]=[e.end(r),e.end(a)],x=y=>{let f=Math.min(e.count-1,Math.max(0,y));n(f),$&&m(f)};return c`<section class="time">
    <${H} text=${i.title} about=${i.about} />
    <${G}
      days=${e}
      trueDay=${r}
      knownDay=${a}
      joined=${$}
      setDay=${x}
      setKnown=${m}
      setJoined=${y=>{u(y),y&&m(r)}}
    >
      <${Y}
        line=${t}
        from=${o}
        to=${s}
        trueOn=${Math.min(h,s)}
        knownBy=${Math.min(w,s)}
        window=${d==="true"?void 0:b}
        setWindow=${y=>{l(y),d==="true"&&p("happened")}}
        setDay=${y=>x(e.of(y))}
      />
    <//>
    <div class="time-tabs" role="tablist">
      ${["happened","learnt","true"].map(y=>c`<button type="button" role="tab" aria-selected=${d===y} onClick=${()=>p(y)}>
            ${i.tabs[y]}
          </button>`)}
    </div>
    ${d!=="true"&&c`<${lt} days=${e} window=${b} from=${o} to=${s} set=${l} />`}
    <${ct}
      key=${d}
      tab=${d}
      window=${b??[o,s]}
      whole=${!b}
      at=${h}
      known=${w}
      joined=${$}
      extent=${[o,s]}
    />
  </section>`}function lt(t){let[e,o]=t.window??[t.from,t.to],s=a=>{let m=new Date(a),$=u=>String(u).padStart(2,"0");return`${m.getFullYear()}-${$(m.getMonth()+1)}-${$(m.getDate())}`},r=(a,m)=>Number.isFinite(a)&&Number.isFinite(m)&&a<m&&t.set([a,m]),n=a=>new Date(`${a.target.value}T00:00`).getTime();return c`<div class="time-bounds">
    <label>${i.from} <input type="date" value=${s(e)} onChange=${a=>r(n(a),o)} /></label>
    <label
      >${i.until}
      <input type="date" value=${s(o-1)} onChange=${a=>r(e,n(a)+864e5)}
    /></label>
    ${t.window&&c`<button type="button" class="plain" onClick=${()=>t.set(void 0)}>${i.whole}</button>`}
    <small>${i.hint}</small>
  </div>`}function ct(t){let{tab:e,window:o,at:s,known:r}=t,[n,a]=g(),[m,$]=g(st),u=e==="true";D(()=>{let h=new AbortController,w=u?{clock:"true",true_on:I(s),known_by:I(r)}:{clock:e,...t.whole?{}:{since:I(o[0]),until:I(o[1])}},x=setTimeout(()=>z({...w,buckets:1,limit:m},h.signal).then(a,()=>{}),n?120:0);return()=>{clearTimeout(x),h.abort()}},[e,m,...u?[s,r]:o]);let b=h=>e==="happened"?h.happened:e==="learnt"?h.recorded:h.true_from,l=S(()=>n?j(n.memories,b):[],[n,e]),[d,p]=u?t.extent:o;return c`<div class="time-list" role="tabpanel">
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
                known=${r}
                from=${d}
                to=${p}
              />`)}
        </ol>
      </section>`)}
    ${n&&n.total>n.memories.length&&m<1e3&&c`<button type="button" class="plain" onClick=${()=>$(Math.min(1e3,m+300))}>${i.more}</button>`}
  </div>`}function $t({at:t,joined:e}){let[o,s]=g(""),[r,n]=g(""),[a,m]=g();return D(()=>{if(!r||!e)return m(void 0);let u=new AbortController,b=setTimeout(()=>P("POST","/recall",{body:{query:r,as_of:I(t),limit:5},signal:u.signal}).then(l=>m(l.hits),()=>{}),a?150:0);return()=>{clearTimeout(b),u.abort()}},[r,t,e]),c`<form class="time-ask" onSubmit=${u=>{u.preventDefault(),n(o.trim())}}>
    <label
      >${i.ask}
      <input
        type="search"
        value=${o}
        placeholder=${i.asking}
        disabled=${!e}
        onInput=${u=>{s(u.target.value),u.target.value||n("")}}
    /></label>
    <button type="submit" disabled=${!e}>${i.askGo}</button>
    ${!e&&c`<small>${i.askJoin}</small>`}
    ${a&&c`<ol class="time-hits">
        ${a.map(({memory:u,score:b})=>c`<li key=${u.id}><a href=${E.memory(u.id)} dir="auto">${u.content.slice(0,300)}</a> <small>${b.toFixed(2)}</small></li>`)}
        ${!a.length&&c`<li>${i.noAnswer}</li>`}
      </ol>`}
  </form>`}export{mt as Page};
