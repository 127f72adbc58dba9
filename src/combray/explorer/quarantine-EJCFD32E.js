import{b as e,p as t,t as n,u as r}from"./chunk-E6522JML.js";function i(){return e`<${n} text=${t.pages.quarantine} /><${r} text=${t.frame.notBuilt} />`}export{i as Page};
