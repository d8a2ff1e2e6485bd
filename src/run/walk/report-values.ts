/** Values of responses about a report: those that its requests name, and the links to its items. */
import { linkName, type ReportConfig, type ReportRequest } from '../../config/report/read-report.js';
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, type ExactObject, isArray, isNumber, splitPath } from '../../core/json/exact.js';
import { queryEntries } from '../../core/url/query-string.js';
import { above, type Binding, type PlaceholderBindings } from '../../job/instances.js';
import type { Partition } from '../../job/partitions.js';
import type { ResponseView } from '../../language/condition/response-condition.js';
import type { RunScope, WalkTask } from './walk-context.js';

/** Values of the response that created a report, by the name in endpoints. */
export type ReportValues = ExactObject;

/** Finds the value of a name in an endpoint. */
export type Lookup = (name: string) => Exact | undefined;

export const lookupIn =
  (values: ReportValues, last?: ResponseView): Lookup =>
  (name) =>
    values.get(name) ?? (last === undefined ? undefined : valueAt(last, name));

/** `{header:Location}` is a header, any other name a path in the body. Lists and objects are no values. */
function valueAt(view: ResponseView, name: string): Exact | undefined {
  const header = /^header:(.+)$/.exec(name)?.[1];
  const value = header === undefined ? view.at(splitPath(name)) : view.header(header.toLowerCase());
  return typeof value === 'string' || isNumber(value) ? value : undefined;
}

const namesIn = (endpoint: string): readonly string[] =>
  [...endpoint.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);

/** What the other requests need of the response of `create`. */
export function valuesFor({ poll, fetch, delete: removal }: ReportConfig, created: ResponseView): ReportValues {
  const names = [poll, fetch, removal].flatMap((request) => namesIn(request?.endpoint ?? ''));
  const values = names.flatMap((name) => {
    const value = valueAt(created, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return new Map(values);
}

/** A name that is the whole endpoint is a link. */
function textOf(endpoint: string, name: string, lookup: Lookup, { config }: WalkTask): string {
  const value = lookup(name);
  if (value !== undefined) return endpoint === `{${name}}` ? String(value) : encodeURIComponent(String(value));
  const message = `the report has no value at "${name}", which the endpoint "${endpoint}" of \`await\` needs`;
  throw new ExtractError('ERR_REPORT', message, { job: config.name });
}

export const filled = (endpoint: string, lookup: Lookup, task: WalkTask): string =>
  endpoint.replace(/\{([^{}]+)\}/g, (_, name: string) => textOf(endpoint, name, lookup, task));

/** The values of `each` and `windows` are parameters of `create` only. */
export const withoutParams = (instance: PlaceholderBindings): PlaceholderBindings =>
  new Map([...instance].map(([name, binding]) => [name, above(binding)]));

export const partOf = (instance: PlaceholderBindings, own: PlaceholderBindings): Partition => ({
  instance: new Map([...withoutParams(instance), ...own]),
});

export function bindingsFor(request: ReportRequest | undefined, lookup: Lookup, task: WalkTask): PlaceholderBindings {
  const { endpoint = '' } = request ?? {};
  const names = namesIn(endpoint).filter((name) => !task.instance.has(name));
  return new Map(names.map((name) => [name, bindingOf(textOf(endpoint, name, lookup, task))]));
}

const bindingOf = (text: string): Binding => ({ value: text, text });

export function linksIn(value: Exact | undefined, path: readonly string[], { config }: WalkTask): readonly string[] {
  const links = isArray(value) ? value : [value ?? null];
  if (links.every((link) => typeof link === 'string')) return links;
  const message = `expected a link or a list of links at "${path.join('.')}" (\`await.fetch.path\`)`;
  throw new ExtractError('ERR_REPORT', message, { job: config.name });
}

/** A value of a signature is longer. */
const shortestSecret = 16;

/** Masks the long values of a link to another server: it carries the permission to read it. */
export function hideLink({ context, client }: Pick<RunScope, 'context' | 'client'>, link: string): void {
  if (client.trusts(link)) return;
  for (const { value = '' } of queryEntries(link)) {
    if (value.length >= shortestSecret) context.secrets.add(value, 'passing');
  }
}

export function linkPart(run: RunScope, { instance }: WalkTask, link: string): Partition {
  hideLink(run, link);
  return partOf(instance, new Map([[linkName, bindingOf(link)]]));
}
