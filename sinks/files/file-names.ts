/** Derives unique file names from data types, valid on every system. */
import { createHash } from 'node:crypto';

export interface FileName {
  /** Without extension. */
  readonly name: string;
  /** Why the name contains a hash. */
  readonly because?: string;
}

/** Leaves room for a hash and `.ndjson.partial` within the 255 bytes that file systems allow. */
const longest = 200;

/** Reserved device names of Windows, whatever the extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * Creates an empty set of names. Each data type gets one name; the first with a plain name keeps it. All characters but
 * ASCII letters, digits, `.`, `-`, `_` become `_`, and so do leading dots; where that is ambiguous or reserved, the
 * name gets a hash of the data type. docs/04-sinks.md#file-names.
 */
export function createFileNames(): (dataType: string) => FileName {
  const taken = new Map<string, string>();
  return (dataType) => {
    const plain = plainName(dataType);
    const because = whyNot(plain, dataType, taken);
    const name = because === undefined ? plain : freeName(plain, dataType, taken);
    taken.set(name.toLowerCase(), dataType);
    return because === undefined ? { name } : { name, because };
  };
}

function plainName(dataType: string): string {
  return dataType.replace(/[^A-Za-z0-9._-]/gu, '_').replace(/^\.+/, (dots) => '_'.repeat(dots.length));
}

function whyNot(name: string, dataType: string, taken: ReadonlyMap<string, string>): string | undefined {
  if (name === '') return 'it has no name';
  if (name.length > longest) return `its name is longer than ${longest} characters`;
  if (reserved.test(name)) return 'Windows reserves its name';
  if (name.endsWith('.')) return 'Windows drops a dot at the end';
  const other = taken.get(name.toLowerCase());
  if (other !== undefined && other !== dataType) return `"${other}" has the same file name`;
  return undefined;
}

/** Inserts the hash after the first part of a reserved name: `con-1a2b3c4d.x` is allowed, `con.x-1a2b3c4d` is not. */
function freeName(plain: string, dataType: string, taken: ReadonlyMap<string, string>): string {
  const short = plain.slice(0, longest);
  for (let length = 8; ; length += 8) {
    const hash = createHash('sha256').update(dataType).digest('hex').slice(0, length);
    const name = reserved.test(short) ? short.replace(reserved, `$&-${hash}`) : `${short}-${hash}`;
    const other = taken.get(name.toLowerCase());
    if (other === undefined || other === dataType || length >= 64) return name;
  }
}
