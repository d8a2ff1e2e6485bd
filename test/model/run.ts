/**
 * Explores all setups of the model: `npm run model`, or `npm run model -- holding` and `npm run model -- failing`. Ends
 * with 1 where one came out otherwise.
 */
import { type Explored, explore } from './explore.js';
import { nameOf, type Setup } from './setup.js';
import { failing, holding } from './setups.js';
import { exploreValue } from './value-model.js';

const part = process.argv[2];
const began = performance.now();
let states = 0;
let unexpected = 0;

function report(expected: 'holds' | 'fails', setup: Setup): void {
  const found = explore(setup);
  const outcome = found.fault === undefined ? 'holds' : 'fails';
  const isExpected = outcome === expected;
  states += found.states;
  unexpected += isExpected ? 0 : 1;
  const counts = Object.entries(found.ends).map(([phase, times]) => `, ${times} ${phase}`);
  console.log(
    `${isExpected ? '' : 'UNEXPECTED: '}${outcome}  ${nameOf(setup)}  (${found.states} states${counts.join('')})`,
  );
  if (!isExpected || outcome === 'fails') console.log(faultText(found));
}

const faultText = ({ fault }: Explored): string =>
  fault === undefined ? '   no fault was found' : `   ${fault.text}: ${fault.steps.join(', ')}`;

if (part !== 'failing') for (const setup of holding) report('holds', setup);
if (part !== 'holding') {
  for (const setup of failing.values()) {
    report('fails', setup);
    report('holds', { ...setup, without: new Set() });
  }
}
if (part !== 'failing') {
  for (const kind of ['cut', 'transaction', 'ids', 'none'] as const) {
    const found = exploreValue({ kind, kills: 3, fresh: 2 });
    states += found.states;
    unexpected += found.fault === undefined ? 0 : 1;
    const outcome = found.fault === undefined ? 'holds' : `UNEXPECTED: ${found.fault}`;
    console.log(`${outcome}  value and data; ${kind}; kill 3, fresh 2  (${found.states} states)`);
  }
}
console.log(`${unexpected} unexpected; ${states} states in ${((performance.now() - began) / 1000).toFixed(1)} s`);
process.exitCode = unexpected === 0 ? 0 : 1;
