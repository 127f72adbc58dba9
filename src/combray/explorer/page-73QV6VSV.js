import{B as a,b as e,t,z as r}from"./chunk-X3MOQL4U.js";import"./chunk-OOJM4CTU.js";function n(){return e`<${r} text=${t.pages.search} /><${a} text=${t.frame.notBuilt} />`}export{n as Page};
