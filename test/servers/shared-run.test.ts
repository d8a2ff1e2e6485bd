/**
 * One run in several processes at a real PostgreSQL: they are killed, suspended beyond their leases, and stopped, and
 * the server is killed. What another client reads afterwards is what one process writes.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { boardAt } from '../../src/checkpoint/board/board-address.js';
import type { Configuration } from '../../src/config/configuration.js';
import { run as runAlone } from '../../src/run/extract.js';
import { describeWork } from '../../src/run/shared/describe-work.js';
import type { WorkerEvent } from '../../src/run/shared/worker.js';
import { type RandomScene, randomScene } from '../checkpoint/board/random-scene.js';
import { configurationOf } from '../checkpoint/scenes.js';
import { json, startApi } from '../loopback/api.js';
import { mulberry32 } from '../support/mulberry32.js';
import { connectReady, postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { type Lent, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);
const program = fileURLToPath(new URL('run-worker.ts', import.meta.url));

const env = { RXTRACT_KEY: Buffer.alloc(32, 7).toString('base64') };

/** In ms. */
const lease = 1500;

interface Process {
  readonly child: ChildProcess;
  /** Settles with the next event that fits. */
  event(fits: (event: WorkerEvent) => boolean): Promise<WorkerEvent>;
}

function startProcess(address: string): Process {
  const child = fork(program, [address, String(lease)], {
    execArgv: process.execArgv,
    env: { ...process.env, ...env },
  });
  return {
    child,
    async event(fits) {
      for (;;) {
        const [event] = (await once(child, 'message')) as [WorkerEvent];
        if (fits(event)) return event;
      }
    },
  };
}

const ended = async ({ child }: Process) => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

/** Asks until the answer fits: the server may be away. */
async function until<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined && fits(answer)) return answer;
    await sleep(20);
  }
}

