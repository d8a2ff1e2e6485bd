/**
 * What a person does between runs, once with each sink that grows: `state show|set|reset`, `--full`, and a backfill
 * with `--since` and `--until`. After each step the requests, the destination and the state are what chapter 13 says.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as plain } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, inTemporary } from '../blackbox/command.js';
import type { ChangingItem } from '../chaos/changing-rows.js';
import { type PullTarget, type PullTargetName, pullTargets } from '../chaos/pull-targets.js';
import { json, startApi } from '../loopback/api.js';
import { kafkaMissing, postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';

/** How a sink takes what arrives: each version, or a row for each id, of which a complete run may remove some. */
type Way = 'adds' | 'merge' | 'mirror' | 'history';

const table: readonly (readonly [name: PullTargetName, way: Way, missing?: string | undefined])[] = [
  ['ndjson-append', 'adds'],
  ['duckdb-merge', 'merge'],
  ['duckdb-mirror', 'mirror'],
  ['duckdb-history', 'history'],
  ['postgres-merge', 'merge', postgresMissing],
  ['postgres-mirror', 'mirror', postgresMissing],
  ['postgres-history', 'history', postgresMissing],
  ['kafka', 'adds', kafkaMissing],
];

const day = (at: number) => `2026-01-${String(at).padStart(2, '0')}T00:00:00.000Z`;
const rowAt = (id: number, at: number, version = 1): ChangingItem => ({
  id,
  updated: day(at),
  name: `row ${id}, version ${version}`,
  deleted: false,
});

/** What a sink should have: every version that has arrived, and the rows that are valid. */
class Expected {
  readonly #way: Way;
  #versions: ChangingItem[] = [];
  #valid = new Map<number, ChangingItem>();

  constructor(way: Way) {
    this.#way = way;
  }

