import{B as m,D as r,b as e,u as t}from"./chunk-6T2DVBSE.js";function n(){return e`<${m} text=${t.pages.time} /><${r} text=${t.frame.notBuilt} />`}export{n as Page};
