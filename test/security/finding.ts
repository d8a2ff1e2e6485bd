/**
 * Looks for a planted secret with means of its own: whatever undoes an encoding is tried, so that it knows nothing of
 * how masking works.
 */

/** So many of its characters in a row are a find: a secret that was cut or masked in part has leaked too. */
const telling = 8;

/** Whether the text contains the secret, or a large part of it, in up to two encodings. */
export function finds(text: string, secret: string): boolean {
  const parts = partsOf(secret);
  // The frames of a stack, also of one within JSON, are places in code.
  const once = unfold([text.replace(/(?:\\n|\n) +at (?:(?!\\n)[^\n"])*/g, '')]);
  return [...once, ...unfold(once)].some((view) => parts.some((part) => view.includes(part)));
}

function partsOf(secret: string): readonly string[] {
  if (secret.length <= telling) return [secret];
  return Array.from({ length: secret.length - telling + 1 }, (_, at) => secret.slice(at, at + telling));
}

/** The texts, and the results of decoding each of them in every way. */
function unfold(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => [text, ...undoings.flatMap((undo) => undo(text))]))];
}

const undoings: readonly ((text: string) => readonly string[])[] = [
  (text) => [percentDecoded(text)],
  (text) => [percentDecoded(text.replaceAll('+', ' '))],
  (text) => [text.replace(/\\u([\da-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))],
  (text) => [text.replace(/\\(["\\/])/g, '$1')],
  (text) => [text.replace(/&(#\w+|\w+);/g, (_, name) => entity(name))],
  (text) => [text.replace(/\s+/g, ' ')],
  (text) => [Buffer.from(text, 'latin1').toString('utf8')],
  base64Decoded,
];

const percentDecoded = (text: string): string =>
  text.replace(/(?:%[\da-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));

const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function entity(name: string): string {
  if (!name.startsWith('#')) return names[name] ?? '';
  return String.fromCodePoint(Number(name.startsWith('#x') ? `0x${name.slice(2)}` : name.slice(1)));
}

/** Each run of base64, from each of the four places where its first group may begin. */
function base64Decoded(text: string): readonly string[] {
  const runs = text.match(/[A-Za-z\d+/_-]{8,}/g) ?? [];
  return [0, 1, 2, 3].map((from) =>
    runs.map((run) => Buffer.from(run.slice(from), 'base64').toString('utf8')).join('\n'),
  );
}
