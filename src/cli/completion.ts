/** `rxtract completion SHELL`: prints a script that completes words. At each Tab, the script asks this command. */
import { usageError } from '../core/util/check-value.js';
import { didYouMean } from '../core/util/suggest.js';
import type { Command } from './command.js';

const shells = ['bash', 'zsh', 'fish'] as const;

const details = `Examples
  source <(rxtract completion bash)                                        in ~/.bashrc
  source <(rxtract completion zsh)                                         in ~/.zshrc, after compinit
  rxtract completion fish > ~/.config/fish/completions/rxtract.fish        once

It completes commands, options and their values, files, sinks, codes of warnings, names of the reference after help, and
after --job the jobs of the configuration. The script asks the rxtract that is installed, so it needs no update.
`;

/** The scripts call `rxtract completion candidates -- WORD...`. */
const candidatesWord = 'candidates';

/** Creates the command for the table of all commands, which has it too. */
export const completionOf = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'print a script that completes words of the command line: bash, zsh or fish',
  takesNothing: true,
  argument: 'SHELL',
  argumentOneOf: shells,
  options: {},
  details: async () => details,

  async execute({ positionals }, shell) {
    const { candidatesText, scripts } = await import('../tools/completion/candidates.js');
    const [name = '', ...words] = positionals;
    if (name === candidatesWord) {
      shell.stdout.write(
        await candidatesText(words, { commands: commands(), env: shell.env, load: () => import('./engine.js') }),
      );
      return {};
    }
    shell.stdout.write(scripts[shellOf(name, words)]);
    return {};
  },
});

function shellOf(name: string, [extra]: readonly string[]): (typeof shells)[number] {
  const names = shells.join(', ');
  const known = shells.find((each) => each === name);
  if (name === '') throw usageError(`a shell is expected: ${names}`);
  if (known === undefined) throw usageError(`no script for "${name}"${didYouMean(name, shells)}; there are ${names}`);
  if (extra !== undefined) throw usageError(`unexpected argument "${extra}" after "${name}"`);
  return known;
}
