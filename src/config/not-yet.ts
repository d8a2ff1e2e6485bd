/** The parts of the language that are known and not built yet: refused by name, never ignored. Decision 28. Whoever builds one removes its name. */

export const notYet = {
  /** requests.md 1.3, 1.8 */
  parameters: ['cache'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
