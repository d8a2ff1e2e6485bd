/** Looks into values of JSON or YAML whose shape is not known. */

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value below these names. Undefined: it is missing. */
export function memberOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (each, name) => (isRecord(each) && Object.hasOwn(each, name) ? each[name] : undefined),
    value,
  );
}

/** A member that is a text. Undefined: it is missing or something else. */
export function textOf(value: unknown, ...path: readonly string[]): string | undefined {
  const found = memberOf(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** A member that is a list. Empty: it is missing or something else. */
export function listOf(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = memberOf(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The members of a member that is an object. Empty: it is missing or something else. */
export function entriesOf(value: unknown, ...path: readonly string[]): readonly (readonly [string, unknown])[] {
  const found = memberOf(value, ...path);
  return isRecord(found) ? Object.entries(found) : [];
}

/** The value of a JSON text. Undefined: it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
