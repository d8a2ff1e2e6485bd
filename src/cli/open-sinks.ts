/** Creates the sinks of `--to` and of dead letters: routes, warnings, and the check of `validate --connect`. */
import { hasLiteralSecret } from '../../sinks/addresses/address.js';
import { type Route, routes } from '../../sinks/addresses/routes.js';
import type { Sink } from '../../sinks/contract.js';
import { nameFailures } from '../../sinks/decorators/name-failures.js';
import { databaseOf, hasClient, outputPlace, sinkFromUri } from '../../sinks/registry.js';
import type { Notice } from '../core/model/notice.js';
import { decode } from '../core/url/percent.js';
import { usageError } from '../core/util/check-value.js';
import { didYouMean } from '../core/util/suggest.js';
import type { ParsedArguments } from './arguments.js';
import { notifyUnlessAllowed } from './document.js';
import type { Report } from './report.js';
import type { Shell } from './shell.js';

/** The default of V8, which a run does without: clients of servers make objects for each item of a page. */
const largeYoungSpace = '--semi-space-growth-factor=2';

/** An address with the data type in front of it. */
interface NamedAddress {
  readonly dataType?: string;
  readonly uri: string;
}

/**
 * Creates the sinks of the arguments, without a connection; without `--to` it is `ndjson:out`. An address that several
 * data types have is one sink. Throws ERR_USAGE, and ERR_STRICT for a literal password with --strict.
 */
export function openSinks(
  args: ParsedArguments,
  { stdout, env, setFlags }: Shell,
  { notice }: Pick<Report, 'notice'>,
): Sink {
  const given = args.list('to');
  const addresses = (given.length === 0 ? ['ndjson:out'] : given).map(readAddress);
  for (const [index, { uri, dataType }] of addresses.entries()) {
    const named = `--to ${dataType === undefined ? '' : `${dataType}=`}${withoutHeaders(uri)}`;
    const earlier = addresses.slice(0, index).filter((each) => outputPlace(each.uri) === outputPlace(uri));
    const same = earlier.find((each) => each.dataType === dataType);
    if (same?.uri === uri) throw usageError(`${named} is given twice`);
    if (same !== undefined) throw usageError(`${named} and ${withoutHeaders(same.uri)} would write the same output`);
    if (databaseOf(uri) !== undefined && earlier.some((each) => each.uri !== uri)) throw oneDatabase(named);
  }
  const uris = [...new Set(addresses.map(({ uri }) => uri))];
  warnOfSecrets(args, { notice });
  if (uris.some(hasClient)) setFlags(largeYoungSpace);
  return routes(
    uris.map((uri): Route => ({ to: sinkFromUri(uri, { stdout, env, notify: notice }), ...typesOf(uri, addresses) })),
  );
}

const oneDatabase = (named: string) =>
  usageError(
    `${named}: another --to has this database, and one sink of a run can write to it: use one address, or another file`,
  );

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
  { stdout, env }: Shell,
  { notice }: Pick<Report, 'notice'>,
): 'fail' | 'skip' | { readonly deadLetter: Sink } | undefined {
  const rule = args.last('on-item-error');
  if (rule === undefined || rule === 'fail' || rule === 'skip') return rule;
  const uri = deadLetterAddress(args);
  if (uri === undefined) {
    const hint = didYouMean(rule.replace(/=.*/s, ''), ['fail', 'skip', 'dead-letter']);
    throw usageError(`--on-item-error is fail, skip or dead-letter=URI, found "${withoutHeaders(rule)}"${hint}`);
  }
  if (uri === '') throw usageError('--on-item-error dead-letter= needs an address, as in dead-letter=ndjson:letters');
  if (args.list('to').some((given) => outputPlace(readAddress(given).uri) === outputPlace(uri))) {
    throw usageError(
      `--on-item-error: ${withoutHeaders(uri)} is a --to as well: dead letters need a sink of their own`,
    );
  }
  warnOfLetterSecrets(args, { notice });
  return { deadLetter: sinkFromUri(uri, { stdout, env, notify: notice }) };
}

/** Warns of literal passwords in `--to`: process lists show them. Throws ERR_STRICT with --strict. */
export function warnOfSecrets(args: ParsedArguments, { notice }: Pick<Report, 'notice'>): void {
  if (!args.list('to').some((given) => hasLiteralSecret(readAddress(given).uri))) return;
  notifyUnlessAllowed([passwordIn('--to', '')], args, notice);
}

/** The same for the address of dead letters. */
export function warnOfLetterSecrets(args: ParsedArguments, { notice }: Pick<Report, 'notice'>): void {
  if (!hasLiteralSecret(deadLetterAddress(args) ?? ':')) return;
  notifyUnlessAllowed([passwordIn('--on-item-error', letterPrefix)], args, notice);
}

/** Values of headers are secrets. */
const withoutHeaders = (uri: string): string => uri.replace(/(header\.[^=&]*=)[^&]*/g, '$1***');

/** The data types of one address; none if it is also given without a name. */
function typesOf(uri: string, addresses: readonly NamedAddress[]): Pick<Route, 'dataTypes'> {
  const own = addresses.filter((each) => each.uri === uri).map(({ dataType }) => dataType);
  const dataTypes = own.filter((each) => each !== undefined);
  if (dataTypes.length === own.length) return { dataTypes };
  if (dataTypes.length === 0) return {};
  throw usageError(`--to ${dataTypes[0]}=... has the address of a --to without a name: give it once, or add an option`);
}

/** `NAME=` counts before the first colon only, and `%3A` in it is a colon. */
export function readAddress(text: string): NamedAddress {
  const [, name, uri = ''] = /^([^:=]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) return { uri: text };
  if (name === '') throw usageError(`--to ${text}: expected a data type before the "=", as in users=ndjson:out`);
  if (uri === '') throw usageError(`--to ${name}=: expected an address after the "=", as in ${name}=ndjson:out`);
  return { dataType: decode(name.replaceAll('+', '%2B')), uri };
}

const passwordIn = (option: string, prefix: string): Notice => ({
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
