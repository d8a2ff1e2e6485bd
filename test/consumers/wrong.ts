/** What must not compile: each line below an expectation is a mistake that the types catch. */
import { of } from 'rxjs';
import { type ApiSection, extract, run } from 'rxtract';
import { retryTransient, scroll } from 'rxtract/operators';
import { batchOf, mapItems, ndjson, type Sink } from 'rxtract/sinks';
import imported from './imported.json' with { type: 'json' };
import { configuration } from './run.js';

interface User {
  readonly id: number;
}

// @ts-expect-error: a configuration is an object
run('config.json');

// @ts-expect-error: there is no such key
extract({ api: { bseUrl: '' } });

// @ts-expect-error: there are jobs to run
extract({ api: { baseUrl: '' }, config: {} });

// @ts-expect-error: the method has no such key
export const key: ApiSection = { baseUrl: '', pagination: { method: 'pagenum', pageSize: 100 } };

// @ts-expect-error: there is no such method
export const method: ApiSection = { baseUrl: '', pagination: { method: 'pages' } };

// @ts-expect-error: there is no such function
export const called: ApiSection = { baseUrl: { function: 'join', args: [] } };

// @ts-expect-error: a text is not one of the methods until parseConfiguration has looked at it
run(imported);

// @ts-expect-error: an option that does not exist
run(configuration, { target: ndjson('out') });

// @ts-expect-error: concurrency is a number
run(configuration, { concurrency: '2' });

// @ts-expect-error: absent is not undefined
run(configuration, { jobs: undefined });

// @ts-expect-error: a summary is read-only
(await run(configuration)).jobs.push();

const orders = extract<User>(configuration).job('orders');

// @ts-expect-error: the items have no such member
for await (const { name } of orders.items()) console.log(name);

// @ts-expect-error: there is no such form
orders.readable({ as: 'rows' });

// @ts-expect-error: values may be missing
orders.observable().subscribe((user) => user.id.toFixed().at(0).length);

// @ts-expect-error: items are unknown unless a type is named
for await (const { id } of extract(configuration).items()) console.log(id);

// @ts-expect-error: a sink is closed and aborted too
export const half: Sink<User> = { write: () => undefined };

// @ts-expect-error: a batch of users holds no texts
export const texts: readonly string[] = batchOf('users', [{ id: 1 }]).values();

// @ts-expect-error: the transform takes users
orders.through(mapItems((user: { readonly name: string }) => user.name));

// @ts-expect-error: the next request must have the type of the requests
of(1).pipe(scroll((page) => of({ next: String(page) })));

// @ts-expect-error: a wait is in milliseconds
of(1).pipe(retryTransient(() => '1s'));

// @ts-expect-error: names that are not exported are private
export type { Engine } from 'rxtract/src/run/run-context.js';
