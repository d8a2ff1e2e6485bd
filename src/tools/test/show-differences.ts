/** Differences between items as lines: those with `- ` are expected, those with `+ ` were found. */
import { type Exact, stringifyStart } from '../../core/json/exact.js';
import { counted } from '../text/format.js';
import type { CaseProblem } from './case-result.js';
import type { ItemDifference, MemberDifference } from './compare-items.js';

/** Differences that are shown of one file, and members of one item. */
const [mostShown, mostMembers] = [5, 8];

/** More than a line of the report has. */
const mostOfValue = 1000;
const shown = (value: Exact): string => stringifyStart(value, mostOfValue);

interface Lengths {
  readonly expected: number;
  readonly found: number;
}

/** The problems of a file with expected items: one for each of the first differences, then how many more there are. */
export function itemProblems(
  path: string,
  differences: readonly ItemDifference[],
  { expected, found }: Lengths,
): readonly CaseProblem[] {
  if (differences.length === 0) return [];
  const first = differences.slice(0, mostShown).map((each) => problemOf(path, each));
  const more = differences.length - first.length;
  const counts =
    expected === found ? '' : `${path}: ${counted(expected, 'item')} expected, ${counted(found, 'item')} found`;
  const rest = more > 0 ? `${path}: ${counted(more, 'more difference')}` : '';
  return [...first, ...[counts, rest].filter((title) => title !== '').map((title) => ({ title, lines: [] }))];
}

function problemOf(path: string, difference: ItemDifference): CaseProblem {
  const { at } = difference;
  switch (difference.kind) {
    case 'changed':
      return { title: `${path}: item ${at} differs`, lines: memberLines(difference.members) };
    case 'missing':
      return { title: `${path}: item ${at} is missing`, lines: [`- ${shown(difference.item)}`] };
    case 'more':
      return {
        title: `${path}: item ${at} of the run is not expected`,
        lines: [`+ ${shown(difference.item)}`],
      };
    case 'order':
      return {
        title: `${path}: the same items in another order; the first: item ${difference.from} is at ${at}`,
        lines: [],
      };
  }
}

/** A line for each side of a member; a member that is on one side only has one. */
export function memberLines(members: readonly MemberDifference[]): readonly string[] {
  const lines = members.slice(0, mostMembers).flatMap(({ path, expected, found }) => {
    const name = path === '' ? '' : `${path}: `;
    return [
      ...(expected === undefined ? [] : [`- ${name}${shown(expected)}`]),
      ...(found === undefined ? [] : [`+ ${name}${shown(found)}`]),
    ];
  });
  const more = members.length - mostMembers;
  return more > 0 ? [...lines, `... and ${counted(more, 'more member')}`] : lines;
}
