/** Two jobs in step. RxJS's `zip` would keep all that the faster one is ahead; two loops of which each waits for the other keep nothing. */
import { extract } from 'rxtract';
import { type Event, events } from './sample.js';

async function* inStep<A, B>(left: AsyncIterable<A>, right: AsyncIterable<B>): AsyncGenerator<readonly [A, B]> {
  const [one, two] = [left[Symbol.asyncIterator](), right[Symbol.asyncIterator]()];
  try {
    for (;;) {
      const [a, b] = await Promise.all([one.next(), two.next()]);
      if (a.done === true || b.done === true) return;
      yield [a.value, b.value];
    }
  } finally {
    await Promise.all([one.return?.(), two.return?.()]); // the longer one is left
  }
}

const extraction = extract<Event>(events);
let pairs = 0;
for await (const [order, visit] of inStep(extraction.job('orders').items(), extraction.job('visits').items())) {
  if (pairs === 0) console.log(order.id, visit.id);
  pairs += 1;
}
console.log(`${pairs} pairs`);
