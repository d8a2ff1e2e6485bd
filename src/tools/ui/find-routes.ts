/** The routes by which the page finds the configuration of an API, and asks what `init` asks on a terminal. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { asExtractError } from '../../core/errors/errors.js';
import type { Notify } from '../../core/model/notice.js';
import { usageError } from '../../core/util/check-value.js';
import type { Questions } from '../init/ask.js';
import { findConfiguration, type InitOptions } from '../init/run-init.js';
import { createLineQueue } from './line-queue.js';
import { textAt, textsAt } from './page-input.js';
import type { FoundLine, PageQuestion } from './page-messages.js';
import type { PageInput, PageRoute } from './page-server.js';
import type { PageRoutes } from './workbench.js';

export interface FindContext extends Pick<InitOptions, 'proxy' | 'hosts'> {
  env(): Readonly<Record<string, string | undefined>>;
  /** Values of secrets that were written out, by the names that the configuration has for them. */
  keep(variables: Readonly<Record<string, string>>): void;
}

export function findRoutes(context: FindContext): PageRoutes {
  const asked = new Map<string, (answer: unknown) => void>();
  const answer = async (input: PageInput) => {
    const id = textAt(input, 'id');
    const resolve = asked.get(id);
    if (resolve === undefined) throw usageError('this question is no longer asked');
    asked.delete(id);
    resolve(input.value);
    return {};
  };
  return new Map<string, PageRoute>([
    ['/api/find', (input, signal) => find(input, signal, context, asked)],
    ['/api/answer', answer],
  ]);
}

/** Requests of one search. */
const mostRequests = 40;

type OpenQuestions = Map<string, (answer: unknown) => void>;

function find(
  input: PageInput,
  signal: AbortSignal,
  context: FindContext,
  asked: OpenQuestions,
): AsyncIterable<FoundLine> {
  const { words, ...source } = sourceOf(input);
  const queue = createLineQueue<FoundLine>();
  const { proxy, hosts, env, keep } = context;
  let mask = (text: string) => text;
  const notify: Notify = ({ level, message }) => queue.push({ note: mask(message), level });
  const ask = (question: Omit<PageQuestion, 'id'>) =>
    new Promise<unknown>((resolve, reject) => {
      const id = randomUUID();
      asked.set(id, resolve);
      signal.addEventListener('abort', () => {
        asked.delete(id);
        reject(signal.reason);
      });
      queue.push({ question: { ...question, text: mask(question.text), id } });
    });
  const search = async () => {
    const found = await findConfiguration(words, {
      ...source,
      params: [],
      env: env(),
      notify,
      signal,
      maskWith: (each) => {
        mask = each;
      },
      questions: questionsBy(ask),
      maxRequests: mostRequests,
      ...(proxy === undefined ? {} : { proxy }),
      ...(hosts === undefined ? {} : { hosts }),
      onVariables: keep,
    });
    queue.push({ found: { text: found.text, variables: Object.keys(found.variables), sent: found.sent } });
  };
  search().then(queue.end, (thrown: unknown) => {
    const { code, message } = asExtractError(thrown);
    queue.push({ failed: { code, message: mask(message) } });
    queue.end();
  });
  return queue.read();
}

/** An address, or a curl command. Files are not read: the page names none. Throws ERR_USAGE. */
function sourceOf(input: PageInput) {
  const source = textAt(input, 'source').trim();
  const headers = textsAt(input, 'headers');
  const allowPost = input.allowPost === true;
  if (/^https?:\/\//i.test(source)) return { words: [source], headers, allowPost };
  if (/^curl\s/.test(source)) return { words: ['-'], stdin: () => Readable.from([source]), headers, allowPost };
  throw usageError('expected an address that begins with http:// or https://, or a curl command');
}

/** What is left open by the page takes the likeliest. */
function questionsBy(ask: (question: Omit<PageQuestion, 'id'>) => Promise<unknown>): Questions {
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    choose: async (text, choices) => textOf(await ask({ kind: 'choose', text, choices })),
    ask: async (text, options = {}) =>
      textOf(await ask({ kind: options.secret === true ? 'secret' : 'text', text, choices: [] })),
    confirm: async (text) => {
      const value = await ask({ kind: 'confirm', text, choices: [] });
      return typeof value === 'boolean' ? value : undefined;
    },
  };
}
