/** Compares what is remembered with the configuration: the value of another path, or endpoint, means nothing. */
import type { JobConfig } from '../config/config.js';
import { ExtractError } from '../core/errors/errors.js';
import { stringifyExact } from '../core/json/exact.js';
import type { Notify } from '../core/model/notice.js';
import type { Secrets } from '../core/model/secrets.js';
import { type JobMemory, type RunMemory, settingDigest } from '../incremental/run-memory.js';

/** What the value of a job belongs to, by key. A long text is its digest. */
export function sourceOf({ endpoint, method, dataField, incremental }: JobConfig): JobMemory['source'] {
  const { source, compare, by } = incremental ?? {};
  const parts = {
    ...(source === undefined ? {} : { [`incremental.${source.kind}`]: source.text }),
    ...(compare === undefined ? {} : { 'incremental.compare': compare }),
    ...(by === undefined ? {} : { 'incremental.by': by.join(', ') }),
    ...(method === undefined ? {} : { method }),
    ...(dataField.kind === 'path' ? { dataField: dataField.text } : {}),
    endpoint,
  };
  return Object.fromEntries(Object.entries(parts).map(([key, text]) => [key, settingDigest(text)]));
}

/** What decides which items there are: with others, older items may be missing. */
export const filtersOf = ({ params }: JobConfig): JobMemory['filters'] => ({
  params: settingDigest(stringifyExact(params)),
});

interface CheckContext {
  readonly secrets: Pick<Secrets, 'mask'>;
  readonly notify: Notify;
}

/** Throws ERR_STATE with the keys that have changed. Other parameters are a warning. */
export function checkSources(jobs: readonly JobConfig[], { jobs: all }: RunMemory, { notify }: CheckContext): void {
  for (const job of jobs) {
    const memory = Object.hasOwn(all, job.name) ? all[job.name] : undefined;
    if (memory === undefined || Object.keys(memory.values).length === 0) continue;
    const keys = changedKeys(memory.source, sourceOf(job));
    if (keys.length > 0) throw otherSource(job.name, keys);
    if (changedKeys(memory.filters, filtersOf(job)).length > 0) notify({ ...otherParams, job: job.name });
  }
}

const changedKeys = (before: JobMemory['source'], now: JobMemory['source']): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((key) => before[key] !== now[key]);

const otherSource = (job: string, keys: readonly string[]): ExtractError =>
  new ExtractError(
    'ERR_STATE',
    `the remembered value belongs to another configuration of the job: ${keys.map((key) => `\`${key}\``).join(', ')} changed. Use --full (in code \`full\`) to ask for everything, or \`rxtract state reset\``,
    { job },
  );

const otherParams = {
  level: 'warning',
  code: 'other-params',
  message:
    '`params` of the job have changed since the last run: older items that they now let through are not requested. Use --full (in code `full`) to ask for everything',
} as const;
