import{b as e,p as t,t as m,u as r}from"./chunk-E6522JML.js";function n(){return e`<${m} text=${t.pages.memory} /><${r} text=${t.frame.notBuilt} />`}export{n as Page};
