/** Finds the configuration of an API: reads a source, asks the API, and says how sure it is. */
import { type ExactObject, emptyObject } from '../../core/json/exact.js';
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';
import { noQuestions, type Questions } from './ask.js';
import { commentsOf } from './comments.js';
import { besideLink, configOf, type Draft, draftOf, repeatedNames } from './draft.js';
import { findEvidence } from './evidence.js';
import { type FoundIncremental, findIncremental } from './find-incremental.js';
import { findKey, identify } from './find-key.js';
import { columnsPath, type FoundList, namesBeside, pathText } from './find-lists.js';
import { type FoundPaging, findPaging } from './find-paging.js';
import { readReport } from './find-report.js';
import { bodyOf, dataFieldOf, type Look, lookAt } from './first-look.js';
import type { FoundRequest } from './found-request.js';
import { initError } from './init-error.js';
import { keepable, keeping } from './keep-values.js';
import { namesOfShape } from './known-names.js';
import { createProber, type ProbeContext, type Prober } from './prober.js';
import { type FoundRate, findRate } from './rate-headers.js';
import { readSource, type SourceOptions } from './read-source.js';
import type { Search } from './trials.js';
import { configText } from './write-config.js';

export interface InitOptions extends SourceOptions, Partial<ProbeContext> {
  /** Absent: nothing is asked, and the likeliest is taken. */
  readonly questions?: Questions;
  /** Names of parameters and headers whose values are written: they are no secrets. */
  readonly keep?: readonly string[];
  /** Whether a POST is sent without a question. */
  readonly allowPost?: boolean;
  /** The path of the list to read, such as `data.users`. Absent: the likeliest. */
  readonly list?: string;
  /** The name of the data. Absent: from the address. */
  readonly name?: string;
  /** The most requests. Absent: 20. */
  readonly maxRequests: number;
  /** Called before the first request with the variables that the configuration reads. */
  onVariables?(values: Readonly<Record<string, string>>): void;
}

export interface FoundConfiguration {
  /** JSON with comments, without secrets. */
  readonly text: string;
  readonly dataType: string;
  /** Whether a run requests more than one page. */
  readonly hasPages: boolean;
  /** Whether the next run can ask for what is new. */
  readonly isIncremental: boolean;
  /** The values of the variables that it reads. */
  readonly variables: Readonly<Record<string, string>>;
  /** Names of `keep` that would write values instead. */
  readonly keepable: readonly string[];
  /** Requests. */
  readonly sent: number;
}

/** Everything that parts of the search need. */
interface Init extends Pick<InitOptions, 'list' | 'name'>, Pick<ProbeContext, 'notify'> {
  readonly questions: Questions;
  say(line: string): void;
}

/**
 * Finds the configuration for a source: an address, a file, `-`, or the words of a curl command. Rejects with ERR_USAGE
 * and ERR_INIT, and with the reason of the signal.
 */
export async function findConfiguration(source: readonly string[], options: InitOptions): Promise<FoundConfiguration> {
  const { env = {}, notify = () => {}, questions = noQuestions, keep = [], allowPost, list, name } = options;
  const say = (message: string) => notify({ level: 'info', code: 'init', message });
  const context = {
    ...defined({
      proxy: options.proxy,
      hosts: options.hosts,
      signal: options.signal,
      maskWith: options.maskWith,
    }),
    notify,
  };
  const found = await readSource(source, options, { ...context, ...questions, env });
  const request = keeping(found, keep);
  for (const note of request.notes ?? []) say(note);
  const draft = draftOf(request);
  for (const each of repeatedNames(request)) say(repeated(each));
  options.onVariables?.(draft.env);
  if (allowPost !== true) await confirmPost(request, questions);
  const prober = createProber({
    ...context,
    env: { ...env, ...draft.env },
    most: options.maxRequests,
    allowsPost: request.method === 'POST',
  });
  const lookAtList = (each: Draft) => lookAt(prober, each, {});
  const look = await lookAt(prober, draft, request.hints ?? {}, (trial, kept) =>
    readReport({ prober, draft: kept, signal: options.signal, say }, trial, lookAtList),
  );
  const made = await makeConfig({ ...defined({ list, name }), questions, notify, say }, prober, look);
  return { ...made, variables: draft.env, keepable: keepable(request), sent: prober.sent() };
}

const repeated = (name: string): string =>
  `The query has "${name}" several times: beside other parameters, also those of pages, only its last value is sent. Check the first page.`;

async function confirmPost({ method }: FoundRequest, questions: Questions): Promise<void> {
  if (method === 'GET') return;
  const question = 'The request is a POST. Does it only read data, and may it be sent several times?';
  if ((await questions.confirm(question)) === true) return;
  throw usageError('the request is a POST, which may change data: --allow-post sends it');
}

