import{b as e,t,y as o,z as p}from"./chunk-G2ZD6WF4.js";import"./chunk-OOJM4CTU.js";function m(){return e`<${o} text=${t.pages.people} /><${p} text=${t.frame.notBuilt} />`}export{m as Page};
