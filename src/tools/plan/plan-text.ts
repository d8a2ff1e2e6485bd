/** A plan as text: a line for each value, with its source. */

import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';
import type { ExplainedRequest, ExplainedValue, Source } from '../../http/explain-request.js';
import type { IterationPlan, JobPlan, Plan } from '../../run/plan/make-plan.js';
import { cutEnd, padEnd, spaces } from '../text/cells.js';
import { counted } from '../text/format.js';
import { printable, table, wrap } from '../text/lines.js';
import type { FollowedPage } from './follow-recording.js';

/** The whole plan. Ends with a line break. */
export const planText = (plan: Plan): string =>
  linesOf(plan.iterations.flatMap((each, index) => [...headingOf(plan, index), ...iterationLines(each)]));

/** All sources of the parameters and headers of that name, in any case. Throws ERR_USAGE if no request has it. */
export function explainText(plan: Plan, name: string): string {
  const names = valueNames(plan);
  if (!names.some((each) => each.toLowerCase() === name.toLowerCase())) {
    throw usageError(`no request has a parameter or header "${name}"${didYouMean(name, names)}`);
  }
  const explained = plan.iterations.flatMap((iteration, index) => {
    const requests = requestsOf(iteration).flatMap(({ title, request }) => {
      const values = request.values.filter((each) => isNamed(each, name));
      return values.length === 0 ? [] : ['', `${title}  ${addressOf(request)}`, ...values.flatMap(sourceLines)];
    });
    return [...headingOf(plan, index), ...requests];
  });
  return linesOf(explained);
}

/** The pages of a replay, in order: each with what differs from the page of its job before. `name`: only that value. */
export function followedText(pages: readonly FollowedPage[], name: string | undefined): string {
  const before = new Map<string, ExplainedRequest>();
  const lines = pages.flatMap(({ job, page, request, status, items, stop }) => {
    const last = page === 1 ? undefined : before.get(job);
    before.set(job, request);
    const values = request.values.filter((each) => name === undefined || isNamed(each, name));
    return [
      '',
      `${job}, page ${page}`,
      ...requestLines('request ', { ...request, values }, last),
      `  response  status ${status}, ${counted(items, 'item')}`,
      ...(stop === undefined ? [] : wrap(printable(stop), '  ends      ', '            ')),
    ];
  });
  return `\nrecorded pages\n${linesOf(lines)}`;
}

/** The names of all parameters and headers, each once. */
const valueNames = ({ iterations }: Plan): readonly string[] => [
  ...new Set(iterations.flatMap(requestsOf).flatMap(({ request }) => request.values.flatMap(namesOf))),
];

