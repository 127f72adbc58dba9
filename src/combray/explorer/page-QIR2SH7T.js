import{b as e,p as t,t as r,u as a}from"./chunk-E6522JML.js";function n(){return e`<${r} text=${t.pages.search} /><${a} text=${t.frame.notBuilt} />`}export{n as Page};
