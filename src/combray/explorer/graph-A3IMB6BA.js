import{B as r,D as a,b as e,u as t}from"./chunk-6T2DVBSE.js";function n(){return e`<${r} text=${t.pages.graph} /><${a} text=${t.frame.notBuilt} />`}export{n as Page};
