import{b as e,t,y as r,z as a}from"./chunk-G2ZD6WF4.js";import"./chunk-OOJM4CTU.js";function m(){return e`<${r} text=${t.pages.pairs} /><${a} text=${t.frame.notBuilt} />`}export{m as Page};
