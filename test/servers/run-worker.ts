/** A worker in a process of its own, for tests that kill it, suspend it, or stop it by a message. */
import { boardAt, sharingAt } from '../../src/checkpoint/board/board-address.js';
import { keyOf } from '../../src/checkpoint/board/shared-key.js';
import { readWork, taskOptions } from '../../src/run/shared/work.js';
import { startWorker } from '../../src/run/shared/worker.js';
import { createWorkerShare } from '../../src/run/shared/worker-share.js';

const [address = '', lease = ''] = process.argv.slice(2);
const env = { RXTRACT_KEY: process.env.RXTRACT_KEY };
const context = { env };
const sharing = sharingAt(address, context);
const share = createWorkerShare(sharing.limiter, sharing.logins(keyOf(env) ?? new Uint8Array(32)));
const board = boardAt(address, context, Number(lease));
const worker = startWorker({
  board,
  slots: 2,
  lease: Number(lease),
  async resolve(spec) {
    await sharing.prepare();
    const work = readWork(spec, env);
    return { configuration: work.configuration as never, options: taskOptions(spec.name, work, { env, ...share }) };
  },
  report: (event) => {
    if (event.type !== 'page') process.send?.(event);
  },
});
process.on('message', () => {
  void worker.stop().then(() => {
    board.end();
    sharing.end();
    process.exit(0);
  });
});
process.on('disconnect', () => process.exit(1));
