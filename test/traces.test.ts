/** Worked traces of the rules: the requests of a configuration, to the byte and in order, over real sockets. */
import { test } from 'uvu';
import { children } from './traces/children.js';
import { items } from './traces/items.js';
import { logins } from './traces/logins.js';
import { paging } from './traces/paging.js';
import { requests } from './traces/requests.js';
import { shapes } from './traces/shapes.js';
import { follow } from './traces/trace.js';

for (const trace of [...requests, ...logins, ...shapes, ...paging, ...items, ...children])
  test(trace.rule, () => follow(trace));

test.run();
