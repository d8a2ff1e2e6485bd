/** Reports of four APIs, in runs that are killed. The long form: `npm run reports`. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reportOften } from './report-often.js';
import { type ReportApiName, reportApis } from './report-servers.js';

const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set CHAOS_SEED to repeat)`);

for (const name of Object.keys(reportApis) as ReportApiName[]) {
  test(`a report of ${name} is created once, and its items are there once`, async () => {
    const { broken } = await reportOften(seed, 2, name);
    assert.equal({ seed, broken }, { seed, broken: [] });
  });
}

test.run();
