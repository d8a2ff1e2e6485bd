/**
 * The events of `--log json`, a row for each member. The types of what is written, `log.schema.json` and the tables of
 * chapter 5 are these rows. A type of the engine whose members a row copies must have a row for each of them.
 */
import type { ColumnChange, SinkOutput } from '../../../sinks/contract.js';
import type { RefusedItems, RefusedPlace } from '../../../sinks/decorators/refusals.js';
import type { Drift, DriftPlace } from '../../../sinks/shape/judge.js';
import type { Problem } from '../../core/errors/errors.js';
import type { JobSummary } from '../../core/model/job-stats.js';
import type { FailedRequest, Receipt } from '../../core/model/page.js';
import type { ShapeChange, SinkPromise } from '../../run/job-stats.js';
import {
  flag,
  isTrue,
  listOf,
  type MemberRow,
  type MemberRows,
  type MembersOf,
  objectSchema,
  objectWith,
  type RowsFor,
  share,
  text,
  texts,
  whole,
  word,
} from './event-rows.js';

/** A member was removed, or means something else, where this number is higher. */
export const logVersion = 1;

const count = whole(0);
const job = { form: text, summary: 'the name of the job' } as const;
const dataType = { form: text, summary: 'the data type of its items' } as const;
const page = {
  form: whole(1),
  summary: 'the page, from 1; of a child job, from 1 for each row of its parent',
} as const;

const failedRequest = {
  code: { form: text, summary: '[the code](errors.md) of the failure' },
  status: {
    form: whole(100),
    summary: 'the status, unless a rule says that the response is a failure',
    optional: true,
  },
  page,
  request: { form: text, summary: 'its method and address' },
  letter: { form: isTrue, summary: 'it is a dead letter', optional: true },
} as const satisfies RowsFor<FailedRequest>;

type ReceiptMembers = Pick<Receipt, 'job' | 'dataType' | 'bytes' | 'requests' | 'retries' | 'delivered' | 'stop'> &
  Pick<Receipt, 'skipped' | 'cached' | 'unchanged' | 'bounded'> & { readonly page: number; readonly items: number };

const pageRows = {
  job,
  dataType,
  page,
  items: { form: count, summary: 'its items' },
  bytes: { form: count, summary: 'the bytes of its items' },
  requests: { form: count, summary: 'requests for it, with logins and retries' },
  retries: { form: count, summary: 'those of them that were retries' },
  delivered: { form: flag, summary: 'false: it repeated the page before it, and sinks have not got it' },
  skipped: {
    form: objectWith(failedRequest),
    summary: 'its request [failed and was left out](04-child-jobs.md#when-a-child-fails)',
    optional: true,
  },
  cached: { form: isTrue, summary: 'it came from [the cache](05-command-line.md#kept-answers)', optional: true },
  unchanged: {
    form: isTrue,
    summary: 'it [has not changed](13-second-run.md#only-if-changed) since an earlier run',
    optional: true,
  },
  stop: { form: text, summary: 'why the job ends; only on the last page of a walk', optional: true },
  bounded: {
    form: isTrue,
    summary: '[a bound of the run](03-pagination.md#bounds-of-a-run) ended the walk',
    optional: true,
  },
} as const satisfies RowsFor<ReceiptMembers>;

const jobRows = {
  job,
  parent: { form: text, summary: 'the job that a child belongs to', optional: true },
  dataType,
  requests: { form: count, summary: 'requests, with logins and retries' },
  pages: { form: count, summary: 'pages' },
  items: { form: count, summary: 'items' },
  bytes: { form: count, summary: 'the bytes of the items' },
  retries: { form: count, summary: 'retries' },
  cached: { form: count, summary: 'pages from [the cache](05-command-line.md#kept-answers), if any', optional: true },
  unchanged: {
    form: count,
    summary: 'pages that [have not changed](13-second-run.md#only-if-changed), if any',
    optional: true,
  },
  skipped: {
    form: count,
    summary: 'requests that [failed and were left out](04-child-jobs.md#when-a-child-fails), if any',
    optional: true,
  },
  letters: { form: count, summary: 'those of them that are dead letters, if any', optional: true },
  skips: { form: listOf(failedRequest), summary: 'the first 1,000 of them', optional: true },
  stop: {
    form: text,
    summary:
      'why it ended, in words, or `failed`, `a child job failed`, `another job failed`, `the run failed` (its sink or its state), `interrupted`, `not started`. A child job has one entry for all rows of its parent',
  },
  bounded: {
    form: isTrue,
    summary: '[a bound of the run](03-pagination.md#bounds-of-a-run) ended it',
    optional: true,
  },
} as const satisfies RowsFor<JobSummary>;

