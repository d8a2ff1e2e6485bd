/** `rxtract catalog`: lists the real APIs whose configurations `init --like` writes. */
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';
import type { Command } from '../command.js';

const details = `Examples
  rxtract catalog search                     all entries, a line each
  rxtract catalog search link-header         those whose pages follow the Link header
  rxtract catalog search oauth2 cursor       those that have both words
  rxtract init --like stripe                 writes the configuration of one

A line has its name, vendor, login, pagination and what it gets. Each word is looked for in all of them, in any case.
`;

const actions = ['search'] as const;

export const catalog: Command = {
  name: 'catalog',
  summary: 'find a real API among those that `init --like` knows',
  argument: 'search [TEXT]',
  argumentOneOf: actions,
  options: {},
  details: async () => details,

  async execute({ positionals: [action, ...words] }, { stdout }) {
    if (action !== 'search') {
      throw usageError(`catalog needs an action: search [TEXT]${didYouMean(action ?? '', actions)}`);
    }
    const { searchCatalog } = await import('../../tools/catalog/search-catalog.js');
    stdout.write(
      searchCatalog(words)
        .map((line) => `${line}\n`)
        .join(''),
    );
    return {};
  },
};
