/** A worker of its own process: sends as many requests as the rates allow, and reports their times. */
import { sendOne } from '../http/rate-limiter-kit.js';
import { sharingAt } from './shared-lib.js';

const [port, schema = '', skew, rates = '[]'] = process.argv.slice(2);
const trueNow = Date.now;
Date.now = () => trueNow() + Number(skew);

const sharing = sharingAt(Number(port), schema);
const limiter = sharing.limiter({
  key: 'https://api.example.com',
  rates: JSON.parse(rates),
});
const ending = new AbortController();
process.on('message', () => ending.abort());

async function loop(): Promise<void> {
  for (let count = 1; !ending.signal.aborted; count += 1) {
    process.send?.([await sendOne(limiter, ending.signal)]);
    // A request that is given up.
    if (count % 5 === 0) (await limiter.pass({}, ending.signal)).giveBack();
  }
}

await Promise.all([loop(), loop(), loop()].map((each) => each.catch(() => {})));
await sharing.end();
process.disconnect();
