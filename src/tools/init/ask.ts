/** Asks on a terminal, with @clack/prompts, which is loaded by the first question. */
import { Readable } from 'node:stream';
import type { Shell } from '../../cli/shell.js';
import { Interrupted } from './prober.js';
import type { Choice, ReadContext } from './read-context.js';

export interface Questions extends Pick<ReadContext, 'choose' | 'ask'> {
  /** Undefined: nothing can be asked. */
  confirm(question: string): Promise<boolean | undefined>;
}

/** Questions to the user of a terminal; without one, or with `--yes`, no question is asked. */
export function createQuestions({ isInteractive, stdin, stderr }: Shell, isQuiet: boolean): Questions {
  if (!isInteractive || isQuiet) {
    return { choose: async () => undefined, ask: async () => undefined, confirm: async () => undefined };
  }
  const streams = () => {
    const input = stdin();
    return { output: stderr, ...(input instanceof Readable ? { input } : {}) };
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

/** Ctrl-C gives a symbol: the command ends as by a signal. */
function answered<T>(value: T | symbol): Exclude<T, symbol> {
  if (typeof value !== 'symbol') return value as Exclude<T, symbol>; // TypeScript does not exclude it from T
  throw new Interrupted({ signal: 'SIGINT' });
}
