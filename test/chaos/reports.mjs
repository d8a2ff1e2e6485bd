// Reports of four APIs, in processes that are killed (after npm run build):
//   npm run reports -- --kills 100 [--seed 1] [--api salesforce|stripe|sellingPartner|sendGrid]
// Ends with what was seen, and 1 when a report was created twice, or an item was lost or doubled. --record keeps it in
// bench/results/reports.json.
import { parseArgs } from 'node:util';
import { keepRecord } from '../support/keep-record.ts';
import { reportOften } from './report-often.ts';
import { reportApis } from './report-servers.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    api: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
for (const name of values.api === undefined ? Object.keys(reportApis) : [values.api]) {
  const { broken, ...seen } = await reportOften(Number(values.seed), Number(values.kills), name);
  console.log(`${name}: ${JSON.stringify({ ...seen, broken: broken.length })}`);
  for (const line of broken.slice(0, 20)) console.log(`  ${line}`);
  if (broken.length > 0) process.exitCode = 1;
  else if (values.record) keepRecord('reports', { [name]: { ...seen, broken: 0 } });
}
