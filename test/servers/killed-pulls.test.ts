/** Value and data at each place where a process can be killed while it ends: in PostgreSQL. */
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { sinkFromUri } from '../../sinks/registry.js';
import { allKilledPulls, expectedVersions, pullKilled } from '../run/killed-pulls.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { withPostgres } from './postgres-lib.js';

testWhere(postgresMissing)('each mode at each place, resumed and replaced', () =>
  withPostgres(async ({ uri, sql }) => {
    for (const [index, { mode, place, next }] of allKilledPulls.entries()) {
      const key = mode === 'append' ? '' : '&key=id';
      const schema = `kill_${index}`;
      await pullKilled({ place, next, make: () => sinkFromUri(uri(`?schema=${schema}&mode=${mode}${key}`)) });
      const rows = await sql(`SELECT concat_ws(' ', item ->> 'id', item ->> 'note') AS version FROM ${schema}.rows`);
      assert.equal(
        rows.map(({ version }) => version).sort(),
        expectedVersions(mode, { place, next }),
        `${mode}, killed ${place}, ${next}`,
      );
    }
  }),
);

run.run();
