/** A worker of its own process: its login lasts until a message comes. It reports what it gets. */
import { once } from 'node:events';
import { defer, firstValueFrom } from 'rxjs';
import { sharingAt } from './shared-lib.js';

const [port, schema = '', name = '', skew] = process.argv.slice(2);
const trueNow = Date.now;
Date.now = () => trueNow() + Number(skew);

const sharing = sharingAt(Number(port), schema);
const login = defer(async () => {
  process.send?.('begun');
  await once(process, 'message');
  return { text: `of ${name}`, lifetime: 3_600_000 };
});
process.send?.(await firstValueFrom(sharing.logins.obtain('account', 0, login)));
sharing.end();
process.disconnect();
