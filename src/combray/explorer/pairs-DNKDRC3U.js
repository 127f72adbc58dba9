import{b as e,p as t,t as r,u as a}from"./chunk-E6522JML.js";function m(){return e`<${r} text=${t.pages.pairs} /><${a} text=${t.frame.notBuilt} />`}export{m as Page};
