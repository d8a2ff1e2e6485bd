/** What `rxtract init` does: reads the source, asks the API, writes a configuration, and says how sure it is. */
import { writeFile } from 'node:fs/promises';
import type { ParsedArguments } from '../../cli/arguments.js';
import type { CommandResult } from '../../cli/command.js';
import type { Report } from '../../cli/report.js';
import { warnOfPassword } from '../../cli/run-jobs.js';
import type { Shell } from '../../cli/shell.js';
import { type ExactObject, emptyObject } from '../../core/json/exact.js';
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';
import { withCommands } from '../../core/util/missing-variable.js';
import { quotedForShell } from '../text/lines.js';
import { createQuestions, type Questions } from './ask.js';
import { commentsOf } from './comments.js';
import { besideLink, configOf, type Draft, draftOf, repeatedNames } from './draft.js';
import { findEvidence } from './evidence.js';
import { findKey, identify } from './find-key.js';
import { type FoundList, pathText } from './find-lists.js';
import { type FoundPaging, findPaging } from './find-paging.js';
import { bodyOf, dataFieldOf, type Look, lookAt } from './first-look.js';
import type { FoundRequest } from './found-request.js';
import { initError } from './init-error.js';
import { keepable, keeping } from './keep-values.js';
import { namesOfShape } from './known-names.js';
import { writeLike } from './like.js';
import { checkOut, outOf } from './out-file.js';
import { createProber, Interrupted, type Prober } from './prober.js';
import { type FoundRate, findRate } from './rate-headers.js';
import { readSource } from './read-source.js';
import type { Search } from './trials.js';
import { configText } from './write-config.js';

/** Everything that parts of the command need. */
interface Init {
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: Report;
  readonly questions: Questions;
  say(line: string): void;
}

/**
 * Writes a configuration for the source that the arguments name. Rejects with ERR_USAGE and ERR_INIT; then nothing is
 * written. Resolves with the signal that has interrupted it.
 */
export async function runInit(args: ParsedArguments, shell: Shell, report: Report): Promise<CommandResult> {
  const say = (message: string) => report.notice({ level: 'info', code: 'init', message });
  const init: Init = {
    args,
    shell,
    report,
    questions: createQuestions(shell, args.has('yes') || args.positionals[0] === '-'),
    say,
  };
  try {
    await initialize(init);
    return {};
  } catch (thrown) {
    if (thrown instanceof Interrupted) return thrown.result;
    throw thrown;
  }
}

async function initialize(init: Init): Promise<void> {
  const { args, shell, report, questions, say } = init;
  const out = outOf(args);
  const like = args.last('like');
  if (like !== undefined || args.positionals.length > 0) await checkOut(out, args.has('force'));
  const save = (text: string) => write(init, out, text);
  if (like !== undefined) return writeLike(like, { args, out, say, save });
  const most = countOf(args, 'max-requests', 20);
  warnOfPassword(args, report);
  const request = keeping(await readSource({ args, shell, report, questions }), args.list('keep'));
  for (const note of request.notes ?? []) say(note);
  const draft = draftOf(request);
  for (const name of repeatedNames(request)) say(repeated(name));
  warnOfSecrets(init, draft);
  await confirmPost(request, init);
  const options = {
    env: { ...shell.env, ...draft.env },
    most,
    allowsPost: request.method === 'POST',
    ...defined({ proxy: args.last('proxy') }),
  };
  const prober = createProber(options, shell, report);
  const look = await lookAt(prober, draft, request.hints ?? {});
  const made = await makeConfig(init, prober, look);
  await write(init, out, made.text);
  finish(init, { out, draft, made, sent: prober.sent(), keep: keepable(request) });
}

const repeated = (name: string): string =>
  `The query has "${name}" several times: beside other parameters, also those of pages, only its last value is sent. Check the first page.`;

/** Process lists show the arguments of a command to all users of a machine. */
function warnOfSecrets({ args, shell, report }: Init, { env }: Draft): void {
  const inArguments = args.positionals.concat(args.list('header'), args.list('body')).join(' ');
  const isOpen = ([name, value]: readonly [string, string]) => shell.env[name] !== value && inArguments.includes(value);
  const names = Object.entries(env)
    .filter(isOpen)
    .map(([name]) => name);
  if (names.length === 0) return;
  const message = `process lists show the values of ${names.join(', ')} in the command: export them and write '\${${names[0]}}' in single quotes, or give a curl command to \`rxtract init -\``;
  report.notice({ level: 'warning', code: 'password-in-arguments', message });
}

