import{b as e,t,y as m,z as r}from"./chunk-G2ZD6WF4.js";import"./chunk-OOJM4CTU.js";function n(){return e`<${m} text=${t.pages.memory} /><${r} text=${t.frame.notBuilt} />`}export{n as Page};
