/** The process of a chaos run with sinks of examples/sinks, until it ends or is killed. sink-run.ts compiles it. */
import { readFile } from 'node:fs/promises';
import { parseDocument, run, stateFolder } from 'rxtract';
import { all, type Recovery, type Sink, sinkFromUri } from 'rxtract/sinks';
import { stagedTable } from '../../examples/sinks/cut.js';
import { queue } from '../../examples/sinks/ids.js';
import { appendedList } from '../../examples/sinks/none.js';
import { log } from '../../examples/sinks/transaction.js';

/** What the process is started with, as JSON. */
export interface Orders {
  readonly config: string;
  readonly state: string;
  readonly resume: boolean;
  readonly concurrency: number;
  readonly sinks: readonly { readonly recovery: Recovery; readonly url: string }[];
}

const makers: Readonly<Record<Recovery, (url: string) => Sink>> = {
  none: appendedList,
  ids: queue,
  cut: stagedTable,
  transaction: log,
};

const { config, state, resume, concurrency, sinks }: Orders = JSON.parse(process.argv[2] ?? '{}');
const made = sinks.map(({ recovery, url }) => (url.startsWith('http:') ? makers[recovery](url) : sinkFromUri(url)));
const [only] = made;
const to = made.length === 1 && only !== undefined ? only : all(made);
await run(parseDocument(await readFile(config, 'utf8'), config), {
  to,
  store: stateFolder(state),
  resume: resume && 'only',
  concurrency,
}).catch((error) => {
  process.stderr.write(`${error.code} ${error.message}\n`);
  process.exitCode = error.code === 'ERR_SINK' ? 3 : 1;
});
process.exit();