const columnChange = {
  column: { form: text, summary: 'the column' },
  from: { form: text, summary: 'its type before, as the destination names it' },
  to: { form: text, summary: 'its type now' },
} as const satisfies RowsFor<ColumnChange>;

const outputRows = {
  dataType: { form: text, summary: 'the data type' },
  name: { form: text, summary: 'where the items are: a file, or a table' },
  items: { form: count, summary: 'items' },
  bytes: { form: count, summary: 'the bytes of the items' },
  size: { form: count, summary: 'the bytes of the output, of compressed files and tables', optional: true },
  columns: { form: count, summary: 'the number of columns of a table', optional: true },
  changed: {
    form: listOf(columnChange),
    summary: 'the columns whose type this process has widened',
    optional: true,
  },
  unfinished: {
    form: isTrue,
    summary: 'it has not been published: `name` is the file that there is',
    optional: true,
  },
  kept: {
    form: isTrue,
    summary: 'it is [a file of an earlier run](07-sinks.md#an-earlier-output) that was not replaced',
    optional: true,
  },
} as const satisfies RowsFor<SinkOutput>;

const guarantee = word('exactly once', 'effectively once', 'at least once');

const promiseRows = {
  name: { form: text, summary: 'the sink' },
  guarantee: { form: guarantee, summary: 'its guarantee' },
} as const satisfies RowsFor<SinkPromise>;

const walk = { form: text, summary: 'the walk' } as const;
const item = { form: count, summary: 'the place of the item in the page, from 0' } as const;

const refusedPlace = {
  job,
  dataType,
  walk,
  page,
  item,
  error: { form: text, summary: 'what the destination says' },
} as const satisfies RowsFor<RefusedPlace>;

const refusedRows = {
  name: { form: text, summary: 'the sink' },
  items: { form: count, summary: 'how many items it has refused' },
  places: { form: listOf(refusedPlace), summary: 'the first 100' },
} as const satisfies RowsFor<RefusedItems>;

const driftPlace = {
  job,
  dataType,
  walk,
  page,
  item,
  path: { form: text, summary: 'the path of the value, empty for the item' },
  change: { form: word('new', 'absent', 'null', 'type', 'value', 'format'), summary: 'how it differs' },
  message: { form: text, summary: 'the same in words' },
} as const satisfies RowsFor<DriftPlace>;

const driftRows = {
  items: { form: count, summary: 'how many items differ' },
  places: { form: listOf(driftPlace), summary: 'the first 100 differences' },
} as const satisfies RowsFor<Drift>;

const shapeChangeRows = {
  dataType: { form: text, summary: 'the data type' },
  changes: { form: texts, summary: 'the differences, in words' },
} as const satisfies RowsFor<ShapeChange>;

const problemRows = {
  path: { form: text, summary: 'the place in the configuration' },
  message: { form: text, summary: 'what is wrong there' },
} as const satisfies RowsFor<Problem>;

const code = (summary: string) => ({ form: text, summary }) as const;