async function makeConfig(
  init: Init,
  prober: Prober,
  look: Look,
): Promise<Pick<FoundConfiguration, 'text' | 'dataType' | 'hasPages' | 'isIncremental'>> {
  const { questions, say } = init;
  const list = await chooseList(init, look);
  const [page] = look.trial.pages;
  if (page === undefined) throw initError('the API has not answered');
  const items = list.kind === 'map' ? [] : list.items;
  const key = findKey(items);
  const rate = findRate(page.answer.headers);
  reportLook(init, { look, list, key, rate });
  const name = init.name ?? (await questions.ask(`Name of the data (empty: ${look.draft.dataType})`));
  const dataField = dataFieldOf(list);
  const evidence = findEvidence(page.answer, look.body, list.path, list.items.length);
  const named = name === undefined || name.trim() === '' ? {} : { dataType: name.trim() };
  const draft = besideLink({ ...look.draft, ...named }, evidence.links.map(({ value }) => String(value))[0]);
  const search: Search = {
    prober,
    draft: look.items ?? draft,
    dataField,
    key,
    evidence,
    ids: identify(items, key),
    say,
    hints: { ...namesOfShape(list.path), ...look.hints },
    first: { ...page, items },
  };
  const paging = await pagingOf(list, search, look);
  reportPaging(init, paging, search);
  const incremental = isReport(look) ? undefined : await chooseIncremental(init, list, search);
  const findings = {
    ...defined({
      dataField,
      response: namedRows(look, list),
      pagination: paging.pagination,
      rateLimit: rate?.rate,
      incremental: incremental?.incremental,
    }),
    params: paging.params,
  };
  const config = configOf(draft, findings);
  await check(prober, config, draft);
  const comments = commentsOf({ draft, list, look, key, paging, rate, incremental });
  const text = configText(config, comments);
  const { dataType } = draft;
  const hasPages = paging.pagination !== undefined || paging === ofReport;
  return { text, dataType, hasPages, isIncremental: incremental !== undefined };
}

const isReport = ({ draft }: Pick<Look, 'draft'>): boolean => draft.await !== undefined;

function pagingOf({ kind, path }: FoundList, search: Search, look: Look): Promise<FoundPaging> | FoundPaging {
  if (isReport(look) && look.items === undefined) return ofReport;
  return kind === 'map' ? onePage : findPaging(search, { path, bodyOf });
}

/** What was proven; on a terminal after a yes. */
async function chooseIncremental(
  { questions }: Init,
  { kind }: FoundList,
  search: Search,
): Promise<FoundIncremental | undefined> {
  const found = kind === 'map' ? undefined : await findIncremental(search);
  if (found === undefined) return undefined;
  const question = `Shall later runs ask only for items with a newer "${found.path}", by "${found.param}"?`;
  return (await questions.confirm(question)) === false ? undefined : found;
}

/** Rows that are arrays become objects, if a list beside them has their names. */
function namedRows({ body, draft }: Look, list: FoundList): ExactObject | undefined {
  const path = draft.response === undefined ? namesBeside(body, list) : undefined;
  return path && new Map([['columns', columnsPath(path)]]);
}

const ofReport: FoundPaging = { params: emptyObject, certainty: 'none', what: 'none, the links lead to all items' };
const onePage: FoundPaging = { params: emptyObject, certainty: 'none', what: 'none, an object is one item' };

/** Runs the first page of what is written. */
async function check(prober: Prober, config: ExactObject, { await: report }: Draft): Promise<void> {
  const mayBeUnsent = () => report === undefined && prober.isExhausted(); // what a report needs is remembered
  if (mayBeUnsent()) return;
  const { failure, last } = await prober.run(config);
  if (failure === undefined || mayBeUnsent()) return;
  throw initError(`the configuration fails with ${last?.status ?? failure.code}: ${failure.message}`);
}

async function chooseList({ list: wanted, questions }: Init, { lists }: Look): Promise<FoundList> {
  const texts = lists.map(({ path }) => pathText(path));
  if (wanted !== undefined) {
    const found = lists.find((_, index) => texts[index] === wanted);
    if (found === undefined) throw usageError(`--list ${wanted}: the response has the lists ${texts.join(', ')}`);
    return found;
  }
  if (lists.length === 1) return lists[0];
  const choices = lists.map(({ items }, index) => ({
    value: String(index),
    label: `${texts[index]} (${items.length} items)`,
  }));
  const chosen = await questions.choose('Which list?', choices);
  return lists[Number(chosen ?? 0)] ?? lists[0];
}

interface Reported {
  readonly look: Look;
  readonly list: FoundList;
  readonly key: string | undefined;
  readonly rate: FoundRate | undefined;
}

function reportLook({ say }: Init, { look, list, key, rate }: Reported): void {
  const others = look.lists.filter((each) => each !== list).map(({ path }) => pathText(path));
  const where = list.path.length === 0 ? 'in the response itself' : `at "${pathText(list.path)}"`;
  if (look.dropped.length > 0) say(`parameters of pages, whose given values are not used: ${look.dropped.join(', ')}`);
  if (list.kind === 'map')
    say(`items: one, the object ${where} with ${list.items.length} members; objects under names are no list`);
  else
    say(
      `items: ${list.items.length} ${where}${others.length === 0 ? '' : `; other lists: ${others.join(', ')} (--list)`}`,
    );
  say(
    key === undefined
      ? 'key: no member with a usual name (id, uuid, key, ...) identifies the items'
      : `key: "${key}", another value in each item`,
  );
  if (rate !== undefined) say(`rate limit: ${rate.what}`);
}

function reportPaging(
  { notify, say }: Init,
  { certainty, what }: FoundPaging,
  { evidence: { total }, ids }: Search,
): void {
  const sure = { proven: `${what}, proven by a second page`, likely: `${what}, likely but not proven`, none: what };
  const isMore = total !== undefined && total.value > ids.length;
  if (certainty !== 'none' || !(isMore || what.includes('announces'))) {
    const ifMore = what === 'none found' ? '; if the API has more items: `rxtract help pagination`' : '';
    say(`pagination: ${sure[certainty]}${ifMore}`);
    return;
  }
  const reported = isMore ? `; the API reports ${total.value} items (${total.place})` : '';
  const message = `pagination: ${what}${reported}. The configuration pulls one page: look up the paging parameters of the API, and add \`pagination\` (\`rxtract help pagination\`)`;
  notify({ level: 'warning', code: 'next-page-ignored', message });
}
