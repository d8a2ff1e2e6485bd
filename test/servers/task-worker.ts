/** A worker of its own process: does the tasks of a board until a message comes. It reports how many are done. */
import { boardAt, sharingAt } from '../../src/checkpoint/board/board-address.js';
import { keyOf } from '../../src/checkpoint/board/shared-key.js';
import { readWork, taskOptions } from '../../src/run/shared/work.js';
import { startWorker } from '../../src/run/shared/worker.js';
import { createWorkerShare } from '../../src/run/shared/worker-share.js';

const [address = ''] = process.argv.slice(2);
const { env } = process;
const board = boardAt(address, { env });
const sharing = sharingAt(address, { env });
await sharing.prepare();
const key = keyOf(env);
const share = createWorkerShare(sharing.limiter, key && sharing.logins(key));
let done = 0;

const worker = startWorker({
  ...{ board, slots: 2, lease: 30_000 },
  resolve(spec) {
    const work = readWork(spec, env);
    return { configuration: work.configuration, options: taskOptions(spec.name, work, { env, ...share }) };
  },
  report({ type }) {
    if (type === 'done') done += 1;
  },
});

process.on('message', async () => {
  await worker.stop();
  await sharing.end();
  board.end();
  process.send?.(done);
  process.disconnect();
});
process.send?.('ready');
