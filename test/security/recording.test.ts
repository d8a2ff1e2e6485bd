/** Planted secrets in recordings: found 0 times, in every place and encoding; and a replay ends as the run did. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nullSink } from '../../sinks/index.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Exchanges } from '../../src/http/exchanges.js';
import { recordExchanges } from '../../src/recording/record.js';
import { replayExchanges } from '../../src/recording/replay.js';
import { runToCompletion } from '../../src/run/consume/run-to-completion.js';
import { extract } from '../../src/run/extract.js';
import { type Reply, startApi } from '../loopback/api.js';
import { unchecked } from '../unchecked.js';
import { finds } from './finding.js';
import { type Place, type PlacedDocument, places } from './places.js';
import { encodings, type Way, ways } from './ways.js';

const planted = { text: `pläntéd "s3cr&t"/+ <x>\\y`, token: 'Tok3n/+planted&=~9$x' };

interface Ended {
  readonly failure: unknown;
  readonly items: readonly number[];
}

async function ending(document: PlacedDocument, env: Record<string, string>, exchanges: Exchanges): Promise<Ended> {
  try {
    const extraction = extract(unchecked(document), { env, to: nullSink(), exchanges });
    const failure = await runToCompletion(() => extraction, { signals: [] }).then(
      () => undefined,
      (thrown: unknown) => (thrown instanceof ExtractError ? thrown.code : thrown),
    );
    return { failure, items: extraction.summary().jobs.map(({ items, requests }) => items + requests) };
  } finally {
    await exchanges.close();
  }
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rxtract-'));
  await work(folder).finally(() => rm(folder, { recursive: true }));
}

/** Without retries, and with what the way needs. */
function documentOf(place: Place, way: Way, origin: string): PlacedDocument {
  const { api, ...rest } = place.document(planted[place.holds], `${origin}/`);
  const document = { ...rest, api: { retryConfig: { maxRetries: 0 }, ...api } };
  return way.change?.(document) ?? document;
}

/** Every encoding in an item of its own, twice as long as a part of a recording, so that parts cut secrets. */
const everyEncoding: Way = {
  name: 'items with the secret in every encoding',
  answer: ({ secret }) => {
    const filler = (index: number) => 'lorem ipsum '.repeat(index * 7);
    const items = Object.values(encodings).map((encode, index) => ({ text: filler(index) + encode(secret) }));
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify([...items, ...items]) };
  },
};

for (const [number, place] of places.entries()) {
  test(`a recording has it 0 times: ${place.name}`, () =>
    inFolder(async (folder) => {
      const secret = planted[place.holds];
      const path = join(folder, 'recording.jsonl');
      const env = { ...place.env?.(secret) };
      const chosen = [...ways.filter((_, index) => (index + number) % 5 === 0), everyEncoding];
      for (const way of chosen) {
        let index = 0;
        const api = await startApi((request): Reply => {
          const isLogin = request.target.startsWith('/login');
          if (isLogin && way.failsLogins === undefined) return { body: place.login?.(secret) ?? '{}' };
          const answer = way.answer({ secret, request, index, origin: api.origin });
          if (!isLogin) index += 1;
          return answer;
        });
        const document = documentOf(place, way, api.origin);
        const ran = await ending(document, env, await recordExchanges(path)).finally(() => api.close());
        const text = await readFile(path, 'utf8');
        const derived = api.requests.flatMap((request) => place.derived?.(request) ?? []);
        const leaks = [secret, ...derived].filter((each) => each !== '' && finds(text, each));
        assert.equal(leaks, [], `${way.name}: ${text.slice(0, 4000)}`);
        assert.equal(await ending(document, env, await replayExchanges(path)), ran, way.name);
      }
    }));
}

test.run();
