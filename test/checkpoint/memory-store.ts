/**
 * A store in memory that remembers everything: what it held at each moment of a run can be given to another run, as if
 * the first had been killed then.
 */
import type { OpenStore, Part, Store } from '../../src/checkpoint/store/store.js';

/** What lay in the store. */
export interface Held {
  readonly records: readonly string[];
  /** Name -> content. */
  readonly parts: ReadonlyMap<string, Uint8Array>;
}

export interface MemoryStore extends Store {
  readonly held: Held;
  /**
   * The store as it was behind each record that was written, the first moment first. Parts are never forgotten in it.
   */
  readonly moments: readonly Held[];
  readonly isOpen: boolean;
}

/** Begins with what another one held. */
export function memoryStore(before: Held = { records: [], parts: new Map() }): MemoryStore {
  let records = [...before.records];
  const parts = new Map<string, Uint8Array>(before.parts);
  const ever = new Map<string, Uint8Array>(before.parts);
  const moments: Held[] = [];
  let isOpen = false;
  let names = parts.size;

  const remember = () => void moments.push({ records: [...records], parts: new Map(ever) });
  const append = async (texts: readonly string[]) => {
    for (const text of texts) {
      records.push(text);
      remember();
    }
  };
  const partOf = (name: string): Part => ({
    name,
    async write(bytes) {
      const position = parts.get(name)?.length ?? 0;
      const content = Buffer.concat([parts.get(name) ?? Buffer.alloc(0), bytes]);
      parts.set(name, content);
      ever.set(name, content);
      return { position, length: bytes.length };
    },
    async read({ position, length }) {
      const content = parts.get(name) ?? Buffer.alloc(0);
      if (content.length < position + length) throw new Error('cut short');
      return content.subarray(position, position + length);
    },
    async close() {},
  });
  const open: OpenStore = {
    name: 'memory',
    get records() {
      return [...records];
    },
    async replace(texts) {
      records = [...texts];
      remember();
    },
    append,
    sync: append,
    async createPart() {
      names += 1;
      parts.set(`part-${names}`, Buffer.alloc(0));
      return partOf(`part-${names}`);
    },
    async openPart(name) {
      if (!parts.has(name)) throw new Error(`there is no ${name}`);
      return partOf(name);
    },
    partNames: async () => [...parts.keys()],
    removePart: async (name) => void parts.delete(name),
    async close() {
      isOpen = false;
    },
  };

  return {
    async open() {
      isOpen = true;
      return open;
    },
    get held() {
      return { records: [...records], parts: new Map(parts) };
    },
    moments,
    get isOpen() {
      return isOpen;
    },
  };
}

/** A store that takes so many records, and fails then: as if the process had been killed behind a commit. */
export function failingAfter(records: number, store = memoryStore()): MemoryStore {
  let left = records;
  return {
    ...store,
    async open() {
      const opened = await store.open();
      return {
        ...opened,
        async append(texts) {
          left -= 1;
          if (left < 0) throw new Error('killed');
          await opened.append(texts);
        },
      };
    },
    get held() {
      return store.held;
    },
  };
}
