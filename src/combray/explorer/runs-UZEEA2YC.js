import{b as e,p as t,t as r,u as n}from"./chunk-E6522JML.js";function o(){return e`<${r} text=${t.pages.runs} /><${n} text=${t.frame.notBuilt} />`}export{o as Page};
