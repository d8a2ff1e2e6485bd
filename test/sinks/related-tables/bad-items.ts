/**
 * Items that are not what a table expects, for each kind of table: an error with the job and the place, after which
 * nothing is published; or tables, whose columns are named here.
 */
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { run } from '../../../src/run/extract.js';
import { rawJson, startApi } from '../../loopback/api.js';
import { configOf } from '../../support/mock-network.js';

/** The kinds of table. */
export type BadItemSink = 'csv' | 'parquet' | 'duckdb' | 'postgres' | 'tables';

/** The columns of each table, or what the error says. */
type Outcome = Readonly<Record<string, readonly string[]>> | RegExp;

export interface BadItems {
  readonly what: string;
  /** The items of the second page, as JSON. The first page has `{"id":1,"l":[{"a":1}]}`. */
  readonly items: string;
  readonly outcomes: Readonly<Record<BadItemSink, Outcome>>;
}

/** What is read of a destination: the columns of each published table. */
export type Published = Readonly<Record<string, readonly string[]>>;

/** Pulls both pages, and compares what came of it. */
export async function mustEnd(
  { items, outcomes }: BadItems,
  sink: BadItemSink,
  to: string,
  read: () => Promise<Published>,
): Promise<void> {
  const pages = ['[{"id":1,"l":[{"a":1}]}]', items];
  const server = await startApi((_, index) => rawJson(pages[index] ?? '[]'));
  try {
    const api = { baseUrl: `${server.origin}/`, pagination: { method: 'pagenum', firstPageParams: true } };
    const running = run(configOf([{ endpoint: 'rows', dataType: 'rows' }], api), { to });
    const thrown: unknown = await running.then(
      () => undefined,
      (error: unknown) => error,
    );
    const expected = outcomes[sink];
    if (expected instanceof RegExp) {
      if (!(thrown instanceof ExtractError)) throw thrown ?? new Error(`published: ${JSON.stringify(await read())}`);
      assert.match(`${thrown.code} ${thrown.message} (job ${thrown.job}, page ${thrown.page})`, expected);
      assert.equal(await read(), {});
      return;
    }
    if (thrown !== undefined) throw thrown;
    assert.equal(await read(), expected);
  } finally {
    await server.close();
  }
}
