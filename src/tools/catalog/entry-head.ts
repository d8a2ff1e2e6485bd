/** The head of an entry of the catalogue: the comment at the beginning of its configuration, see CONTRIBUTING.md. */
import { elementAt } from '../../core/util/element-at.js';

export interface EntryHead {
  readonly vendor: string;
  /** What it gets, without a full stop. */
  readonly title: string;
  /** What to set in it, each `KEY: MEANING`. */
  readonly settings: readonly string[];
  /** The scopes or roles that the login needs. Empty: the documentation names none. */
  readonly scopes: string;
  /** The address of the documentation. */
  readonly documentation: string;
  /** The limits that the documentation states. */
  readonly limits: string;
  readonly notProven: string;
}

/** A row of the catalogue. */
export interface CatalogEntry {
  readonly name: string;
  readonly vendor: string;
  /** The kinds of login, such as `bearer`. */
  readonly login: string;
  /** The methods of pagination, such as `link-header`. */
  readonly pagination: string;
  /** What it gets. */
  readonly title: string;
}

/** The lines of the head without their slashes; a line that begins with three spaces continues the one before it. */
export function headLines(text: string): readonly string[] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  const head = lines.slice(0, end).map((line) => line.replace(/^\/\/ ?/, ''));
  return head
    .join('\n')
    .replace(/\n {2,}/g, ' ')
    .split('\n');
}

/** Reads the head of a configuration. What is missing is empty. */
export function readHead(text: string): EntryHead {
  const lines = headLines(text);
  const [, vendor = '', title = ''] = /^(.+?): (.*?)\.?$/.exec(elementAt(lines, 0)) ?? [];
  const after = (words: string): string =>
    lines.find((line) => line.startsWith(`${words}: `))?.slice(words.length + 2) ?? '';
  return {
    vendor,
    title,
    settings: lines.filter((line) => line.startsWith('Set ')).map((line) => line.slice(4).replace(/\.$/, '')),
    scopes: after('Scopes'),
    documentation: after('Documentation'),
    limits: after('Limits'),
    notProven: after('Not proven'),
  };
}
