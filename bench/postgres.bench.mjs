// How fast is a pull into PostgreSQL, against a program that streams one COPY in one transaction and keeps no position?
// 1,000 items of 345 bytes a page, into one column of jsonb and into typed columns. Whole processes in turn, each
// variant once a round, on one server, whose table is new each time. Needs PostgreSQL, like `npm run test:servers`.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectReady, postgresMissing, startPostgres } from '../test/support/servers.ts';
import {
  interleaved,
  machine,
  measure,
  megabytes,
  middleOf,
  program,
  pullOf,
  ratioOf,
  withServer,
} from './harness.mjs';

export const question = 'How fast is a pull into PostgreSQL, against a program that streams one COPY?';
export const isLong = true;

const perPage = 1000;
const loop = 'one COPY';
const variants = [loop, 'append', 'append, --state'];
const aims = { append: 0.9, 'append, --state': 0.8 };

export async function run({ rounds = 5, pages = 150 } = {}) {
  if (postgresMissing !== undefined) throw new Error(postgresMissing);
  const server = await startPostgres();
  try {
    return await withServer({ pages, items: perPage }, async (place) => {
      const rows = [];
      for (const columns of ['item', 'typed']) {
        const measured = await interleaved(variants, rounds, (variant) =>
          pull(columns, variant, { place, server, pages }),
        );
        rows.push(...variants.map((variant) => rowOf(columns, variant, measured, pages)));
      }
      return rows;
    });
  } finally {
    await server.close();
  }
}

function rowOf(columns, variant, measured, pages) {
  const { middle, text } = ratioOf(measured[loop], measured[variant], 'seconds');
  return {
    columns,
    variant,
    'items/s': Math.round((pages * perPage) / middleOf(measured[variant], 'seconds')),
    'CPU s': +middleOf(measured[variant], 'cpu').toFixed(2),
    'peak MB': megabytes(middleOf(measured[variant], 'peak')),
    'of one COPY': middle,
    quartiles: text,
  };
}

/** One pull into a new table. Throws if not all items have arrived. */
async function pull(columns, variant, { place, server, pages }) {
  const state = join(place.dir, 'state');
  const client = await connectReady(server.port);
  try {
    await client.query('DROP TABLE IF EXISTS items; CHECKPOINT');
    const used = await measure(wordsOf(columns, variant, { place, port: server.port, pages, state }));
    const { rows } = await client.query('SELECT count(*)::int AS count FROM items');
    if (rows[0].count !== pages * perPage) throw new Error(`${variant}: ${rows[0].count} rows`);
    return used;
  } finally {
    await client.end();
    await rm(state, { recursive: true, force: true });
  }
}

function wordsOf(columns, variant, { place, port, pages, state }) {
  if (variant === loop) return [program('peers/copy.mjs'), columns, place.origin, String(port), String(pages)];
  const to = `postgres://rx@127.0.0.1:${port}/postgres?mode=append&columns=${columns}`;
  const words = pullOf(place, pages, to);
  return variant === 'append' ? words : [...words, '--state', state];
}

const ours = (rows) => rows.filter(({ variant }) => variant !== loop);

export const goals = (rows) =>
  ours(rows).map((row) => ({
    what: `${row.columns}, ${row.variant}: against one COPY`,
    goal: aims[row.variant],
    value: row['of one COPY'],
  }));

export const reading = (rows) =>
  ours(rows).map(
    (row) =>
      `PostgreSQL: ${row.variant}, columns=${row.columns}, runs at ${row['of one COPY']} times one streamed COPY.`,
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
