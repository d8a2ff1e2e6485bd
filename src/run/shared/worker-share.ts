/** What the tasks of one worker have together: one limiter for each API, and one login for each account. */

import { defined } from '../../core/util/defined.js';
import { type CredentialBroker, createCredentialBroker } from '../../http/credential-broker.js';
import type { LoginShare } from '../../http/login-share.js';
import type { MakeRateLimiter, RateLimiter } from '../../http/rate-limiter.js';

export interface WorkerShare {
  readonly limiter: MakeRateLimiter;
  readonly credentials: CredentialBroker;
}

/** `logins`: absent without a key, as then no run has a login to share. */
export function createWorkerShare(limiter: MakeRateLimiter, logins: LoginShare | undefined): WorkerShare {
  const limiters = new Map<string, RateLimiter>();
  return {
    credentials: createCredentialBroker(defined({ share: logins })),
    limiter(context) {
      const { notify: _, ...rules } = context;
      const key = JSON.stringify(rules);
      const made = limiters.get(key) ?? limiter(context);
      limiters.set(key, made);
      return made;
    },
  };
}
