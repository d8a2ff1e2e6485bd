/** Transforms on the way into a file: the run waits for them, and an unchanged item keeps its 19 digits. */
import { readFile } from 'node:fs/promises';
import { run } from 'rxtract';
import { filterItems, mapExact, ndjson, tapBatches, through } from 'rxtract/sinks';
import { type User, users } from './sample.js';

const to = through(
  ndjson('out'),
  tapBatches<User>(({ count }) => console.log(`${count} users came`)),
  filterItems((user: User) => user.active),
  mapExact((user) => (user instanceof Map && user.get('name') === 'Bob 2' ? new Map([...user, ['vip', true]]) : user)),
);
const { outputs } = await run(users, { to });

for (const { name, items } of outputs) console.log(`${items} in ${name}`);
console.log((await readFile('out/users.ndjson', 'utf8')).split('\n', 2).join('\n'));
