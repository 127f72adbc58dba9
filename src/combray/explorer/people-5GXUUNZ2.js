import{B as o,D as p,b as e,u as t}from"./chunk-6T2DVBSE.js";function m(){return e`<${o} text=${t.pages.people} /><${p} text=${t.frame.notBuilt} />`}export{m as Page};
