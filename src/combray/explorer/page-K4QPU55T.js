import{B as r,b as e,t,z as m}from"./chunk-X3MOQL4U.js";import"./chunk-OOJM4CTU.js";function n(){return e`<${m} text=${t.pages.memory} /><${r} text=${t.frame.notBuilt} />`}export{n as Page};
