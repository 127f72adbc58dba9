/** The stages of a search as a waterfall: when each began, how long it took, how many candidates it left. */

import { html, texts, type Step } from "../frame.ts";

const said = texts.search;
const time = (ms: number) => `${ms < 0.1 ? ms.toFixed(3) : ms < 10 ? ms.toFixed(2) : ms.toFixed(1)} ms`;

export function Stages({ trace }: { trace: readonly Step[] }) {
  const all = trace.reduce((sum, each) => sum + each.milliseconds, 0);
  const noted = trace.some((each) => each.note);
  let begun = 0;
  return html`<div class="stages">
    <table>
      <caption class="hidden">
        ${said.stages}
      </caption>
      <thead>
        <tr>
          <th scope="col">${said.stage}</th>
          <th scope="col" class="number">${said.candidates}</th>
          <th scope="col" colspan="2">${said.time}</th>
          ${noted && html`<th scope="col">${said.note}</th>`}
        </tr>
      </thead>
      <tbody>
        ${trace.map((each, index) => {
          const start = begun;
          begun += each.milliseconds;
          return html`<tr key=${index}>
            <th scope="row">${each.stage}</th>
            <td class="number">${each.before === each.after ? each.after : `${each.before} → ${each.after}`}</td>
            <td class="waterfall">
              <span
                style=${{ marginInlineStart: `${all ? (start / all) * 100 : 0}%`, width: `${all ? Math.max((each.milliseconds / all) * 100, 0.5) : 0}%` }}
              ></span>
            </td>
            <td class="number">${time(each.milliseconds)}</td>
            ${noted && html`<td class="quiet">${each.note}</td>`}
          </tr>`;
        })}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">${said.sum}</th>
          <td></td>
          <td></td>
          <td class="number">${time(all)}</td>
          ${noted && html`<td></td>`}
        </tr>
      </tfoot>
    </table>
  </div>`;
}
