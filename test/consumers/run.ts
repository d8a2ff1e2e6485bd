/** A user's program around `run`: its arguments, and the types of its results. */
import {
  type Configuration,
  ExtractError,
  type JobSection,
  type Notice,
  type OpenStore,
  parseConfiguration,
  type Receipt,
  type RunOptions,
  run,
  type Store,
  type Summary,
  stateFolder,
} from 'rxtract';
import { ndjson } from 'rxtract/sinks';
import imported from './imported.json' with { type: 'json' };

interface User {
  readonly id: number;
  readonly name?: string;
}

export const configuration: Configuration = {
  api: { baseUrl: 'https://api.example.com/', pagination: { method: 'pagenum', limit: 100 } },
  config: { jobs: [{ endpoint: 'users' }] },
};

/** With its own type, so that parts of it can be used. */
export const parts = {
  api: { baseUrl: 'https://api.example.com/', authentication: { type: 'bearer', token: { attr: '#token' } } },
  config: {
    '#token': process.env.TOKEN,
    since: new Date(0),
    jobs: [
      {
        endpoint: 'orders',
        params: {
          since: { function: 'date', args: ['Y-m-d', { time: 'previousStart' }] },
          ids: [1, 2n],
          where: { state: { in: ['open'] } },
        },
      },
    ],
  },
} satisfies Configuration;
await run(parts);
await run({ ...parts, aws: null, cache: true });

const [job] = parts.config.jobs;
const more: readonly JobSection[] = ['a', 'b'].map((endpoint) => ({ ...job, endpoint, params: { page: 1 } }));
await run({ ...parts, config: { ...parts.config, jobs: more } });

/** Imported JSON has texts where the configuration has names. */
await run(parseConfiguration(imported));

export const summary: Summary = await run(configuration, { to: ndjson('out') });
export const stops: readonly string[] = summary.jobs.map(({ stop }) => stop);

const said: Notice[] = [];
const options: RunOptions<User> = {
  to: async (batch, signal) => {
    signal.throwIfAborted();
    const [first] = batch.values();
    const name: string | undefined = first?.name;
    if (name !== undefined) console.log(name);
  },
  onReceipt: ({ index, count }: Receipt) => console.log(index, count),
  notify: (notice) => said.push(notice),
  concurrency: 2,
};
await run<User>(configuration, options);

export async function codeOf(): Promise<string> {
  try {
    await run(configuration, { strict: true, signal: AbortSignal.timeout(1000) });
    return 'done';
  } catch (thrown) {
    if (!(thrown instanceof ExtractError)) throw thrown;
    return thrown.code === 'ERR_STATUS' ? `status ${thrown.where.status ?? 0}` : thrown.code;
  }
}

/** A store of one's own, before another one. */
const counting: Store = {
  async open(): Promise<OpenStore> {
    const inner = await stateFolder('state').open();
    return { ...inner, append: (records: readonly string[]) => inner.append(records) };
  },
};
export const { guarantee } = await run(configuration, { to: ndjson('out'), store: counting, resume: true });
