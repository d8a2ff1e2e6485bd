/**
 * Gives each member of the items a column of its own. DuckDB ignores the case of names, so `ID` beside `id` is `ID_1`.
 */
import type { MemberColumn } from './member-columns.js';
import { folded } from './sql.js';

export interface ColumnNames {
  /** Adds a member. Names of other members may change: one that has the column of its spelling keeps it. */
  add(member: string): void;
  /** The column of a member, as the table spells it. */
  of(member: string): string;
  /** Forgets all members but the keys. */
  clear(): void;
}

/**
 * Starts with the columns of the table and the members that they have had in earlier runs. `keys`: members of the key,
 * which come before all others.
 */
export function createColumnNames(found: readonly MemberColumn[] = [], keys: readonly string[] = []): ColumnNames {
  const known = new Map(found.flatMap(({ name, member }) => (member === undefined ? [] : [[member, name] as const])));
  const spelled = new Map(found.map(({ name }) => [folded(name), name]));
  const members: string[] = [];
  const names = new Map<string, string>();
  const taken = new Set<string>();

  const wanted = (member: string): string => known.get(member) ?? spelled.get(folded(member)) ?? member;
  const take = (member: string, name: string) => {
    names.set(member, name);
    taken.add(folded(name));
  };
  const claim = (member: string): boolean => {
    if (names.has(member)) return true;
    const name = wanted(member);
    if (taken.has(folded(name))) return false;
    take(member, name);
    return true;
  };
  const isFree = (name: string) => !taken.has(folded(name)) && !spelled.has(folded(name));
  const claimAll = () => {
    names.clear();
    taken.clear();
    const exact = members.filter((member) => spelled.get(folded(member)) === member);
    for (const member of [...keys, ...members.filter((each) => known.has(each)), ...exact]) claim(member);
    for (const member of members.filter((each) => !claim(each))) take(member, withSuffix(member, isFree));
  };

  claimAll();
  return {
    add(member) {
      members.push(member);
      if (!claim(member)) claimAll();
    },
    of: (member) => names.get(member) ?? member,
    clear() {
      members.length = 0;
      claimAll();
    },
  };
}

/** `ID_1`, or with the next number that is free. */
function withSuffix(member: string, isFree: (name: string) => boolean): string {
  for (let number = 1; ; number++) if (isFree(`${member}_${number}`)) return `${member}_${number}`;
}
