import{b as e,t,y as r,z as n}from"./chunk-G2ZD6WF4.js";import"./chunk-OOJM4CTU.js";function o(){return e`<${r} text=${t.pages.runs} /><${n} text=${t.frame.notBuilt} />`}export{o as Page};
