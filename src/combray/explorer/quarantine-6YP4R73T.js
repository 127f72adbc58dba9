import{B as n,D as r,b as e,u as t}from"./chunk-6T2DVBSE.js";function i(){return e`<${n} text=${t.pages.quarantine} /><${r} text=${t.frame.notBuilt} />`}export{i as Page};
