/** Reads and validates a configuration; reports every problem at once. */

import { configError } from '../core/errors/collect-errors.js';
import type { Problem } from '../core/errors/errors.js';
import { type Exact, type ExactObject, emptyObject, isObject } from '../core/json/exact.js';
import type { Notice, Notify } from '../core/model/notice.js';
import { combineList, defined } from '../core/util/defined.js';
import { type ConfigPath, createDiagnostics } from '../language/config-path.js';
import { object } from '../language/kinds.js';
import { describeMismatch, isPhpEmpty, listEntries, readSection, readValue } from '../language/read.js';
import { readApi } from './api.js';
import { readAws } from './aws.js';
import { readCache, senderIdentity } from './cache-settings.js';
import type { Config } from './config.js';
import { parametersFields, wrappingFields } from './config-fields.js';
import { mentionsStandIn, withoutStandIns } from './env.js';
import { readAllowedHosts, rejectMisspelt } from './image-parameters.js';
import { createNames } from './name-jobs.js';
import { type DocumentContext, readConfig } from './read-config.js';
import { builtIn, type Registries } from './registries.js';
import { readSshProxy } from './ssh-proxy.js';

export interface ParsedConfig {
  /** One for each iteration, at least one. */
  readonly configs: readonly Config[];
  readonly notices: readonly Notice[];
}

/**
 * Reads `{api, config}`, bare or under `parameters`. With `strict` the caller rejects notices before any request.
 * Throws ERR_CONFIG with every problem and its path, after passing notices to `notify`; messages show only misspelt
 * names of the configuration. `missing` are variables that `fillFromEnv` did not find: they are problems too.
 */
export function parseConfig(
  document: Exact,
  registries: Registries = builtIn,
  notify: Notify = () => {},
  missing: readonly Problem[] = [],
): ParsedConfig {
  const { configs, problems, notices } = inspect(document, registries);
  if (configs !== undefined && missing.length === 0) return { configs, notices };
  for (const notice of notices.filter(({ message }) => !mentionsStandIn(message))) notify(notice);
  const paths = missing.map(({ path }) => path);
  throw configError([...missing, ...withoutStandIns(problems, paths)]);
}

/** As `parseConfig`, but returns the problems; `configs` are present if there are none. */
export function inspect(document: Exact, registries: Registries = builtIn) {
  const diagnostics = createDiagnostics();
  const configs = readDocument(diagnostics.root, document, registries);
  const { problems, notices } = diagnostics;
  return { configs: problems.length === 0 ? configs : undefined, problems, notices };
}

const sections = Object.keys(parametersFields);
const wrapping = Object.keys(wrappingFields);

function readDocument(root: ConfigPath, document: Exact, registries: Registries): readonly Config[] | undefined {
  if (!isObject(document)) {
    root.problem(describeMismatch('an object with "api" and "config"', document));
    return undefined;
  }
  checkAction(root.at('action'), document.get('action'));
  const authorization = readAuthorization(root.at('authorization'), document.get('authorization'));
  const allowedHosts = readAllowedHosts(root.at('image_parameters'), document.get('image_parameters'));
  if (!document.has('image_parameters')) rejectMisspelt(root, document.keys(), { image_parameters: true });
  const outer = { registries, authorization, allowedHosts: allowedHosts ?? [] };
  const wrapped = document.get('parameters');
  if (wrapped === undefined) {
    readSection(root, document, { besides: [...sections, ...wrapping] });
    return readParameters(root, document, outer);
  }
  readSection(root, document, { besides: wrapping });
  const place = root.at('parameters');
  const parameters = readSection(place, wrapped, { besides: sections });
  return parameters === undefined ? undefined : readParameters(place, parameters, outer);
}

/** Returns an empty object if there is none, or if it does not fit, after reporting it to `place`. */
const readAuthorization = (place: ConfigPath, value: Exact = null): ExactObject =>
  (isPhpEmpty(value) ? undefined : readValue(place, value, object)) ?? emptyObject;

function checkAction(place: ConfigPath, action: Exact | undefined): void {
  if (!isPhpEmpty(action) && action !== 'run') place.problem('not supported yet; expected "run"');
}

function readParameters(
  place: ConfigPath,
  parameters: ExactObject,
  outer: DocumentContext,
): readonly Config[] | undefined {
  const config = requiredSection(place.at('config'), parameters.get('config'));
  const iterations = readIterations(place.at('iterations'), parameters.get('iterations'));
  const api = requiredSection(place.at('api'), parameters.get('api'));
  const sshProxy = readSshProxy(place.at('sshProxy'), parameters.get('sshProxy'));
  const aws = readAws(place.at('aws'), parameters.get('aws'));
  const ttlSeconds = readCache(place.at('cache'), parameters.get('cache')) ?? 0;
  if (config === undefined) {
    const { registries } = outer;
    const names = { functions: registries.functions, attr: emptyObject };
    if (api !== undefined) readApi(place.at('api'), api, { names, registries });
    return undefined;
  }
  const nameJob = createNames();
  const all = iterations ?? [{ over: emptyObject, at: place.at('config') }];
  const configs = all.map(({ over, at }) => {
    const placeOf = (key: string) => (over.has(key) ? at : place.at('config')).at(key);
    return readConfig(place, api, { value: new Map([...config, ...over]), placeOf }, outer, nameJob);
  });
  const shared = defined({ sshProxy, aws });
  return combineList(configs)?.map((each) => {
    if (ttlSeconds === 0 || api === undefined) return { ...each, ...shared };
    return { ...each, ...shared, cache: { ttlSeconds, senderId: senderIdentity({ ...each, parameters, api }) } };
  });
}

interface Iteration {
  readonly over: ExactObject;
  readonly at: ConfigPath;
}

/** Returns `undefined` if there are none; an empty list counts as none. docs/01-configuration.md#iterations. */
function readIterations(place: ConfigPath, value: Exact = null): readonly Iteration[] | undefined {
  if (isPhpEmpty(value)) return undefined;
  const listed = listEntries(value);
  if (listed === undefined) place.problem(describeMismatch(parametersFields.iterations.kind.struct.type, value));
  const read = listed?.map(([step, each]) => ({ over: readValue(place.at(step), each, object), at: place.at(step) }));
  return read?.flatMap(({ over, at }) => (over === undefined ? [] : [{ over, at }]));
}

function requiredSection(place: ConfigPath, value: Exact = null): ExactObject | undefined {
  return value === null ? void place.problem(describeMismatch('an object', value)) : readValue(place, value, object);
}
