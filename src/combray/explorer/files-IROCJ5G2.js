import{A as i,b as e,r as t,y as r}from"./chunk-UMYEYDSP.js";function n(){return e`<${r} text=${t.pages.files} /><${i} text=${t.frame.notBuilt} />`}export{n as Page};
