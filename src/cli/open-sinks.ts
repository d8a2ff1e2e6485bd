/** Creates the sinks of `--to` and of dead letters: routes, warnings, and the check of `validate --connect`. */
import { hasLiteralSecret } from '../../sinks/addresses/address.js';
import { routes } from '../../sinks/addresses/routes.js';
import type { Sink } from '../../sinks/contract.js';
import { nameFailures } from '../../sinks/decorators/name-failures.js';
import type { SinkContext } from '../../sinks/entry.js';
import { nullSink } from '../../sinks/null.js';
import { readAddress, readAddresses, routesOf, withoutSecrets } from '../../sinks/open-addresses.js';
import { folderOf, hasClient, outputPlace, sinkFromUri } from '../../sinks/registry.js';
import { isStateAddress, stateAt } from '../checkpoint/store/state-address.js';
import type { Notice } from '../core/model/notice.js';
import { createSecrets } from '../core/secrets/secrets.js';
import { usageError } from '../core/util/check-value.js';
import { didYouMean } from '../core/util/suggest.js';
import type { ParsedArguments } from './arguments.js';
import { notifyUnlessAllowed } from './document.js';
import type { Report } from './report.js';
import type { Shell } from './shell.js';

/** The default of V8, which a run does without: clients of servers make objects for each item of a page. */
const largeYoungSpace = '--semi-space-growth-factor=2';

/**
 * Creates the sinks of the arguments, without a connection; without `--to` it is `ndjson:out`. An address that several
 * data types have is one sink. Throws ERR_USAGE, and ERR_STRICT for a literal password with --strict.
 */
export function openSinks(args: ParsedArguments, shell: Shell, report: SinkReport): Sink {
  const given = args.list('to');
  const addresses = readAddresses(given.length === 0 ? ['ndjson:out'] : given, '--to');
  warnOfSecrets(args, report);
  if (addresses.some(({ uri }) => hasClient(uri))) shell.setFlags(largeYoungSpace);
  return routes(routesOf(addresses, '--to', contextOf(shell, report)));
}

/** What sinks report, and their secrets. */
export type SinkReport = Pick<Report, 'notice' | 'secretsIn'>;

/** For any address of a command: made here alone, so that the report knows the secrets of all of them. */
export const contextOf = ({ stdout, env }: Shell, { notice, secretsIn }: SinkReport): SinkContext => ({
  stdout,
  env,
  notify: notice,
  hide: secretsIn(createSecrets).add,
});

/** Creates the sink of an address, without a connection. Throws ERR_USAGE. */
const openSink = (uri: string, shell: Shell, report: SinkReport): Sink => sinkFromUri(uri, contextOf(shell, report));

const letterPrefix = 'dead-letter=';

/** The address of the sink for dead letters; undefined: there is none. */
export function deadLetterAddress(args: ParsedArguments): string | undefined {
  const rule = args.last('on-item-error');
  return rule?.startsWith(letterPrefix) === true ? rule.slice(letterPrefix.length) : undefined;
}

/**
 * Reads `--on-item-error`, and creates the sink for dead letters without a connection; undefined: it is not given.
 * Throws ERR_USAGE, and ERR_STRICT for a literal password with --strict.
 */
export function openItemErrors(
  args: ParsedArguments,
  shell: Shell,
  report: SinkReport,
): 'fail' | 'skip' | { readonly deadLetter: Sink } | undefined {
  const rule = args.last('on-item-error');
  if (rule === undefined || rule === 'fail' || rule === 'skip') return rule;
  const uri = deadLetterAddress(args);
  if (uri === undefined) {
    const hint = didYouMean(rule.replace(/=.*/s, ''), ['fail', 'skip', 'dead-letter']);
    throw usageError(`--on-item-error is fail, skip or dead-letter=URI, found "${withoutSecrets(rule)}"${hint}`);
  }
  if (uri === '') throw usageError('--on-item-error dead-letter= needs an address, as in dead-letter=ndjson:letters');
  if (args.list('to').some((given) => outputPlace(readAddress(given, '--to').uri) === outputPlace(uri))) {
    throw usageError(
      `--on-item-error: ${withoutSecrets(uri)} is a --to as well: dead letters need a sink of their own`,
    );
  }
  warnOfLetterSecrets(args, report);
  return { deadLetter: openSink(uri, shell, report) };
}

/**
 * The places of a run that can be checked before it: folders on this machine, that of the state too, and sinks that
 * write elsewhere. Throws ERR_USAGE for a wrong address of a folder; the check of another one rejects with it.
 */
export function openPlaces(args: ParsedArguments, shell: Shell, report: SinkReport) {
  warnOfSecrets(args, report);
  warnOfLetterSecrets(args, report);
  const state = args.last('state');
  if (state === '') throw usageError('--state needs a folder');
  const given = args.list('to').map((each) => readAddress(each, '--to').uri);
  const addresses = [...(given.length === 0 ? ['ndjson:out'] : given), deadLetterAddress(args) ?? []].flat();
  const folders = new Set<string>();
  const destinations: Sink[] = [];
  for (const uri of new Set(addresses)) {
    const folder = folderOf(uri);
    const sink = folder === undefined ? sinkOrFailure(uri, shell, report) : openSink(uri, shell, report);
    if (folder === undefined) destinations.push(sink);
    else folders.add(folder);
  }
  if (state === undefined) return { folders, destinations };
  if (!isStateAddress(state)) return { folders: folders.add(state), destinations };
  return { folders, destinations: [...destinations, stateOrFailure(state, shell, report)] };
}

/** A place whose check reads whether there is a state. */
function stateOrFailure(state: string, shell: Shell, report: SinkReport): Sink {
  const name = withoutSecrets(state);
  const check = async () => void (await stateAt(state, contextOf(shell, report)).exists?.());
  return { ...nullSink(), name, check };
}

/** A sink whose check rejects, if its address is wrong. */
function sinkOrFailure(uri: string, shell: Shell, report: SinkReport): Sink {
  try {
    return openSink(uri, shell, report);
  } catch (failure) {
    return { ...nullSink(), check: () => Promise.reject(failure) };
  }
}

/** Warns of literal passwords in `--to`: process lists show them. Throws ERR_STRICT with --strict. */
function warnOfSecrets(args: ParsedArguments, { notice }: Pick<Report, 'notice'>): void {
  if (!args.list('to').some((given) => hasLiteralSecret(readAddress(given, '--to').uri))) return;
  notifyUnlessAllowed([passwordIn('--to', '')], args, notice);
}

/** The same for the address of dead letters. */
function warnOfLetterSecrets(args: ParsedArguments, { notice }: Pick<Report, 'notice'>): void {
  if (!hasLiteralSecret(deadLetterAddress(args) ?? ':')) return;
  notifyUnlessAllowed([passwordIn('--on-item-error', letterPrefix)], args, notice);
}

/** The notice of a literal password in an argument. */
export const passwordIn = (option: string, prefix: string): Notice => ({
  level: 'warning',
  code: 'password-in-arguments',
  message: `${option}: process lists show the password in the command; use an environment variable instead: ${option} '${prefix}scheme://user:\${SINK_PASSWORD}@host:port/...'`,
});

/** Checks each sink that can be checked: connects, and disconnects. Rejects with the error of the first that fails. */
export async function checkSinks(sink: Sink, { notice }: Pick<Report, 'notice'>): Promise<void> {
  const name = sink.name ?? 'a sink';
  await nameFailures(sink).check?.();
  const message =
    sink.check === undefined
      ? `there is no connection to check: ${name}`
      : `the destinations accept connections: ${name}`;
  notice({ level: 'info', code: 'connected', message });
}
