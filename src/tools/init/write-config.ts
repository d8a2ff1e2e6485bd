/** Writes a configuration as text for people: short objects on one line, comments above the members they are about. */
import { type Exact, isArray, isObject, stringifyExact } from '../../core/json/exact.js';

/** Comment lines by the path of a member, such as `api.pagination`; those of `` begin the file. */
export type Comments = Readonly<Record<string, readonly string[]>>;

const widest = 100;

/** The text, with a line break at its end. */
export function configText(config: Exact, comments: Comments): string {
  const head = commentLines(comments[''] ?? [], '');
  return `${[...head, ...written(config, '', '', comments)].join('\n')}\n`;
}

const commentLines = (lines: readonly string[], indent: string): readonly string[] =>
  lines.map((line) => `${indent}// ${line.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`);

/** The lines of a value; the first has no indent, since a name may come before it. */
function written(value: Exact, path: string, indent: string, comments: Comments): readonly string[] {
  const short = onOneLine(value);
  const isCommented = Object.keys(comments).some((each) => each !== path && isBelow(each, path));
  if (!isCommented && indent.length + short.length <= widest) return [short];
  if (isArray(value))
    return block(
      ['[', ']'],
      indent,
      value.map((each, index) => ({ each, name: '', path: `${path}[${index}]` })),
      comments,
    );
  if (!isObject(value)) return [short];
  const members = [...value].map(([name, each]) => ({
    each,
    name: `${JSON.stringify(name)}: `,
    path: path === '' ? name : `${path}.${name}`,
  }));
  return block(['{', '}'], indent, members, comments);
}

const isBelow = (each: string, path: string): boolean =>
  path === '' || each.startsWith(`${path}.`) || each.startsWith(`${path}[`);

interface Member {
  readonly each: Exact;
  readonly name: string;
  readonly path: string;
}

function block(
  [open, close]: readonly [string, string],
  indent: string,
  members: readonly Member[],
  comments: Comments,
): readonly string[] {
  const within = `${indent}  `;
  const lines = members.flatMap(({ each, name, path }, index) => {
    const [first = '', ...rest] = written(each, path, within, comments);
    const all = [`${within}${name}${first}`, ...rest];
    const comma = index < members.length - 1 ? ',' : '';
    return [...commentLines(comments[path] ?? [], within), ...all.slice(0, -1), `${all.at(-1)}${comma}`];
  });
  return [open, ...lines, `${indent}${close}`];
}

/** Compact, but with blanks as people write them. */
function onOneLine(value: Exact): string {
  if (isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (!isObject(value)) return stringifyExact(value);
  if (value.size === 0) return '{}';
  return `{ ${[...value].map(([name, each]) => `${JSON.stringify(name)}: ${onOneLine(each)}`).join(', ')} }`;
}
