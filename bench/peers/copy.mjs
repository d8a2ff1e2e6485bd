// The plainest sensible program that loads an API into PostgreSQL: undici, `body.json()`, and one COPY in one
// transaction. It keeps no position, so a run that is killed begins anew.
//
//   node copy.mjs KIND ORIGIN PORT PAGES
//
//   item    a table with one column of jsonb
//   typed   a table with a column for each member, whose types the program knows
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { Pool } from 'undici';

const [kind, origin, port, pages] = process.argv.slice(2);

const escaped = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const cell = (value) => {
  if (value === null || value === undefined) return '\\N';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/[\\\n\r\t]/g, (each) => escaped[each]);
};

const tables = {
  item: {
    columns: 'item jsonb',
    // Separators that compact JSON cannot contain: nothing is escaped.
    options: String.raw`(FORMAT csv, QUOTE e'\x01', DELIMITER e'\x02', ESCAPE e'\x01')`,
    line: (item) => `${JSON.stringify(item)}\n`,
  },
  typed: {
    columns: `id bigint, name text, email text, active boolean, score numeric, created_at text, tags jsonb,
      address jsonb, note text, page text`,
    options: '',
    line: ({ id, name, email, active, score, created_at, tags, address, note, page }) =>
      `${[id, name, email, active, score, created_at, tags, address, note, page].map(cell).join('\t')}\n`,
  },
};

const { columns, options, line } = tables[kind];
const pool = new Pool(origin, { connections: 1 });
const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'rx', database: 'postgres' });
await client.connect();
await client.query(`CREATE TABLE items (${columns})`);
await client.query('BEGIN');
const copying = client.query(from(`COPY items FROM STDIN ${options}`));
for (let page = 1; page <= Number(pages); page++) {
  const { body } = await pool.request({ path: `/items?page=${page}`, method: 'GET' });
  const { data } = await body.json();
  let text = '';
  for (const item of data) text += line(item);
  if (!copying.write(text)) await once(copying, 'drain');
}
copying.end();
await finished(copying);
await client.query('COMMIT');
await client.end();
await pool.close();
