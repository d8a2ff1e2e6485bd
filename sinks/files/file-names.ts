/** Derives unique file names from data types, valid on every system. */
import { createHash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';

export interface FileName {
  /** Without extension. */
  readonly name: string;
  /** Why the name is not that of the data type. */
  readonly because?: string;
}

/** The names of the files of one run. Each data type has one; the first with a plain name keeps it. */
export interface FileNames {
  of(dataType: string): FileName;
  /** The data type has this name, that of an earlier process of the run. */
  keep(dataType: string, name: string): void;
  /** Forgets all names. New ones have `_` for letters beyond ASCII, as those of earlier versions. */
  useAscii(): void;
  /** Replaces the letters beyond ASCII, which the file system has refused. False: the name has none. */
  refuseLetters(dataType: string): boolean;
}

/** In bytes: leaves room for a hash and `.ndjson.partial` within the 255 that file systems allow. */
const longestName = 200;

/** Reserved device names of Windows, whatever the extension. */
const reserved = /^(con|prn|aux|nul|(?:com|lpt)[\d¹²³])(?=\.|$)/i;

/**
 * Creates an empty set of names. Letters and digits of every script, `.`, `-` and `_` stay, in the composed form of
 * Unicode (NFC). All other characters become `_`, and so do leading dots; where that is ambiguous or reserved, the name
 * gets a hash of the data type. `longest`: of the names without a hash, in bytes. docs/07-sinks.md#file-names.
 */
export function createFileNames(longest = longestName): FileNames {
  const taken = new Map<string, string>();
  const names = new Map<string, FileName>();
  let plainName = withLetters;
  const take = (dataType: string, found: FileName): FileName => {
    names.set(dataType, found);
    taken.set(folded(found.name), dataType);
    return found;
  };
  const nameFor = (plain: string, dataType: string, given?: string): FileName => {
    const why = whyNot(plain, dataType, { taken, longest });
    const because = why ?? given;
    const name = why === undefined ? plain : freeName(plain, dataType, { taken, longest });
    return take(dataType, { name, ...(because === undefined ? {} : { because }) });
  };
  return {
    of: (dataType) => names.get(dataType) ?? nameFor(plainName(dataType), dataType),
    keep: (dataType, name) => void take(dataType, { name }),
    useAscii() {
      names.clear();
      taken.clear();
      plainName = inAscii;
    },
    refuseLetters(dataType) {
      const { name } = names.get(dataType) ?? { name: '' };
      if (/^[ -~]*$/.test(name)) return false;
      taken.delete(folded(name));
      nameFor(inAscii(dataType), dataType, 'the file system takes no letters beyond ASCII');
      return true;
    },
  };
}

/** Invisible characters and marks of emoji are no letters. */
const withLetters = (dataType: string): string =>
  withoutDots(dataType.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}._-]|\p{DI}/gu, '_'));

const inAscii = (dataType: string): string => withoutDots(dataType.replace(/[^A-Za-z0-9._-]/gu, '_'));

const withoutDots = (name: string): string => name.replace(/^\.+/, (dots) => '_'.repeat(dots.length));

/** A name for a file of an item, valid on every system; that of its text where that can be. Its extension stays. */
export function safeFileName(text: string): string {
  const plain = withLetters(text);
  if (whyNot(plain, text, alone) === undefined) return plain;
  const end = /.\.[^.]{1,15}$/su.exec(plain)?.[0].slice(1) ?? '';
  const start = plain.slice(0, plain.length - end.length);
  return `${freeName(start === '' ? 'file' : start, text, alone)}${end}`;
}

/** Equal for all names that some file system takes for one: they differ in case, or in how an accent is written. */
const folded = (name: string): string => name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFD');

interface Bounds {
  readonly taken: ReadonlyMap<string, string>;
  readonly longest: number;
}

const alone: Bounds = { taken: new Map(), longest: longestName };

function whyNot(name: string, dataType: string, { taken, longest }: Bounds): string | undefined {
  if (name === '') return 'it has no name';
  if (Buffer.byteLength(name) > longest) return `its name is longer than ${longest} bytes`;
  if (reserved.test(name)) return 'Windows reserves its name';
  if (name.endsWith('.')) return 'Windows drops a dot at the end';
  const other = taken.get(folded(name));
  if (other !== undefined && other !== dataType) return `"${other}" has the same file name`;
  return undefined;
}

/** Inserts the hash after the first part of a reserved name: `con-1a2b3c4d.x` is allowed, `con.x-1a2b3c4d` is not. */
function freeName(plain: string, dataType: string, { taken, longest }: Bounds): string {
  const short = new StringDecoder('utf8').write(Buffer.from(plain).subarray(0, longest));
  for (let length = 8; ; length += 8) {
    const hash = createHash('sha256').update(dataType).digest('hex').slice(0, length);
    const name = reserved.test(short) ? short.replace(reserved, `$&-${hash}`) : `${short}-${hash}`;
    const other = taken.get(folded(name));
    if (other === undefined || other === dataType || length >= 64) return name;
  }
}