/** Each event: its levels, what it says, and its members beside `event`, `level` and `version`. */
export const logEvents = {
  notice: {
    levels: ['debug', 'info', 'warning'],
    summary: 'a warning, a wait before a retry, an interrupt',
    rows: {
      code: code('[the code](reference/warnings.md) of a warning, or `retry`, `interrupted` and others'),
      message: { form: text, summary: 'the message' },
      job: { ...job, optional: true },
      sink: { form: text, summary: 'the sink that it is about, with several `--to`', optional: true },
      page: { ...page, optional: true },
    },
  },
  page: { levels: ['info'], summary: 'a page that the sinks have accepted', rows: pageRows },
  progress: {
    levels: ['info'],
    summary: 'a job that runs, every 10 seconds',
    rows: {
      job,
      pages: { form: count, summary: 'its pages so far' },
      items: { form: count, summary: 'its items, with those of the page in progress' },
      bytes: { form: count, summary: 'the bytes of the items' },
      retries: { form: count, summary: 'retries' },
      itemsPerSecond: { form: count, summary: 'the rate of the last 10 seconds', optional: true },
      share: {
        form: share,
        summary: 'the part that is done, [an estimate](05-command-line.md#how-much-is-left)',
        optional: true,
      },
      secondsLeft: { form: count, summary: 'the time left, an estimate', optional: true },
    },
  },
  error: {
    levels: ['error'],
    summary: 'what failed',
    rows: {
      code: code('[the code](errors.md)'),
      message: { form: text, summary: 'the message' },
      sink: { form: text, summary: 'the sink that failed, in a run with several', optional: true },
      job: { ...job, optional: true },
      page: { ...page, optional: true },
      request: { form: text, summary: 'the method and address of the request', optional: true },
      offset: { form: count, summary: 'the place in the body, in bytes', optional: true },
      status: { form: whole(100), summary: 'the status of the response', optional: true },
      transport: { form: whole(1), summary: 'the number that curl gives to a failed connection', optional: true },
      kept: {
        form: isTrue,
        summary: 'items of the failed page stay in a sink that cannot roll back',
        optional: true,
      },
      login: { form: isTrue, summary: 'the login request failed', optional: true },
      problems: { form: listOf(problemRows), summary: 'all problems of a configuration', optional: true },
      remedy: { form: text, summary: 'what to do' },
      stack: { form: text, summary: 'stack traces, if `RXTRACT_DEBUG` is set', optional: true },
    },
  },
  summary: {
    levels: ['info'],
    summary: 'the end of the command',
    rows: {
      ran: {
        form: flag,
        summary:
          'false: nothing has run, because the command line or the configuration is wrong, or because [the run of `--resume-only` is complete](06-resume.md#with-a-scheduler): then `jobs` and `outputs` are those of that run',
      },
      jobs: { form: listOf(jobRows), summary: 'each job' },
      outputs: { form: listOf(outputRows), summary: 'what the sinks have written' },
      guarantee: {
        form: guarantee,
        summary: 'where a state is kept: [how often an item arrives](06-resume.md#what-is-promised)',
        optional: true,
      },
      sinks: { form: listOf(promiseRows), summary: 'the same for each of several sinks', optional: true },
      refused: {
        form: listOf(refusedRows),
        summary: '[refused items](07-sinks.md#items-that-a-destination-refuses) of this process',
        optional: true,
      },
      refusedSinceResume: {
        form: isTrue,
        summary: 'after a resume: refused items of the processes before are not counted',
        optional: true,
      },
      drift: {
        form: objectWith(driftRows),
        summary: '[items that differ](15-tables.md#items-that-differ) from their shape, in this process',
        optional: true,
      },
      shapeChanges: {
        form: listOf(shapeChangeRows),
        summary:
          'where a state is kept: how items [differ from those of earlier runs](15-tables.md#drift-between-runs)',
        optional: true,
      },
      exit: { form: count, summary: '[the exit code](05-command-line.md#exit-codes)' },
    },
  },
} as const;

export type LogEvent = keyof typeof logEvents;

/** The members of an event beside `event`, `level` and `version`. */
export type LogMembers<Name extends LogEvent> = MembersOf<(typeof logEvents)[Name]['rows']>;

export type LogLevel<Name extends LogEvent> = (typeof logEvents)[Name]['levels'][number];

/** A name, not an address: nothing is downloaded. */
const id = `urn:rxtract:log:${logVersion}`;

/** The JSON Schema of a line, draft-07. */
export function logSchemaText(): string {
  const definitions = Object.entries(logEvents).map(([name, { levels, summary, rows }]) => {
    const first = { event: { const: name }, level: { enum: levels }, version: { const: logVersion } };
    return [name, { description: summary, ...objectSchema(rows, first) }] as const;
  });
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: id,
    title: 'A line of rxtract --log json',
    oneOf: definitions.map(([name]) => ({ $ref: `#/definitions/${name}` })),
    definitions: Object.fromEntries(definitions),
  };
  return `${JSON.stringify(schema, undefined, 1)}\n`;
}

/** Each member of an event with its path: `jobs[].parent`. */
export function memberPaths(rows: MemberRows): readonly (readonly [string, MemberRow<never>])[] {
  return Object.entries(rows).flatMap(([name, row]) => {
    const inner = row.form.rows === undefined ? [] : memberPaths(row.form.rows);
    const below = inner.map(
      ([path, each]) => [`${name}${row.form.isList === true ? '[]' : ''}.${path}`, each] as const,
    );
    return [[name, row] as const, ...below];
  });
}
