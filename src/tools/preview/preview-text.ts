/** A previewed page as text that fits the terminal. */
import { stringifyExact } from '../../core/json/exact.js';
import type { Secrets } from '../../core/model/secrets.js';
import type { ExplainedRequest } from '../../http/explain-request.js';
import type { WatchedPage } from '../../recording/watch.js';
import { columnsPath } from '../init/find-lists.js';
import { breakAnywhere, cutEnd, padEnd, widthOf } from '../text/cells.js';
import { counted, size } from '../text/format.js';
import { wrap } from '../text/lines.js';
import { fieldsOf, type ItemField, mostFields, type SampledItem, type SampledMember } from './fields.js';

/** One page of a job. */
export interface PreviewedPage {
  readonly job: string;
  /** From 0. */
  readonly index: number;
  readonly count: number;
  readonly bytes: number;
  readonly requests: number;
  readonly retries: number;
  /** The first items. */
  readonly items: readonly SampledItem[];
  /** The path of a list of names beside rows that are arrays; absent: there is none. */
  readonly columns?: readonly string[];
  readonly page: WatchedPage;
}

export interface Screen {
  /** Columns of the terminal. */
  readonly width: number;
  /** Items in the table. */
  readonly rows: number;
  /** Makes a text of an API printable: masked, without control characters. `cut`: it may end within a secret. */
  readonly clean: Secrets['mask'];
}

/** The lines of a page, none wider than the screen. */
export function pageLines(previewed: PreviewedPage, screen: Screen): readonly string[] {
  const { job, index, count, bytes, requests, retries, items, page } = previewed;
  const { clean, width } = screen;
  const fields = fieldsOf(items);
  const cost = `${counted(count, 'item')}, ${size(bytes)}, ${counted(requests, 'request')}${retries === 0 ? '' : `, ${retries} of them retried`}`;
  const lines = [
    `${clean(job)}, page ${index + 1}`,
    ...headLines(page, screen),
    `  ${cost}`,
    ...tableLines(fields, items, screen),
    ...fieldLines(fields, items.length, screen),
    ...columnsLines(previewed, screen),
    ...nextLines(page, screen),
  ];
  return lines.map((line) => cutEnd(line, width));
}

function headLines({ request, head }: WatchedPage, { clean, width }: Screen): readonly string[] {
  const line = breakAnywhere(clean(`${request.method} ${request.url}`), width - 2).map((part) => `  ${part}`);
  const headers = Object.entries(head.headers).filter(([name]) => shownHeader.test(name));
  return [
    ...line,
    `  status ${head.status}`,
    ...headers.map(([name, value]) => `  ${clean(`${name}: ${[value].flat().join(', ')}`)}`),
  ];
}

/** Headers that say what the API sends, how much of it, and how much more. */
const shownHeader =
  /^(?:content-type|link|retry-after|.*rate-?limit.*|x-(?:total|count|page|next|has).*|deprecation|sunset|warning)$/;

/** The widest a column may be while others do not fit. */
const mostOfColumn = 30;

/** As many columns as fit; the names of the others follow. */
function tableLines(
  fields: readonly ItemField[],
  items: readonly SampledItem[],
  { width, rows, clean }: Screen,
): readonly string[] {
  if (fields.length === 0) return [];
  const shown = items.slice(0, rows);
  const columns: string[][] = [];
  let left = width - 2;
  for (const { name } of fields) {
    const column = [clean(name), ...shown.map((item) => cellOf(item.get(name), clean))];
    const natural = Math.min(mostOfColumn, Math.max(...column.map(widthOf)));
    const columnWidth = columns.length === 0 ? Math.min(natural, left) : natural;
    if (columnWidth > left) break;
    columns.push(column.map((cell) => padEnd(cutEnd(cell, columnWidth), columnWidth)));
    left -= columnWidth + 2;
  }
  const lines = Array.from({ length: shown.length + 1 }, (_, row) =>
    `  ${columns.map((column) => column[row]).join('  ')}`.trimEnd(),
  );
  const others = fields.slice(columns.length).map(({ name }) => clean(name));
  const more = items.length - shown.length;
  return [
    '',
    ...lines,
    ...(more > 0 ? [`  ... and ${counted(more, 'item')}`] : []),
    ...(others.length === 0 ? [] : wrap(`not shown: ${others.join(', ')}`, '  ', '  ', width)),
  ];
}

const cellOf = (member: SampledMember | undefined, clean: Screen['clean']): string =>
  member === undefined ? '' : clean(member.text, member.isCut ? 'cut' : 'whole');

function fieldLines(fields: readonly ItemField[], count: number, { clean, width }: Screen): readonly string[] {
  if (fields.length === 0) return [];
  const most = Math.max(...fields.map(({ name }) => widthOf(clean(name))));
  const nameWidth = Math.min(most, Math.floor(width / 2));
  const rows = fields.map(({ name, types, count: has }) => {
    const missing = has === count ? '' : `, missing in ${count - has} of ${count}`;
    return `  ${padEnd(cutEnd(clean(name), nameWidth), nameWidth)}  ${types.join(' or ')}${missing}`;
  });
  return ['', ...rows, ...(fields.length < mostFields ? [] : [`  only the first ${mostFields} fields are read`])];
}

/** Rows that are arrays become objects by a key of the job. */
function columnsLines({ items, columns }: PreviewedPage, { clean, width }: Screen): readonly string[] {
  const areArrays = items.length > 0 && items.every((item) => item.get('value')?.type === 'list' && item.size === 1);
  if (columns === undefined || !areArrays) return [];
  const key = `"response": { "columns": ${stringifyExact(columnsPath(columns))} }`;
  return [
    '',
    ...wrap(
      clean(
        `The items are arrays, and a list beside them names their values: ${key} of the job makes objects of them.`,
      ),
      '  ',
      '  ',
      width,
    ),
  ];
}

function nextLines({ request, next }: WatchedPage, { clean, width }: Screen): readonly string[] {
  if ('stop' in next) return ['', ...wrap(clean(`The pagination ends here: ${next.stop}.`), '  ', '  ', width)];
  const why = changes(request, next).map((each) => `    ${clean(each)}`);
  const lines = breakAnywhere(clean(`${next.method} ${next.url}`), width - 4).map((part) => `    ${part}`);
  return ['', '  The pagination would request next:', ...lines, ...why];
}

/** The values that the next request does not share with this one, each with its source. */
const changes = (before: ExplainedRequest, next: ExplainedRequest): readonly string[] =>
  next.values
    .filter(({ name, value }) => !before.values.some((each) => each.name === name && each.value === value))
    .map(
      ({ name, value, sources }) => `${name} = ${value}, from ${sources.at(-1)?.from ?? 'the link in the response'}`,
    );
