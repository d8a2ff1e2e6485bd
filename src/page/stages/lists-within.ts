/** Finds the lists in the objects of a response that has none at its top level: for the warning that names them. */

/** So many objects around a list are looked into, the response itself not counted. */
const deepest = 2;
/** So many are named. */
const most = 3;
const longestName = 80;

/**
 * The paths of lists below the top level of a JSON text, in its order. The text is one that was read without a fault,
 * or the beginning of one: it may end anywhere. Names that a path with dots cannot lead to are passed by.
 */
export function listsWithin(text: string): readonly string[] {
  const found: string[] = [];
  const above: (string | undefined)[] = [];
  let name: string | undefined;
  let lists = 0;
  for (const [token, key] of tokensOf(text)) {
    if (key !== undefined) name = lists > 0 ? undefined : nameOf(key);
    else if (token === '{') above.push(name);
    else if (token === '[') {
      const path = [...above.slice(1), name];
      if (lists++ === 0 && path.length > 1 && path.length <= deepest + 1 && path.every(isName))
        found.push(path.join('.'));
    } else if (token === ']') lists--;
    else if (token === '}') above.pop();
    if (found.length === most) break;
  }
  return found;
}

/**
 * Brackets, and the names of members, which a colon follows. Any other text is passed over whole, also one that the end
 * has cut.
 */
const tokensOf = (text: string) =>
  [...text.matchAll(/[{}[\]]|("[^"\\]*(?:\\.[^"\\]*)*(?:"|$))(\s*:)?/gs)]
    .filter(([, quoted, colon]) => quoted === undefined || colon !== undefined)
    .map(([token, quoted]) => [token, quoted] as const);

const nameOf = (quoted: string): string => String(JSON.parse(quoted));

const isName = (name: string | undefined): name is string =>
  name !== undefined && name !== '' && name.length <= longestName && !name.includes('.');
