/** Two jobs in step. RxJS's `zip` would queue the items of the faster job; two loops in turn queue nothing. */
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
    await Promise.all([one.return?.(), two.return?.()]); // ends the longer one
  }
}

const extraction = extract<Event>(events);
let pairs = 0;
for await (const [order, visit] of inStep(extraction.job('orders').items(), extraction.job('visits').items())) {
  if (pairs === 0) console.log(order.id, visit.id);
  pairs += 1;
}
console.log(`${pairs} pairs`);
