/**
 * A receiver of HTTP requests whose data survive its end: `node receiver.mjs PORT FOLDER`. It appends each body to the
 * file of its path. Below `/once/` it drops a request whose `Idempotency-Key` it has had.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [port, folder] = process.argv.slice(2);
const journal = join(folder, 'requests.ndjson');
const records = existsSync(journal)
  ? readFileSync(journal, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  : [];
const keys = new Set(records.map(({ key }) => key));

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const record = { path: request.url, key: request.headers['idempotency-key'], body: Buffer.concat(chunks).toString() };
  const isKnown = record.path.startsWith('/once/') && keys.has(record.key);
  keys.add(record.key);
  if (request.method === 'POST' && !isKnown) appendFileSync(journal, `${JSON.stringify(record)}\n`);
  response.writeHead(204).end();
}).listen(Number(port), '127.0.0.1');
