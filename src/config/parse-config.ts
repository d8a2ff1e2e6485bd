/** The only door for a configuration: exact JSON in, a checked Config out, or all of its faults at once. */
import { ExtractError, type Problem } from '../errors.js';
import { type Exact, type ExactObject, emptyObject, isObject } from '../exact.js';
import { didYouMean } from '../nearest.js';
import type { Notice, Notify } from '../types.js';
import { noteBaseUrl, readApi, readHeaders } from './api.js';
import type { Names } from './check-expressions.js';
import type { Config } from './config.js';
import { configFields, configHttpFields, parametersFields, wrappingFields } from './config-fields.js';
import { readJobs } from './jobs.js';
import { notYet } from './not-yet.js';
import { createFindings, type Place } from './place.js';
import { explain, isPhpEmpty, section } from './read.js';
import { builtIn, type Registries } from './registries.js';

export interface ParsedConfig {
  readonly config: Config;
  readonly notices: readonly Notice[];
}

/**
 * Reads `{api, config}`, bare or under `parameters`. Whoever is strict refuses the notices before any request.
 * Throws ERR_CONFIG with every fault found, each with its path; no message holds a value of the configuration. What it would have
 * returned as notices goes to `hear` then.
 */
export function parseConfig(document: Exact, registries: Registries = builtIn, hear: Notify = () => {}): ParsedConfig {
  const { config, problems, notices } = inspect(document, registries);
  if (config !== undefined) return { config, notices };
  for (const notice of notices) hear(notice);
  throw configError(problems);
}

/** As `parseConfig`, but returns the faults: `config` is there when there are none. */
export function inspect(document: Exact, registries: Registries = builtIn) {
  const findings = createFindings();
  const config = readDocument(findings.root, document, registries);
  const { problems, notices } = findings;
  return { config: problems.length === 0 ? config : undefined, problems, notices };
}

function configError(problems: readonly Problem[]): ExtractError {
  const lines = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new ExtractError('ERR_CONFIG', lines.join('\n'), { problems });
}

const sections = Object.keys(parametersFields);
const wrapping = Object.keys(wrappingFields);

function readDocument(root: Place, document: Exact, registries: Registries): Config | undefined {
  if (!isObject(document)) {
    root.problem(explain('an object with "api" and "config"', document));
    return undefined;
  }
  checkAction(root.at('action'), document.get('action'));
  const wrapped = document.get('parameters');
  if (wrapped === undefined) {
    const known = { besides: [...sections, ...wrapping], notYet: [...notYet.root, ...notYet.parameters] };
    section(root, document, known);
    return readParameters(root, document, registries);
  }
  section(root, document, { besides: wrapping, notYet: notYet.root });
  const place = root.at('parameters');
  const parameters = section(place, wrapped, { besides: sections, notYet: notYet.parameters });
  return parameters === undefined ? undefined : readParameters(place, parameters, registries);
}

function checkAction(place: Place, action: Exact | undefined): void {
  if (!isPhpEmpty(action) && action !== 'run') place.problem('not supported yet; expected "run"');
}

function readParameters(place: Place, parameters: ExactObject, registries: Registries): Config | undefined {
  const at = place.at('config');
  const value = requiredSection(at, parameters.get('config'));
  const attr = new Map([...(value ?? emptyObject)].filter(([key]) => key !== 'jobs'));
  const names: Names = { functions: registries.functions, attr };

  const apiValue = requiredSection(place.at('api'), parameters.get('api'));
  const api = apiValue === undefined ? undefined : readApi(place.at('api'), apiValue, names, registries);
  if (value === undefined) return undefined;
  checkConfigKeys(at, value);
  const configHeaders = readConfigHeaders(at.at('http'), value.get('http'), names);
  const jobs = readJobs(at.at('jobs'), value.get('jobs'), names, api?.scroller);
  if (api === undefined || configHeaders === undefined || jobs === undefined) return undefined;
  const endpoints = jobs.map(({ endpoint }) => endpoint);
  noteBaseUrl(place.at('api', 'baseUrl'), api.baseUrl, endpoints);
  return { ...api, configHeaders, attr, jobs };
}

function requiredSection(place: Place, value: Exact = null): ExactObject | undefined {
  if (isObject(value)) return value;
  place.problem(explain('an object', value));
  return undefined;
}

/** Any key of `config` is a legal attribute; one that looks like a section that is missing deserves a word. */
function checkConfigKeys(place: Place, value: ExactObject): void {
  const known = Object.keys(configFields);
  const missing = known.filter((each) => !value.has(each));
  for (const key of value.keys()) {
    if (notYet.config.some((each) => each === key)) place.at(key).problem('not supported yet');
    else if (!known.includes(key)) {
      const hint = didYouMean(key, missing);
      if (hint !== '') place.at(key).warn('unknown-key', `an attribute, of no effect by itself${hint}`);
    }
  }
}

function readConfigHeaders(place: Place, value: Exact = null, names: Names): ExactObject | undefined {
  const http = isPhpEmpty(value) ? emptyObject : section(place, value, { besides: Object.keys(configHttpFields) });
  return http === undefined ? undefined : readHeaders(place.at('headers'), http.get('headers'), names);
}
