/**
 * A process of a member of a shared run, for tests that kill it. It continues after the pages that its sink has. While
 * it commits one of them, the last argument says which, it is killed or suspended: it sends a message before, and waits
 * for one after.
 */
import { once } from 'node:events';
import { batchOf } from '../../sinks/batch.js';
import { sinkFromUri } from '../../sinks/registry.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { calm, earlierOf, pageEnd } from '../sinks/lib.js';

const [uri = '', member = '', epoch = '', last = ''] = process.argv.slice(2);
const pages = 12;

async function work(): Promise<void> {
  const sink = sinkFromUri(uri);
  const { run } = earlierOf();
  await sink.resume?.(earlierOf({ member, epoch: Number(epoch) }));
  const stored = Number((await sink.positions?.())?.get('0') ?? 0);
  await sink.open?.('t', 't');
  for (let page = stored; page < pages; page += 1) {
    const items = [0, 1].map((n) => ({ id: `${member}-${page}-${n}`, [`${member}${page}`]: page }));
    await sink.write(batchOf('t', items, { run, walk: `0/${member}`, page }), calm);
    const isLast = page === stored + Number(last);
    if (isLast) process.send?.('now');
    await sink.commit?.(pageEnd('t', { run, walk: `0/${member}`, page, keep: String(page + 1), count: 2 }), calm);
    if (isLast) await once(process, 'message');
  }
  await sink.leave?.();
}

await work().then(
  () => process.exit(0),
  (thrown: unknown) => process.exit(thrown instanceof ExtractError && thrown.code === 'ERR_RESUME' ? 3 : 4),
);
