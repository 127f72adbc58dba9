import{A as a,b as e,r as t,y as r}from"./chunk-UMYEYDSP.js";function n(){return e`<${r} text=${t.pages.usage} /><${a} text=${t.frame.notBuilt} />`}export{n as Page};
