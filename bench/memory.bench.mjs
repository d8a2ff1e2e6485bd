// How much memory does a run need: one page of 1 GB, and 100,000 pages?
// Peak resident set of the command's own process, Node included.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, machine, measure, megabytes, scratch, startServer } from './harness.mjs';

export const question = 'How much memory does a run need: one page of 1 GB, and 100,000 pages?';

const huge = { pages: 1, endpoint: 'huge?bytes=1000000000', pagination: undefined };
const many = {
  pages: 100_000,
  endpoint: 'tiny',
  pagination: { method: 'response.param', responseParam: 'next', queryParam: 'cursor' },
};

export async function run() {
  return [
    { variant: 'one page of 1 GB', ...(await pull(huge)) },
    { variant: '100,000 pages', ...(await pull(many)) },
  ];
}

async function pull({ pages, endpoint, pagination }) {
  return scratch(async (dir) => {
    const server = await startServer({ PAGES: String(pages) });
    try {
      const config = join(dir, 'config.json');
      const job = { endpoint, dataField: 'data', dataType: 'items' };
      await writeFile(
        config,
        JSON.stringify({ api: { baseUrl: `${server.origin}/`, pagination }, config: { jobs: [job] } }),
      );
      const { seconds, peak } = await measure([
        command,
        'run',
        config,
        '--quiet',
        '--to',
        `ndjson:${join(dir, 'out')}`,
      ]);
      const { size } = await stat(join(dir, 'out', 'items.ndjson'));
      return {
        'peak MB': megabytes(peak),
        'file MB': megabytes(size),
        seconds: +seconds.toFixed(1),
        'pages/s': Math.round(pages / seconds),
      };
    } finally {
      server.stop();
    }
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
