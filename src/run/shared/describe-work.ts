/** What a run that many processes share is submitted with. All that prevents sharing is reported at once. */

import { isAbsolute, resolve } from 'node:path';
import { hasLiteralSecret } from '../../../sinks/addresses/address.js';
import type { Sink } from '../../../sinks/contract.js';
import { keyOf, keyRemedy } from '../../checkpoint/board/shared-key.js';
import { keyVariable } from '../../checkpoint/store/sealed-text.js';
import { isStateAddress } from '../../checkpoint/store/state-address.js';
import { type JobConfig, withChildren } from '../../config/config.js';
import { variableName } from '../../config/env.js';
import { secretSource } from '../../config/secret-sources.js';
import { ExtractError, type Problem } from '../../core/errors/errors.js';
import { type Exact, emptyObject, isArray, isNumber, isObject } from '../../core/json/exact.js';
import type { Secrets } from '../../core/model/secrets.js';
import { defined } from '../../core/util/defined.js';
import { hasLiteralPassword } from '../../http/transport/proxy.js';
import type { RunMemory } from '../../incremental/run-memory.js';
import { joinPath } from '../../language/config-path.js';
import { describeRun, type PreparedRun, type RunStart } from '../describe-run.js';
import type { ExtractOptions } from '../options.js';
import { documentOf } from '../parse-configuration.js';
import { extractRows } from '../run-options.js';
import { refusedOptions } from './shared-options.js';
import { textOfWork, type Work, workOf } from './work.js';

export interface SharedStart extends RunStart {
  /** `RunSpec.work`. */
  readonly work: string;
}

export interface SharedExtras {
  /** Of earlier runs, by the state of the run. Absent: it has none. */
  readonly remembered?: RunMemory | undefined;
  /** What else was given that cannot be shared, by the names of options. */
  readonly refused?: readonly Problem[] | undefined;
}

/**
 * Reads and checks everything as `extract` does, and sends nothing. `name`: of the run. Throws as `extract`, and
 * ERR_USAGE with each option, sink and secret that many processes cannot share.
 */
export async function describeWork(
  name: string,
  configuration: object,
  options: ExtractOptions,
  { remembered, refused: others = [] }: SharedExtras = {},
): Promise<SharedStart> {
  const hasState = remembered !== undefined;
  const refused = [...others, ...refusedOptions(options, hasState)];
  const key = keyOf(options.env ?? {});
  const kept = Object.entries(options).filter(
    ([each]) => Object.hasOwn(extractRows, each) && !refused.some(({ path }) => path === each),
  );
  const accepted: ExtractOptions = Object.fromEntries(kept);
  const document = documentOf(configuration);
  const work = workOf(isObject(document) ? document : emptyObject, accepted); // which is an error below
  const check = (prepared: PreparedRun) => {
    const { context } = prepared;
    const needed = key === undefined ? needsOfKey(work, prepared) : [];
    const more = [
      ...context.sinks.flatMap((sink) => (sink.leave === undefined ? [alone(sink)] : relativeFolders(sink))),
      ...(hasState ? [] : rememberingJobs(prepared, accepted)),
      ...tokenFileIn(prepared),
      ...needed,
    ];
    if (refused.length + more.length > 0) throw refusal(refused, more, needed.length > 0);
  };
  const start = await describeRun(configuration, accepted, { remembered, check });
  return { ...start, work: textOfWork(name, work, key) };
}

