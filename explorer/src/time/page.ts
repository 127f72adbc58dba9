export const TimePage=()=>null
