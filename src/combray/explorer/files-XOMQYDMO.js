import{b as e,p as t,t as r,u as i}from"./chunk-E6522JML.js";function n(){return e`<${r} text=${t.pages.files} /><${i} text=${t.frame.notBuilt} />`}export{n as Page};
