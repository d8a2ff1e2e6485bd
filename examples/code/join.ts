/** Two extractions joined: the smaller one in memory, the larger one streamed. */
import { extract } from 'rxtract';
import { type Event, events, type User, users } from './sample.js';

const byNumber = new Map<number, User>();
for await (const user of extract<User>(users).items()) byNumber.set(byNumber.size, user);

/** The sample has no customers: orders are assigned to the users in turn. */
const customerOf = ({ id }: Event) => byNumber.get(Number(id.replace('order-', '')) % byNumber.size);

const spent = new Map<string, number>();
for await (const order of extract<Event>(events).job('orders').items()) {
  const name = customerOf(order)?.name ?? 'unknown';
  spent.set(name, (spent.get(name) ?? 0) + order.amount);
}
const [[name, amount] = ['unknown', 0]] = [...spent].sort(([, a], [, b]) => b - a);
console.log(`${name} spent ${amount}`);
