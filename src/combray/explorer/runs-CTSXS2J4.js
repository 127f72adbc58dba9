import{A as n,b as e,r as t,y as r}from"./chunk-UMYEYDSP.js";function o(){return e`<${r} text=${t.pages.runs} /><${n} text=${t.frame.notBuilt} />`}export{o as Page};
