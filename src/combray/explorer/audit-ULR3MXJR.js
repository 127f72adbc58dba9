import{A as a,b as e,r as t,y as r}from"./chunk-UMYEYDSP.js";function m(){return e`<${r} text=${t.pages.audit} /><${a} text=${t.frame.notBuilt} />`}export{m as Page};
