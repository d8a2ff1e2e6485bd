/** What becomes of each option of a run in one that many processes share. */
import type { Problem } from '../../core/errors/errors.js';
import type { runRows } from '../run-options.js';

/** `sent`: each worker gets it. `own`: it is of one process, and not sent. Otherwise why it is refused. */
type OptionUse = 'sent' | 'own' | { readonly refused: string };

const refused = (why: string): OptionUse => ({ refused: why });

const onlyHere = 'an object of this process, which workers cannot get';

export const ofBoard = 'the board keeps the state of the run';

export const noOrder = 'requests and responses of many processes are in no one order. Record or replay without workers';

export const noProof = 'no process has the pages of all';

const noTotal = 'no process knows the total. Try the configuration without workers first';

const uses: Readonly<Record<keyof typeof runRows, OptionUse>> = {
  to: 'sent',
  onItemError: 'sent',
  shape: 'sent',
  certify: refused(noProof),
  notify: 'own',
  env: 'own',
  state: 'sent',
  outputNames: 'sent',
  dataFolder: refused('its files are on this machine. Name destinations with `to`'),
  checkpoint: refused(ofBoard),
  onActivity: 'own',
  onOutlook: 'own',
  observe: refused(onlyHere),
  rateLimiter: refused(`${onlyHere}: the board has the limiter of all`),
  credentials: refused(`${onlyHere}: the board has the logins of all`),
  exchanges: refused(noOrder),
  dispatcher: refused(onlyHere),
  jobs: 'sent',
  strict: 'sent',
  allow: 'sent',
  select: 'sent',
  maxItems: refused(noTotal),
  maxPages: refused(noTotal),
  minItems: 'sent',
  full: 'sent',
  since: 'sent',
  until: 'sent',
  remember: 'sent',
  maxDuration: refused('each task would have this time for itself. Cancel the run instead'),
  concurrency: 'sent',
  prefetch: 'sent',
  onChangedPage: 'sent',
  onDrift: 'sent',
  cacheFolder: 'own',
  proxy: 'sent',
  maxBodyBytes: 'sent',
  maxItemBytes: 'sent',
  replaceEmpty: 'sent',
  commands: 'sent',
  hosts: 'sent',
  onReceipt: 'own',
  signal: 'own',
  store: refused(ofBoard),
  resume: refused(`${ofBoard}: workers continue by themselves, and a run that has failed is taken up again by a retry`),
};

/** The names of the options that workers get. */
export const sentOptions: readonly string[] = Object.keys(uses).filter((name) => useOf(name) === 'sent');

function useOf(name: string): OptionUse {
  const known: Readonly<Record<string, OptionUse>> = uses;
  return known[name] ?? 'own';
}

/** Why options cannot be given, by their names. `false` is as if an option was absent. */
export function refusedOptions(given: object, hasState: boolean): readonly Problem[] {
  const values = Object.entries(given).filter(([, value]) => value !== undefined && value !== false);
  return values.flatMap(([path, value]) => {
    const use = useOf(path);
    const why = typeof use === 'string' ? refusedValue(path, value, hasState) : use.refused;
    return why === undefined ? [] : [refusedPart(path, why)];
  });
}

/** What a run that many processes share cannot have. */
export const refusedPart = (path: string, why: string): Problem => ({
  path,
  message: `not in a run that many processes share: ${why}`,
});

/** Why an option that workers get cannot have this value. */
function refusedValue(name: string, value: unknown, hasState: boolean): string | undefined {
  if (name === 'to' && !toList(value).every(isText)) return withoutAddress;
  if (name === 'onItemError' && deadLetterOf(value)?.every(isText) === false) return withoutAddress;
  if (name === 'onDrift' && value === 'evolve') return 'no process sees the items of all. Use `rxtract shape`';
  if (name === 'remember' && !hasState) return 'without a state there is nothing to advance';
  return undefined;
}

const withoutAddress = 'workers need the address of a sink, such as "postgres://HOST/DB", not a function or an object';

const isText = (value: unknown): boolean => typeof value === 'string';

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const deadLetterOf = (rule: unknown): readonly unknown[] | undefined =>
  typeof rule === 'object' && rule !== null && 'deadLetter' in rule ? [rule.deadLetter] : undefined;
