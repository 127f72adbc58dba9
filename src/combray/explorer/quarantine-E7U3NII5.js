import{A as r,b as e,r as t,y as n}from"./chunk-UMYEYDSP.js";function i(){return e`<${n} text=${t.pages.quarantine} /><${r} text=${t.frame.notBuilt} />`}export{i as Page};
