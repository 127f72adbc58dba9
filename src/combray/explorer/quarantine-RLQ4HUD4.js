import{b as e,t,y as n,z as r}from"./chunk-G2ZD6WF4.js";import"./chunk-OOJM4CTU.js";function i(){return e`<${n} text=${t.pages.quarantine} /><${r} text=${t.frame.notBuilt} />`}export{i as Page};
