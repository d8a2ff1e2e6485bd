/** A DNS of a test's own: names that lead to addresses of its choice, while it runs. */
import dns, { type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';

/** The addresses of a name at each of its look-ups; the last ones stay. */
export type Names = Readonly<Record<string, readonly (readonly string[])[]>>;

/** Resolves these names only; `asked` are the names that were resolved, in order. */
export async function withNames<T>(names: Names, work: (asked: readonly string[]) => Promise<T>): Promise<T> {
  const { lookup } = dns;
  const asked: string[] = [];
  const resolve = (host: string): readonly LookupAddress[] => {
    const answers = names[host] ?? [];
    const before = asked.filter((each) => each === host).length;
    asked.push(host);
    const addresses = answers[Math.min(before, answers.length - 1)] ?? [];
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  const answer = (host: string, options: { readonly all?: boolean }, callback: (...found: unknown[]) => void) => {
    const found = resolve(host);
    const [first] = found;
    const error = first === undefined ? Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' }) : null;
    process.nextTick(callback, error, ...(options.all === true ? [found] : [first?.address, first?.family]));
  };
  Object.assign(dns, { lookup: answer });
  try {
    return await work(asked);
  } finally {
    Object.assign(dns, { lookup });
  }
}
