import{A as r,b as e,r as t,y as m}from"./chunk-UMYEYDSP.js";function n(){return e`<${m} text=${t.pages.memory} /><${r} text=${t.frame.notBuilt} />`}export{n as Page};
