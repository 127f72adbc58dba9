import{A as p,b as e,r as t,y as o}from"./chunk-UMYEYDSP.js";function m(){return e`<${o} text=${t.pages.people} /><${p} text=${t.frame.notBuilt} />`}export{m as Page};
