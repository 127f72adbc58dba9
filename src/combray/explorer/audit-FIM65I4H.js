import{B as r,D as a,b as e,u as t}from"./chunk-6T2DVBSE.js";function m(){return e`<${r} text=${t.pages.audit} /><${a} text=${t.frame.notBuilt} />`}export{m as Page};
