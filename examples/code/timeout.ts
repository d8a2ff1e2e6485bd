/** A run with a time limit: the signal ends the request in flight, and the loop gets the error. */
import { setTimeout } from 'node:timers/promises';
import { ExtractError, extract } from 'rxtract';
import { type User, users } from './sample.js';

try {
  for await (const { name } of extract<User>(users).items({ signal: AbortSignal.timeout(200) })) {
    await setTimeout(200); // 47 users would take more than nine seconds
    if (name === 'Eve 47') console.log('never seen');
  }
} catch (error) {
  if (!(error instanceof ExtractError) || error.code !== 'ERR_ABORTED') throw error;
  console.log('time is up');
}
