import{b as e,q as t,w as r,y as a}from"./chunk-PROOD54O.js";function n(){return e`<${r} text=${t.pages.search} /><${a} text=${t.frame.notBuilt} />`}export{n as Page};
