import{b as e,p as t,t as o,u as p}from"./chunk-E6522JML.js";function m(){return e`<${o} text=${t.pages.people} /><${p} text=${t.frame.notBuilt} />`}export{m as Page};
