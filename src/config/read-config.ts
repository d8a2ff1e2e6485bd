/** Reads `config` as it is in one iteration, with the other sections that refer to it. */
import { type Exact, type ExactObject, emptyObject } from '../core/json/exact.js';
import type { AllowedHost } from '../core/url/allowed-hosts.js';
import { combine } from '../core/util/defined.js';
import { nearest } from '../core/util/suggest.js';
import { broughtName } from '../language/brought-names.js';
import type { Names } from '../language/check-expressions.js';
import type { ConfigPath } from '../language/config-path.js';
import { isPhpEmpty, readSection, readValue } from '../language/read.js';
import { noteBaseUrl, readApi, readHeaders } from './api.js';
import { readUserData } from './children/user-data.js';
import type { Config } from './config.js';
import { configFields, configHttpFields } from './config-fields.js';
import { checkRequiredHeaders } from './http-options.js';
import { readJobs } from './jobs.js';
import type { createNames } from './name-jobs.js';
import type { Registries } from './registries.js';
import { readTableSettings } from './table-settings.js';

/** The parts of the document around the parameters. */
export interface DocumentContext {
  readonly registries: Registries;
  readonly allowedHosts: readonly AllowedHost[];
  readonly authorization: ExactObject;
}

/** `config` in one iteration. */
export interface IterationConfig {
  readonly value: ExactObject;
  /** Returns where a member is written. */
  readonly placeOf: (key: string) => ConfigPath;
}

/** Returns `undefined` if something does not fit, after reporting it to its place. */
export function readConfig(
  place: ConfigPath,
  api: ExactObject | undefined,
  { value, placeOf }: IterationConfig,
  outer: DocumentContext,
  nameJob: ReturnType<typeof createNames>,
): Config | undefined {
  const { registries, authorization, allowedHosts } = outer;
  const attr = new Map([...value].filter(([key]) => key !== 'jobs'));
  const names: Names = { functions: registries.functions, attr };

  const around = { attr, authorization, configPath: (key: string) => placeOf(key).path };
  const ofApi = api === undefined ? undefined : readApi(place.at('api'), api, { names, registries, around });
  checkConfigKeys(placeOf, value);
  const configHeaders = readConfigHeaders(placeOf('http'), value.get('http'), names);
  if (configHeaders !== undefined) {
    checkRequiredHeaders(placeOf('http').at('headers'), configHeaders, place.at('api', 'http'), api?.get('http'));
  }
  const scope = { ...names, references: ['attr', 'time'] as const };
  const userData = readUserData(placeOf('userData'), value.get('userData'), 'userData', scope);
  const jobs = readJobs(placeOf('jobs'), value.get('jobs'), {
    names,
    registries,
    paginator: ofApi?.paginator,
    response: ofApi?.response,
    responseRules: ofApi?.responseRules ?? [],
    userData: userData ?? emptyObject,
  });
  const own = readSettings(placeOf, value, api?.get('name'));
  const parts = combine({ ofApi, configHeaders, jobs, userData, own });
  if (parts === undefined) return undefined;
  const endpoints = parts.jobs.map(({ endpoint }) => endpoint);
  noteBaseUrl(place.at('api', 'baseUrl'), parts.ofApi.baseUrl, endpoints);
  const { responseRules: _, ...settings } = parts.ofApi; // jobs have them
  return {
    ...settings,
    ...parts.own,
    allowedHosts,
    authorization,
    configHeaders: parts.configHeaders,
    attr,
    jobs: parts.jobs.map(nameJob),
  };
}

function readSettings(placeOf: IterationConfig['placeOf'], value: ExactObject, apiName: Exact | undefined) {
  const written = value.get('debug');
  const debug = isPhpEmpty(written) ? false : readValue(placeOf('debug'), written, configFields.debug.kind);
  const tables = readTableSettings(placeOf, value, apiName);
  return combine({ debug, tables });
}

/** Any key of `config` is a valid attribute; one that resembles a missing section gets a warning. */
function checkConfigKeys(placeOf: IterationConfig['placeOf'], value: ExactObject): void {
  const known = Object.keys(configFields);
  // A name of two letters resembles too many others.
  const missing = known.filter((each) => !value.has(each) && each.length > 3);
  for (const key of value.keys()) {
    if (!known.includes(key)) {
      const near = broughtName(key, missing.includes('jobs') ? ['jobs'] : []) ?? nearest(key, missing);
      if (near !== undefined) {
        placeOf(key).warn('unknown-key', `an attribute, without effect; did you mean "${near}"?`);
      }
    }
  }
}

function readConfigHeaders(place: ConfigPath, value: Exact = null, names: Names): ExactObject | undefined {
  const http = isPhpEmpty(value) ? emptyObject : readSection(place, value, { besides: Object.keys(configHttpFields) });
  return http === undefined ? undefined : readHeaders(place.at('headers'), http.get('headers'), names);
}