/** All that prevents sharing, a line each. Options come first: the command shows the names of its flags. */
function refusal(options: readonly Problem[], others: readonly Problem[], needsKey: boolean): ExtractError {
  const [first] = options;
  const lines = [
    ...options.map(({ path, message }, index) => `${index === 0 ? path : `\`${path}\``}: ${message}`),
    ...others.map(({ path, message }) => `${path}: ${message}`),
  ];
  const remedy = needsKey ? keyRemedy : undefined;
  return new ExtractError('ERR_USAGE', lines.join('\n'), defined({ option: first?.path, remedy }));
}

const alone = (sink: Sink): Problem => ({
  path: sink.name ?? 'the sink',
  message: `not in a run that many processes share: they would write to it at once${insteadOf(sink)}`,
});

/** Folders of parts that are another one for each working directory. */
function relativeFolders({ name = '' }: Sink): readonly Problem[] {
  const [, dir, , path] = /^(?:parts:(.*?)|parts\+s3:.*?)(?:\?gather=(?!s3:)(\w+):(.*))?$/s.exec(name) ?? [];
  return [dir, path].flatMap((folder) =>
    folder === undefined || isAbsolute(folder)
      ? []
      : [
          {
            path: name,
            message: `not in a run that many processes share: "${folder}" is another folder for each of them. Write it from the root on, as in "${resolve(folder)}"`,
          },
        ],
  );
}

/** How they can write there all the same. */
function insteadOf({ name = '', recovery }: Sink): string {
  if (name.startsWith('kafka:') && recovery === 'transaction') return '. Leave out transactions=true';
  if (recovery !== 'cut' || !/^(ndjson|csv|parquet|duckdb|tables|s3):/.test(name)) return '';
  const address = name.replace(/[?&]/g, encodeURIComponent);
  return `. Use parts:DIR?gather=${address}, with a folder DIR that all of them reach, or parts+s3://BUCKET/PREFIX?gather=${address}`;
}

/** With these options a run needs nothing of the ones before. */
function rememberingJobs({ jobs }: PreparedRun, { full, since, until }: ExtractOptions): readonly Problem[] {
  if (full === true || since !== undefined || until !== undefined) return [];
  return withChildren<JobConfig>(jobs).flatMap(({ path, incremental }) =>
    incremental === undefined ? [] : [{ path: `${path}.incremental`, message: notRemembered }],
  );
}

const notRemembered =
  'not in a run that many processes share without a state: name it with --state NAME (in code `stateName`). `full` asks for everything, `since` and `until` for a range';

/** A file with refresh tokens is on one machine, and a token that is used there is refused for all others. */
function tokenFileIn({ known }: PreparedRun): readonly Problem[] {
  const { filled } = known;
  const top = memberOf(filled, 'parameters') === undefined ? [] : ['parameters'];
  const steps = [...top, 'api', 'authentication', 'tokenStore'];
  const store = steps.reduce<Exact | undefined>(memberOf, filled);
  if (typeof store !== 'string' || isStateAddress(store)) return [];
  return [
    {
      path: steps.join('.'),
      message:
        'not in a run that many processes share: each would have a file of its own. Remove it, and the board keeps the tokens of the run, or name a state at a server',
    },
  ];
}

const memberOf = (value: Exact | undefined, name: string): Exact | undefined =>
  isObject(value) ? value.get(name) : undefined;

/** What cannot be stored for workers, or shared by them, without a key. */
function needsOfKey({ configuration, options }: Work, { context }: PreparedRun): readonly Problem[] {
  const { secrets, sharesLogin } = context;
  const written = (paths: readonly string[], instead: string) =>
    paths.map((path) => ({
      path,
      message: `workers get a secret only encrypted: set the variable ${keyVariable}, or write ${instead} in its place`,
    }));
  return [
    ...written(secretPaths(configuration, secrets), '{"env": "NAME"}'),
    ...written(secretPaths(options, secrets), '$' + '{NAME}'),
    ...(sharesLogin
      ? [
          {
            path: 'api.authentication',
            message: `workers share a login only encrypted: set the variable ${keyVariable}`,
          },
        ]
      : []),
  ];
}

/** The paths of the texts with a secret, and of all that is written below keys that begin with `#`. */
function secretPaths(value: Exact, secrets: Secrets, path = '', isSecret = false): readonly string[] {
  if (isReference(value)) return [];
  if (isArray(value))
    return value.flatMap((each, index) => secretPaths(each, secrets, joinPath(path, index), isSecret));
  if (isObject(value)) {
    return [...value].flatMap(([name, member]) =>
      secretPaths(member, secrets, joinPath(path, name), isSecret || name.startsWith('#')),
    );
  }
  if (value === '' || (typeof value !== 'string' && !isNumber(value))) return [];
  return isSecret || hasSecret(String(value), secrets) ? [path] : [];
}

const isReference = (value: Exact): boolean => variableName(value) !== undefined || secretSource(value) !== undefined;

/** Passwords of addresses may be too short to be masked. */
const hasSecret = (text: string, secrets: Secrets): boolean =>
  secrets.isSecret(text) || secrets.mask(text) !== text || hasLiteralSecret(text) || hasLiteralPassword(text);
