/** The text of a configuration without its secrets: each is a mark, and a text that comes back has them again. */
import { isCredentialName } from '../../core/secrets/credential-names.js';
import { type JsonNode, type JsonTree, readJsonc, textOfString } from './jsonc-tree.js';

export interface HiddenSecrets {
  /** Returns the text with marks such as `***1***` in place of secrets. `mask`: hides those that are known. */
  hide(text: string, mask: (text: string) => string): string;
  /** Returns the text with secrets in place of their marks. */
  restore(text: string): string;
}

/** A secret has the same mark as long as the command runs. */
export function createHiddenSecrets(): HiddenSecrets {
  const marks = new Map<string, string>();
  /** Literals as they were written, by what is shown of them. */
  const written = new Map<string, string>();
  const markOf = (secret: string): string => {
    const mark = marks.get(secret) ?? `***${marks.size + 1}***`;
    marks.set(secret, mark);
    return mark;
  };
  return {
    hide(text, mask) {
      const parts: string[] = [];
      let end = 0;
      for (const { from, to, isSecret } of textsIn(readJsonc(text))) {
        const literal = text.slice(from, to);
        const isComment = literal.startsWith('/');
        const value = isComment ? literal : textOfString(literal);
        const secrets = isSecret ? [value] : secretsIn(value, mask(value));
        if (secrets.length === 0) continue;
        const shown = secrets.reduce((left, each) => left.replaceAll(each, () => markOf(each)), value);
        const shownLiteral = isComment ? shown : JSON.stringify(shown);
        written.set(shownLiteral, literal);
        parts.push(text.slice(end, from), shownLiteral);
        end = to;
      }
      return parts.join('') + text.slice(end);
    },
    restore(text) {
      const whole = [...written].reduce((left, [shown, literal]) => left.replaceAll(shown, () => literal), text);
      return [...marks].reduce(
        (left, [secret, mark]) => left.replaceAll(mark, () => JSON.stringify(secret).slice(1, -1)),
        whole,
      );
    },
  };
}

interface FoundText {
  readonly from: number;
  readonly to: number;
  /** Whatever it looks like. */
  readonly isSecret: boolean;
}

/** Strings and comments, in order. */
const textsIn = ({ root, comments, text }: JsonTree): readonly FoundText[] =>
  [
    ...(root === undefined ? [] : stringsIn(root, text, false)),
    ...comments.map(({ from, to }) => ({ from, to, isSecret: false })),
  ].sort((a, b) => a.from - b.from);

function stringsIn(node: JsonNode, text: string, isSecret: boolean): readonly FoundText[] {
  const { kind, from, to, members, items } = node;
  const isText = kind === 'string' || (isSecret && kind === 'number');
  const own = isText ? [{ from, to, isSecret: isSecret && !isEmpty(text.slice(from, to)) }] : [];
  const inner = members.flatMap(({ name, key, value }) => [
    { from: key.from, to: key.to, isSecret: false },
    ...(value === undefined ? [] : stringsIn(value, text, isOfSecret(name, value, isSecret))),
  ]);
  return [...own, ...inner, ...items.flatMap((each) => stringsIn(each, text, isSecret))];
}

const isEmpty = (literal: string): boolean => literal === '""';

/** `{"env": "NAME"}` and other sources name a secret, and expressions compute one. */
function isOfSecret(name: string, value: JsonNode, isWithin: boolean): boolean {
  if (value.kind === 'object') {
    const isNamed = value.members.some(({ name: each }) => sources.has(each));
    return !isNamed && (isWithin || name.startsWith('#'));
  }
  return isWithin || name.startsWith('#') || (isCredentialName(name) && !ours.has(name) && value.kind === 'string');
}

const sources: ReadonlySet<string> = new Set(['env', 'file', 'command', 'function', 'attr', 'response', 'query']);

/** Keys of a configuration that only sound like credentials. */
const ours: ReadonlySet<string> = new Set([
  'accessKeyId',
  'authorizationEndpoint',
  'credentialOrigins',
  'idempotencyKey',
  'idKey',
  'parentKey',
  'signature',
  'tokenEndpoint',
  'tokenStore',
  'totalKey',
  'urlKey',
]);

/** What a mask has replaced by `***`; the whole value, if that is not certain. */
function secretsIn(value: string, masked: string): readonly string[] {
  if (value === masked) return [];
  const parts = masked.split('***').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const found = new RegExp(`^${parts.join('([^]+?)')}$`).exec(value)?.slice(1) ?? [value];
  return [...new Set(found)].sort((a, b) => b.length - a.length);
}
