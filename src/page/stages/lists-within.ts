/** Finds nested lists in a response without one at its top level, for the warning that names them. */

/** The number of nested objects to search, without the response itself. */
const deepest = 2;
/** The number of lists to name. */
const most = 3;
const longestName = 80;

/**
 * Returns the paths of lists below the top level of a JSON text, in order. The text is valid, or a prefix of valid
 * JSON. Skips names that a path with dots cannot express.
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
 * Matches brackets, and member names, which a colon follows. Skips other strings, including one that the end truncates.
 */
const tokensOf = (text: string) =>
  [...text.matchAll(/[{}[\]]|("[^"\\]*(?:\\.[^"\\]*)*(?:"|$))(\s*:)?/gs)]
    .filter(([, quoted, colon]) => quoted === undefined || colon !== undefined)
    .map(([token, quoted]) => [token, quoted] as const);

const nameOf = (quoted: string): string => String(JSON.parse(quoted));

const isName = (name: string | undefined): name is string =>
  name !== undefined && name !== '' && name.length <= longestName && !name.includes('.');
