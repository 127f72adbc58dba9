import{b as e,q as t,w as m,y as r}from"./chunk-PROOD54O.js";function n(){return e`<${m} text=${t.pages.memory} /><${r} text=${t.frame.notBuilt} />`}export{n as Page};