/** A name with an index or a path within it is named by its first part too. */
const namesOf = ({ name }: ExplainedValue): readonly string[] => [name, name.replace(/\[.*$/s, '')];

const isNamed = (value: ExplainedValue, name: string): boolean =>
  namesOf(value).some((each) => each.toLowerCase() === name.toLowerCase());

interface TitledRequest {
  readonly title: string;
  readonly request: ExplainedRequest;
}

function requestsOf({ login, jobs }: IterationPlan): readonly TitledRequest[] {
  const ofLogin = login === undefined ? [] : [{ title: 'login', request: login.request }];
  const ofJobs = jobs.flatMap(({ job, report = [], first, second }) => [
    ...report.map(({ key, request }) => ({ title: `${job}, ${key}`, request })),
    ...(first === undefined ? [] : [{ title: `${job}, page 1`, request: first }]),
    ...(second === undefined ? [] : [{ title: `${job}, page 2`, request: second }]),
  ]);
  return [...ofLogin, ...ofJobs];
}

/** Texts of a configuration and of an API must not control the terminal. */
const linesOf = (lines: readonly string[]): string => {
  const printed = lines.map((line) => printable(line));
  return `${(printed[0] === '' ? printed.slice(1) : printed).join('\n')}\n`;
};

const headingOf = ({ iterations }: Plan, index: number): readonly string[] =>
  iterations.length < 2 ? [] : ['', `iteration ${index + 1} of ${iterations.length}`];

function iterationLines({ baseUrl, login, rules, jobs }: IterationPlan): readonly string[] {
  const ofRules = Object.entries({ API: baseUrl, ...rules }).flatMap(([name, text]) =>
    wrap(text, padEnd(`${name}: `, indent.length), indent),
  );
  const ofLogin =
    login === undefined
      ? []
      : ['', 'login', ...wrap(`sent ${login.renewal}`, '  ', '  '), ...requestLines('request', login.request)];
  return [...ofRules, ...ofLogin, ...jobs.flatMap(jobLines)];
}

const indent = spaces('retries: '.length);

function jobLines({
  job,
  path,
  parent,
  walks,
  report = [],
  validators,
  dataType,
  items,
  first,
  link,
  second,
  reads,
  ends,
}: JobPlan): readonly string[] {
  const of = parent === undefined ? '' : `, for each item of ${parent}`;
  const from = reads.length === 0 ? '' : `, from ${reads.join(' and ')}`;
  return [
    '',
    `job ${job} (${path}${of})`,
    `  items   ${items}, to ${dataType}`,
    ...(walks === undefined ? [] : wrap(printable(walks), '  walks   ', '          ')),
    ...(validators === undefined ? [] : wrap(validators, '  adds    ', '          ')),
    ...report.flatMap(({ key, request }) => requestLines(key, request)),
    ...(first === undefined ? [`  page 1  GET ${link}`] : requestLines('page 1', first)),
    ...(second === undefined ? [] : requestLines(`page 2${from}`, second, first)),
    ...(second === undefined && reads.length > 0
      ? wrap(`depends on ${reads.join(' and ')}`, '  page 2  ', '          ')
      : []),
    ...ends.flatMap((end) => wrap(printable(end), '  ends    ', '          ')),
  ];
}

/** A later request shows what differs from the one before it. */
function requestLines(title: string, request: ExplainedRequest, before?: ExplainedRequest): readonly string[] {
  const values = request.values.filter((each) => before === undefined || !isIn(before, each));
  const note = request.trusted ? [] : ['    another origin: no credentials, no configured header, no default'];
  const rows = values
    .map(printableValue)
    .map((value) => [`    ${shortened(value.name)}`, shortened(value.value), placeOf(value), sourceText(value)]);
  const same = before !== undefined && values.length < request.values.length ? ['    all other values as before'] : [];
  const names = new Set(request.values.map(({ name }) => name));
  const gone = before?.values.filter(({ name }) => !names.has(name)).map(({ name }) => name) ?? [];
  const without = gone.length === 0 ? [] : wrap(`without ${gone.map(shortened).join(', ')}`, '    ', '    ');
  return [`  ${title}  ${addressOf(request)}`, ...note, ...table(rows, new Set()), ...same, ...without];
}

/** A signature must not push the sources out of sight; `--explain` and `--json` show it whole. */
const shortened = (value: string): string => cutEnd(value, 48);

/** All that is shown of a value is cut before it is formatted. */
const printableValue = ({ name, value, sources, in: place }: ExplainedValue): ExplainedValue => ({
  in: place,
  name: printable(name),
  value: printable(value),
  sources: sources.map(({ from, value: text }) => ({
    from: printable(from),
    ...(text === undefined ? {} : { value: printable(text) }),
  })),
});

const isIn = ({ values }: ExplainedRequest, { name, value, in: place }: ExplainedValue): boolean =>
  values.some((each) => each.name === name && each.value === value && each.in === place);

const placeOf = (value: ExplainedValue): string => (value.in === 'query' ? '' : value.in);

/** What a made-up value stands for is shown as it is. */
const addressOf = ({ method, url }: ExplainedRequest): string =>
  `${method} ${printable(url)
    .replace(/%3C([\w.-]*)%3E/g, '<$1>')
    .replace(/%7B([\w:.-]+)%7D/g, '{$1}')
    .replaceAll('%2A%2A%2A', '***')}`;

function sourceText({ sources, value }: ExplainedValue): string {
  const last = sources.at(-1);
  if (last === undefined) return '';
  const others = sources.slice(0, -1).map(({ from }) => from);
  const over = sources.length > 1 && sources.every(isList) ? 'merged over' : 'instead of';
  const written = last.value === undefined || last.value === value ? '' : `: ${last.value}`;
  return `${last.from}${shortened(written)}${others.length === 0 ? '' : `, ${over} ${others.join(', ')}`}`;
}

/** Lists of a job and of the defaults are merged by index. */
const isList = ({ value }: Source): boolean => value?.startsWith('[') === true;

/** The sources of a value, the one that is sent first. */
function sourceLines(explained: ExplainedValue): readonly string[] {
  const { name, value, sources, in: place } = printableValue(explained);
  const row = ({ from, value: text = '' }: Source, index: number) => [
    `    ${index === 0 ? 'from' : sources.every(isList) ? 'merged over' : 'instead of'}`,
    from,
    text,
  ];
  return [
    `  ${place === 'header' ? 'header' : `parameter (${place})`} ${name}: ${value}`,
    ...table(sources.toReversed().map(row), new Set()),
  ];
}