/** What a client reads of a schema: each row of each table. */
async function rowsIn({ sql }: Lent, schema: string): Promise<readonly string[]> {
  const tables = await sql(`SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}' ORDER BY 1`);
  const all: string[] = [];
  for (const { name } of tables.filter(({ name }) => !String(name).startsWith('rxtract_'))) {
    const rows = await sql(`SELECT t::text AS row FROM ${schema}."${name}" AS t`);
    all.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return all.sort();
}

interface Trial {
  readonly lent: Lent;
  readonly configuration: Configuration;
  readonly concurrency: number;
  readonly block: number;
  /** Settles when the API has answered so many further requests, or the run has ended. */
  answered(count: number): Promise<void>;
}

/** Runs it in processes while `faults` happen to them, and compares with one process. */
async function mustBeEqual(trial: Trial, disturb: (processes: Process[], isOver: () => boolean) => Promise<void>) {
  const { lent, configuration, concurrency, block } = trial;
  const [alone, shared] = ['alone', 'shared'].map((schema) => lent.uri(`?columns=item&schema=${schema}`));
  await runAlone(configuration, { to: alone ?? '', concurrency });
  const options = { to: [shared ?? ''], concurrency, env };
  const board = boardAt(lent.uri(), { env: {} });
  const processes = [0, 1, 2].map(() => startProcess(lent.uri()));
  try {
    await board.submit({ ...(await describeWork('orders', configuration, options)), name: 'orders', block });
    let isOver = false;
    const over = until(
      () => board.status('orders'),
      (status) => status?.state !== 'running',
    ).finally(() => {
      isOver = true;
    });
    await Promise.all([over, disturb(processes, () => isOver)]);
    const status = await board.status('orders');
    assert.equal([status?.state, status?.errors], ['done', []]);
    for (const each of processes) each.child.connected && each.child.send('stop');
    for (const each of processes) await ended(each);
    assert.equal(await rowsIn(lent, 'shared'), await rowsIn(lent, 'alone'));
    const left = `SELECT FROM pg_tables WHERE schemaname = 'shared' AND tablename ~ '^rxtract_[0-9a-f]{16}_'`;
    assert.equal([await lent.sql(left), await lent.sql('SELECT FROM rxtract.parts')], [[], []]);
  } finally {
    board.end();
    for (const { child } of processes) child.kill('SIGKILL');
  }
}

async function withTrial(scene: RandomScene, use: (trial: Trial) => Promise<void>) {
  let count = 0;
  const api = await startApi(async (request, index) => {
    await sleep(20);
    count += 1;
    return scene.answer(new URL(request.target, 'http://x'), request, index);
  });
  const base = configurationOf(scene, api.origin);
  const configuration = (
    scene.iterations === undefined ? base : { ...base, iterations: scene.iterations }
  ) as Configuration;
  try {
    await withPostgres((lent) =>
      use({
        lent,
        configuration,
        concurrency: scene.concurrency ?? 1,
        block: 10 * (scene.block ?? 4),
        async answered(more) {
          const target = count + more;
          for (let quiet = 0; count < target && quiet < 200; quiet += 1) {
            const before = count;
            await sleep(10);
            if (count !== before) quiet = 0;
          }
        },
      }),
    );
  } finally {
    await api.close();
  }
}

const firstSeed = Number(process.env.SHARED_SEED ?? Date.now() % 1_000_000);
console.log(`first seed of runs in several processes: ${firstSeed}`);

interface Target {
  readonly lent: Lent;
  readonly processes: Process[];
  readonly index: number;
  readonly isOver: () => boolean;
}

/** What happens to a process, or to the server. A process that has ended is followed by another one. */
const faults: Readonly<Record<string, (one: Process, target: Target) => Promise<void>>> = {
  suspended: (one, { lent, isOver }) => suspend(lent, one, isOver),
  async killed(one, { lent, processes, index }) {
    one.child.kill('SIGKILL');
    await ended(one);
    processes[index] = startProcess(lent.uri());
  },
  async stopped(one, { lent, processes, index }) {
    one.child.send('stop');
    await ended(one);
    processes[index] = startProcess(lent.uri());
  },
  async crashed(_, { lent: { server } }) {
    await server.kill();
    await server.start();
  },
};

for (let seed = firstSeed; seed < firstSeed + Number(process.env.SHARED_RUNS ?? 1); seed += 1) {
  test(`processes are killed, suspended and stopped, and PostgreSQL is killed: seed ${seed}`, () => {
    const random = mulberry32(seed);
    const draw = (below: number) => random() % below;
    return withTrial(randomScene(draw), async (trial) => {
      const happened: string[] = [];
      await mustBeEqual(trial, async (processes, isOver) => {
        let hasBegun = false;
        const begins = processes[0]?.event(({ type }) => type === 'taken');
        void begins?.then(() => {
          hasBegun = true;
        });
        // The others may do all tasks of a small run.
        await until(
          async () => hasBegun || isOver(),
          (is) => is,
        );
        for (let round = 0; round < 12; round += 1) {
          await trial.answered(2 + draw(8));
          const [index, kind] = [draw(processes.length), round === 0 ? 0 : draw(4)];
          const [one, [name, happen] = []] = [processes[index], Object.entries(faults)[kind]];
          if (isOver() || one === undefined || name === undefined) break;
          happened.push(name);
          await happen?.(one, { lent: trial.lent, processes, index, isOver });
        }
      });
      console.log(`seed ${seed}: ${happened.join(', ')}`);
    });
  });
}

/** Suspends a process until others have taken all its tasks. */
async function suspend({ sql }: Lent, { child }: Process, isOver: () => boolean): Promise<void> {
  child.kill('SIGSTOP');
  const mine = `SELECT FROM rxtract.tasks WHERE state = 'leased' AND worker LIKE '% ${child.pid}'`;
  await until(
    () => sql(mine),
    (rows) => rows.length === 0 || isOver(),
  );
  child.kill('SIGCONT');
}

/** The writes of the task that publishes, and what becomes of the process at each of them. */
const writes = ['epoch', 'sum', 'publishing', 'done'];
const fates = ['killed before it', 'killed after it', 'suspended after it'] as const;

const fewTasks: RandomScene = {
  what: 'users with notes',
  block: 50,
  api: { pagination: { method: 'pagenum', limit: 2, limitParam: 'limit' } },
  jobs: [
    {
      endpoint: 'users',
      dataType: 'users',
      children: [{ endpoint: 'users/{user}/notes', dataType: 'notes', placeholders: { user: 'id' } }],
    },
  ],
  answer: ({ pathname }) => json([{ id: pathname.length }]),
};

test('a process that ends or is suspended at any write of the publication is followed by another one', () =>
  withTrial(fewTasks, async ({ lent, configuration, concurrency, block }) => {
    const { sql, uri } = lent;
    const board = boardAt(uri(), { env });
    const processes = [startProcess(uri()), startProcess(uri())];
    const gate = await connectReady(lent.server.port);
    try {
      await runAlone(configuration, { to: uri('?columns=item&schema=alone'), concurrency });
      await board.runs();
      await sql('CREATE SEQUENCE passed');
      let count = 0;
      for (const at of writes.keys()) {
        for (const fate of fates) {
          count += 1;
          const [name, schema] = [`run-${count}`, `shared_${count}`];
          const options = { to: [uri(`?columns=item&schema=${schema}`)], concurrency, env };
          await gate.query('SELECT pg_advisory_lock(77)');
          await sql(`ALTER SEQUENCE passed RESTART; CREATE OR REPLACE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN IF nextval('passed') = ${at + 1} THEN PERFORM pg_advisory_xact_lock_shared(77); END IF; RETURN NEW; END $$;
            CREATE OR REPLACE TRIGGER gate BEFORE INSERT ON rxtract.records FOR EACH ROW
            WHEN (NEW.task = 'publish' AND NEW.number > 1 AND NEW.record ~ '^{"type":"(begin|publishing|done)"')
            EXECUTE FUNCTION gate()`);
          await board.submit({ ...(await describeWork(name, configuration, options)), name, block });
          const waiting = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
          await until(
            () => sql(waiting),
            (rows) => rows.length > 0,
          );
          const [held] = await sql(`SELECT worker FROM rxtract.tasks WHERE run = '${name}' AND task = 'publish'`);
          const index = processes.findIndex(({ child }) => String(held?.worker).endsWith(` ${child.pid}`));
          const one = processes[index];
          assert.ok(one);
          one.child.kill(fate === 'suspended after it' ? 'SIGSTOP' : 'SIGKILL');
          if (fate === 'killed before it') await sql(`SELECT pg_terminate_backend(pid) FROM (${waiting}) AS t`);
          await gate.query('SELECT pg_advisory_unlock(77)');
          await until(
            () => board.status(name),
            (status) => status?.state === 'done',
          );
          if (fate === 'suspended after it') one.child.kill('SIGCONT');
          else processes[index] = startProcess(uri());
          assert.equal(await rowsIn(lent, schema), await rowsIn(lent, 'alone'), `${fate}: ${writes[at]}`);
          const [{ epoch } = {}] = await sql(
            `SELECT epoch FROM rxtract.tasks WHERE run = '${name}' AND task = 'publish'`,
          );
          assert.is(Number(epoch) > 1, at < 3 || fate === 'killed before it', `${fate}: ${writes[at]}`);
        }
      }
      for (const each of processes) each.child.send('stop');
      for (const each of processes) await ended(each);
      for (let each = 1; each <= count; each += 1) {
        assert.equal(await rowsIn(lent, `shared_${each}`), await rowsIn(lent, 'alone'), 'after all have ended');
      }
    } finally {
      await gate.end();
      board.end();
      for (const { child } of processes) child.kill('SIGKILL');
    }
  }));

run.run();
