/** What tests of the cache share: a server that numbers its answers, a folder, and runs against both. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { memory } from '../../../sinks/index.js';
import type { Notice } from '../../../src/core/model/notice.js';
import type { Receipt } from '../../../src/core/model/page.js';
import { run } from '../../../src/run/extract.js';
import { type Answer, type Api, json, startApi } from '../../loopback/api.js';
import { inFolder } from '../../sinks/lib.js';
import { unchecked } from '../../unchecked.js';

export interface Setting {
  readonly api: Api;
  /** Of the cache; not there before it is needed. */
  readonly folder: string;
  /** Runs a configuration, by default one job `a` with the cache on. */
  play(more?: object, options?: object): Promise<Played>;
  /** Names in the folder. */
  names(): readonly string[];
}

export interface Played {
  readonly items: readonly unknown[];
  /** `METHOD target` of what this run asked the server for. */
  readonly asked: readonly string[];
  readonly receipts: readonly Receipt[];
  readonly notices: readonly Notice[];
  /** The codes of warnings. */
  readonly codes: readonly string[];
  readonly jobs: Awaited<ReturnType<typeof run>>['jobs'];
}

/** Answers every request with a list of its number, from 1 up. */
export const numbered: Answer = (_, index) => json([index + 1]);

/** Lays the second over the first, objects into objects. */
const merged = (under: object, over: object): object => {
  const entries = Object.entries(over).map(([key, value]) => {
    const below: unknown = Reflect.get(under, key);
    const isDeep = [below, value].every((each) => typeof each === 'object' && each !== null && !Array.isArray(each));
    return [key, isDeep ? merged(Object(below), value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(entries) };
};

/** Makes a test on a server and a folder of its own. */
export function inSetting(answer: Answer, work: (setting: Setting) => Promise<void>): () => Promise<void> {
  return inFolder(async (dir) => {
    const api = await startApi(answer);
    const folder = join(dir, 'cache');
    const base = {
      api: { baseUrl: `${api.origin}/`, retryConfig: { maxRetries: 0 } },
      config: { jobs: [{ endpoint: 'a' }] },
      cache: true,
    };
    try {
      await work({
        api,
        folder,
        names: () => readdirSync(folder).sort(),
        async play(more = {}, options = {}) {
          const before = api.requests.length;
          const to = memory();
          const receipts: Receipt[] = [];
          const notices: Notice[] = [];
          const { jobs } = await run(unchecked(merged(base, more)), {
            to,
            cacheFolder: folder,
            notify: (notice: Notice) => void notices.push(notice),
            onReceipt: (receipt: Receipt) => void receipts.push(receipt),
            ...options,
          });
          const asked = api.requests.slice(before).map(({ method, target }) => `${method} ${target}`);
          const codes = notices.filter(({ level }) => level === 'warning').map(({ code }) => code);
          return { items: to.items(), asked, receipts, notices, codes, jobs };
        },
      });
    } finally {
      await api.close();
    }
  });
}
