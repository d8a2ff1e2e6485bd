/** Loads TypeScript in worker threads too, where `--import tsx` has no effect. */
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) {
  const { register } = await import('tsx/esm/api');
  register();
}
