/** A loop over the items of one job. The next page is requested when the loop reaches it; `break` ends the run. */
import { extract } from 'rxtract';
import { type User, users } from './sample.js';

const names: string[] = [];
for await (const user of extract<User>(users).items()) {
  if (user.active) names.push(user.name);
  if (names.length === 3) break; // the second page is never requested
}
console.log(names.join(', '));
