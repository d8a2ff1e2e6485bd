/** The rate limiter of one process, by the rules of all of them. */
import { test } from 'uvu';
import { createRateLimiter, type RateLimiter } from '../../src/http/rate-limiter.js';
import { rateLimiterRules } from './rate-limiter-kit.js';

for (const [name, rule] of Object.entries(rateLimiterRules)) {
  test(`in a process: ${name}`, () => {
    let shared: RateLimiter | undefined;
    return rule((options) => {
      shared ??= createRateLimiter(options);
      return shared;
    });
  });
}

test.run();
