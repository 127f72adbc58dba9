import{b as e,t,y as r,z as a}from"./chunk-G2ZD6WF4.js";import"./chunk-OOJM4CTU.js";function n(){return e`<${r} text=${t.pages.search} /><${a} text=${t.frame.notBuilt} />`}export{n as Page};
