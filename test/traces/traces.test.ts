/** Worked traces of the rules: the requests of a configuration, to the byte and in order, over real sockets. */
import { test } from 'uvu';
import { children } from './children.js';
import { items } from './items.js';
import { logins } from './logins.js';
import { paging } from './paging.js';
import { requests } from './requests.js';
import { shapes } from './shapes.js';
import { follow } from './trace.js';

for (const trace of [...requests, ...logins, ...shapes, ...paging, ...items, ...children])
  test(trace.rule, () => follow(trace));

test.run();