async function confirmPost({ method }: FoundRequest, { args, questions }: Init): Promise<void> {
  if (method === 'GET' || args.has('allow-post')) return;
  const question = 'The request is a POST. Does it only read data, and may it be sent several times?';
  if ((await questions.confirm(question)) === true) return;
  throw usageError('the request is a POST, which may change data: --allow-post sends it');
}

interface Made {
  readonly text: string;
  readonly dataType: string;
  /** Whether a run requests more than one page. */
  readonly hasPages: boolean;
}

async function makeConfig(init: Init, prober: Prober, look: Look): Promise<Made> {
  const { args, questions, say } = init;
  const list = await chooseList(init, look);
  const [page] = look.trial.pages;
  if (page === undefined) throw initError('the API has not answered');
  const items = list.kind === 'map' ? [] : list.items;
  const key = findKey(items);
  const rate = findRate(page.answer.headers);
  reportLook(init, { look, list, key, rate });
  const name = args.last('name') ?? (await questions.ask(`Name of the data (empty: ${look.draft.dataType})`));
  const dataField = dataFieldOf(list);
  const evidence = findEvidence(page.answer, look.body, list.path, list.items.length);
  const named = name === undefined || name.trim() === '' ? {} : { dataType: name.trim() };
  const draft = besideLink({ ...look.draft, ...named }, evidence.links.map(({ value }) => String(value))[0]);
  const search: Search = {
    prober,
    draft,
    dataField,
    key,
    evidence,
    ids: identify(items, key),
    say,
    hints: { ...namesOfShape(list.path), ...look.hints },
    first: { ...page, items },
  };
  const paging = list.kind === 'map' ? onePage : await findPaging(search, { path: list.path, bodyOf });
  reportPaging(init, paging, search);
  const findings = {
    ...defined({ dataField, pagination: paging.pagination, rateLimit: rate?.rate }),
    params: paging.params,
  };
  const config = configOf(draft, findings);
  await check(prober, config);
  const comments = commentsOf({ draft, list, look, key, paging, rate });
  return { text: configText(config, comments), dataType: draft.dataType, hasPages: paging.pagination !== undefined };
}

const onePage: FoundPaging = { params: emptyObject, certainty: 'none', what: 'none, an object is one item' };

/** Runs the first page of what is written. */
async function check(prober: Prober, config: ExactObject): Promise<void> {
  if (prober.isExhausted()) return;
  const { failure, last } = await prober.run(config);
  if (failure === undefined || prober.isExhausted()) return;
  throw initError(`the configuration fails with ${last?.status ?? failure.code}: ${failure.message}`);
}

async function chooseList({ args, questions }: Init, { lists }: Look): Promise<FoundList> {
  const wanted = args.last('list');
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
  { report, say }: Init,
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
  report.notice({ level: 'warning', code: 'next-page-ignored', message });
}

async function write({ args, shell }: Init, out: string, text: string): Promise<void> {
  if (out === '-') {
    shell.stdout.write(text);
    return;
  }
  try {
    await writeFile(out, text, { flag: args.has('force') ? 'w' : 'wx' });
  } catch (thrown) {
    throw initError(`${out} cannot be written: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

interface Finished {
  readonly out: string;
  readonly draft: Draft;
  readonly made: Made;
  /** Requests. */
  readonly sent: number;
  /** Names for `--keep`. */
  readonly keep: readonly string[];
}

/** The next commands, with the variables that the shell does not have. */
function finish({ say, shell }: Init, { out, draft, made, sent, keep }: Finished): void {
  const requests = `${sent} ${sent === 1 ? 'request' : 'requests'}`;
  const missing = Object.keys(draft.env).filter((name) => shell.env[name] !== draft.env[name]);
  const file = out === '-' ? 'config.json' : quotedForShell(out);
  say(out === '-' ? `written to standard output, after ${requests}` : `wrote ${out}, after ${requests}`);
  const commands = withCommands(missing.map((name) => [name, '...']));
  if (missing.length > 0) `it has no secrets; before each run${commands}`.split('\n').forEach(say);
  if (keep.length > 0)
    say(`if they are harmless, --keep writes values into the file: ${keep.map((name) => `--keep ${name}`).join(' ')}`);
  say('next:');
  say(`  rxtract preview ${file}   shows the first page`);
  const items = made.hasPages ? 'all items' : 'the items of one page';
  say(`  rxtract run ${file}       writes ${items} to out/${made.dataType}.ndjson`);
}

/** Reads a whole number from 1 up. Throws ERR_USAGE. */
function countOf(args: ParsedArguments, name: string, usual: number): number {
  const text = args.last(name);
  if (text === undefined) return usual;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value === 0) throw usageError(`--${name} is a whole number from 1 to 9999, found "${text}"`);
  return value;
}