  /** `isComplete`: the run asked for everything. */
  arrive(rows: readonly ChangingItem[], isComplete = false): void {
    const isKeyed = this.#way !== 'adds';
    const news = rows.filter((row) => !isKeyed || this.#valid.get(row.id)?.name !== row.name);
    this.#versions.push(...news);
    for (const row of rows) this.#valid.set(row.id, row);
    if (!isComplete || this.#way === 'merge' || this.#way === 'adds') return;
    this.#valid = new Map(rows.map((row) => [row.id, row]));
  }

  get rows(): readonly string[] {
    const isOfVersions = this.#way === 'adds' || this.#way === 'history';
    return sorted(isOfVersions ? this.#versions : [...this.#valid.values()]);
  }

  /** Undefined: the sink has no such view. */
  get current(): readonly string[] | undefined {
    return this.#way === 'adds' ? undefined : sorted([...this.#valid.values()]);
  }
}

const sorted = (rows: readonly ChangingItem[]): readonly string[] => rows.map((row) => JSON.stringify(row)).sort();

interface Scene {
  rows: readonly ChangingItem[];
  readonly expected: Expected;
  /** Runs the command, and returns the queries of its requests. */
  pull(...flags: readonly string[]): Promise<readonly string[]>;
  state(action: string, ...words: readonly string[]): Promise<string>;
  /** Compares destination and state. */
  check(step: string, remembered: string | undefined): Promise<void>;
}

async function inScene(target: PullTarget, way: Way, use: (scene: Scene) => Promise<void>): Promise<void> {
  await inTemporary(async (folder) => {
    const api = await startApi(({ target: asked }) => {
      const { searchParams } = new URL(asked, 'http://x');
      const [since, until] = [searchParams.get('since') ?? '', searchParams.get('until') ?? '9'];
      return json(scene.rows.filter(({ updated }) => updated >= since && updated < until));
    });
    const server = await target.start?.();
    const place = { folder, port: server?.port ?? 0 };
    const [file, st] = [join(folder, 'config.json'), join(folder, 'st')];
    const incremental = { path: 'updated', param: 'since', until: 'until' };
    const ended = async (words: readonly string[]) => {
      const { exit, stdout, stderr } = await commandHere(words);
      assert.is(exit, 0, `${words.join(' ')}\n${stderr}`);
      return stdout;
    };
    const scene: Scene = {
      rows: [],
      expected: new Expected(way),
      async pull(...flags) {
        const before = api.requests.length;
        await ended(['run', file, '--state', st, '--to', target.uri(place), '--quiet', ...flags]);
        return api.requests.slice(before).map(({ target: asked }) => asked.replace('/rows', ''));
      },
      state: (action, ...words) => ended(['state', action, st, ...words]),
      async check(step, remembered) {
        assert.equal(sorted((await target.rows?.(place)) ?? []), scene.expected.rows, step);
        const current = await target.current?.(place);
        if (current !== undefined) assert.equal(sorted(current), scene.expected.current, `${step}: valid rows`);
        const shown = JSON.parse(await ended(['state', 'show', st, '--json']));
        assert.equal(
          shown.map(({ job, value }: { readonly job: string; readonly value: string }) => `${job} ${value}`),
          remembered === undefined ? [] : [`rows ${JSON.stringify(remembered)}`],
          step,
        );
      },
    };
    try {
      const job = { endpoint: 'rows', dataType: 'rows', incremental };
      await writeFile(file, JSON.stringify({ api: { baseUrl: `${api.origin}/` }, config: { jobs: [job] } }));
      await use(scene);
    } finally {
      await api.close();
      await server?.close();
    }
  });
}

const between = (rows: readonly ChangingItem[], from: number, to = 99) =>
  rows.filter(({ updated }) => updated >= day(from) && (to === 99 || updated < day(to)));

async function everything(scene: Scene): Promise<void> {
  const { expected, pull, state, check } = scene;
  scene.rows = [1, 2, 3, 4].map((id) => rowAt(id, id));
  assert.equal(await pull(), ['']);
  expected.arrive(scene.rows);
  await check('the first run', day(4));

  scene.rows = [rowAt(2, 2), rowAt(3, 3), rowAt(4, 4), rowAt(1, 5, 2), rowAt(5, 6)];
  assert.equal(await pull(), [`?since=${encodeURIComponent(day(4))}`]);
  expected.arrive([rowAt(1, 5, 2), rowAt(5, 6)]); // The row at the value is recognised.
  await check('the second run', day(6));
  assert.match(await state('show'), new RegExp(`rows +${day(6)} +1 `));

  await state('set', 'rows', day(5));
  await check('set', day(5));
  assert.equal(await pull(), [`?since=${encodeURIComponent(day(5))}`]);
  expected.arrive(between(scene.rows, 5)); // No item is recognised after it.
  await check('a run after set', day(6));

  await state('reset', 'rows');
  await check('reset', undefined);
  assert.equal(await pull(), ['']);
  expected.arrive(scene.rows, true);
  await check('a run after reset', day(6));

  scene.rows = scene.rows.filter(({ id }) => id !== 2 && id !== 5);
  assert.equal(await pull('--full'), ['']);
  expected.arrive(scene.rows, true);
  await check('a full run: two rows are gone, one of them the highest', day(5));

  scene.rows = [...scene.rows.filter(({ id }) => id !== 3), rowAt(3, 3, 2), rowAt(6, 7)];
  const bounds = ['--since', day(3), '--until', day(5)];
  assert.equal(await pull(...bounds), [`?since=${encodeURIComponent(day(3))}&until=${encodeURIComponent(day(5))}`]);
  expected.arrive(between(scene.rows, 3, 5));
  await check('a backfill', day(5));

  assert.equal(await pull('--since', day(7), '--remember'), [`?since=${encodeURIComponent(day(7))}`]);
  expected.arrive(between(scene.rows, 7));
  await check('a backfill that is remembered', day(7));
}

for (const [name, way, missing] of table) {
  testWhere(missing)(`state show, set and reset, --full, --since and --until with ${name}`, () =>
    inScene(pullTargets[name], way, everything),
  );
}

plain.run();
