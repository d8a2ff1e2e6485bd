/** Finds entries of the catalogue by words of their name, vendor, login, pagination and title. */
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';
import { table } from '../text/lines.js';
import { catalog } from './entries.js';
import type { CatalogEntry } from './entry-head.js';

/** The entries that have each of the words, in any case, a line each. Throws ERR_USAGE if there is none. */
export function searchCatalog(words: readonly string[]): readonly string[] {
  const found = catalog.filter((entry) => words.every((word) => textOf(entry).includes(word.toLowerCase())));
  if (found.length > 0) return table(found.map(columnsOf), new Set());
  const names = catalog.flatMap(({ name, vendor }) => [name, vendor]);
  const near = didYouMean(words.join(' '), names);
  throw usageError(`the catalogue has no entry with "${words.join(' ')}"${near}; \`rxtract catalog search\` lists all`);
}

const columnsOf = ({ name, vendor, login, pagination, title }: CatalogEntry): readonly string[] => [
  name,
  vendor,
  login,
  pagination,
  title,
];

const textOf = (entry: CatalogEntry): string => columnsOf(entry).join('\n').toLowerCase();
