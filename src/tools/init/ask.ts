/** Asks on a terminal, with @clack/prompts, which is loaded by the first question. */
import { Readable, type Writable } from 'node:stream';
import type { Choice, ReadContext } from './read-context.js';

export interface Questions extends Pick<ReadContext, 'choose' | 'ask'> {
  /** Undefined: nothing can be asked. */
  confirm(question: string): Promise<boolean | undefined>;
}

/** The user has left a question. */
export class Cancelled extends Error {}

/** Without somebody to answer. */
export const noQuestions: Questions = {
  choose: async () => undefined,
  ask: async () => undefined,
  confirm: async () => undefined,
};

export interface QuestionStreams {
  /** Opened by the first question. */
  input(): unknown;
  readonly output: Writable;
  /** Ends a question. */
  readonly signal: AbortSignal;
}

/** Questions on a terminal. They reject with {@link Cancelled} after Ctrl-C. */
export function askOn({ input, output, signal }: QuestionStreams): Questions {
  const streams = () => {
    const stream = input();
    return { output, signal, ...(stream instanceof Readable ? { input: stream } : {}) };
  };
  return {
    async choose(message: string, choices: readonly Choice[]) {
      const { select } = await load();
      return answered(await select({ ...streams(), message, options: choices.map((each) => ({ ...each })) }));
    },
    async ask(message: string, options = {}) {
      const { password, text } = await load();
      return answered(await (options.secret === true ? password : text)({ ...streams(), message }));
    },
    async confirm(message: string) {
      const { confirm } = await load();
      return answered(await confirm({ ...streams(), message }));
    },
  };
}

const load = () => import('@clack/prompts');

/** Ctrl-C gives a symbol. */
function answered<T>(value: T | symbol): Exclude<T, symbol> {
  if (typeof value !== 'symbol') return value as Exclude<T, symbol>; // TypeScript does not exclude it from T
  throw new Cancelled();
}
