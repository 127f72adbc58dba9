import{B as r,D as n,b as e,u as t}from"./chunk-6T2DVBSE.js";function o(){return e`<${r} text=${t.pages.runs} /><${n} text=${t.frame.notBuilt} />`}export{o as Page};
