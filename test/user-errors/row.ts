/** A user error: what provokes it, its code, its place, and what its message names. */
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import type { ErrorCode } from '../../src/core/errors/error-codes.js';
import { run } from '../../src/run/extract.js';
import { mainOrigin, type Step, startReplay } from '../loopback/replay.js';
import { rejection } from '../sinks/lib.js';
import { unchecked } from '../unchecked.js';

type Part = Readonly<Record<string, unknown>>;

export interface Row {
  /** Section of the rules, and the rule in plain words. */
  readonly rule: string;
  /** Members of `api` besides `baseUrl`, which is `http://api.test/v1/` unless given. */
  readonly api?: Part;
  /** Members of `config` besides the jobs. */
  readonly config?: Part;
  /** One at `users` unless given. */
  readonly jobs?: unknown;
  /** Members of the document besides `api` and `config`. */
  readonly beside?: Part;
  /** In the place of all of these. */
  readonly document?: object;
  /** What is asked before it fails; none: nothing is. */
  readonly steps?: readonly Step[];
  /** ERR_CONFIG unless given. */
  readonly code?: ErrorCode;
  /** Every problem of a configuration: its path, and what the message names. */
  readonly problems?: readonly (readonly [path: string, says: RegExp])[];
  /** What a failure on the way names, and where it was. */
  readonly says?: RegExp;
  readonly job?: string;
  readonly page?: number;
}

function documentOf({ document, api, config, jobs, beside }: Row): object {
  return (
    document ?? {
      api: { baseUrl: `${mainOrigin}/v1/`, ...api },
      config: { jobs: jobs ?? [{ endpoint: 'users' }], ...config },
      ...beside,
    }
  );
}

/** Texts below keys that begin with `#`, which no message may show. */
function secretsIn(value: unknown, isSecret = false): readonly string[] {
  if (typeof value === 'string') return isSecret && value.length > 5 ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => secretsIn(member, isSecret || key.startsWith('#')));
}

/** Runs it against loopback servers: it must fail as expected, after the expected requests and no others. */
export async function provoke(row: Row): Promise<void> {
  const { code = 'ERR_CONFIG', problems = [], says = /./, steps = [], job, page } = row;
  const replay = await startReplay(steps);
  try {
    const document = unchecked(JSON.parse(replay.resolve(JSON.stringify(documentOf(row)))));
    const error = await rejection(run(document, { to: memory() }), code, says);
    assert.equal(replay.asked().split('\n'), replay.expected().split('\n'));
    const found = error.problems.map(({ path, message }) => `${path}: ${message}`);
    assert.equal(
      error.problems.map(({ path }) => path),
      problems.map(([path]) => path),
      found.join('\n'),
    );
    for (const [index, [, names]] of problems.entries()) assert.match(error.problems[index]?.message ?? '', names);
    for (const secret of secretsIn(document)) assert.not(`${error.message}\n${found.join('\n')}`.includes(secret));
    assert.equal([error.where.job, error.where.page], [job, page], error.message);
  } finally {
    await replay.close();
  }
}
