/** Planted secrets: every place where one can be, and every way in which it could leak. Found 0 times. */
import { inspect } from 'node:util';
import { asyncScheduler } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nullSink } from '../../sinks/index.js';
import { authentications } from '../../src/auth/registry.js';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.js';
import { rxtract } from '../../src/cli/main-command.js';
import { runWith } from '../../src/cli/run.js';
import { validate } from '../../src/cli/validate.js';
import type { Notice } from '../../src/core/model/notice.js';
import { runToCompletion } from '../../src/run/consume/run-to-completion.js';
import { extract } from '../../src/run/extract.js';
import { fakeShell } from '../cli/fake-shell.js';
import { type Api, type Reply, startApi } from '../loopback/api.js';
import { unchecked } from '../unchecked.js';
import { finds } from './finding.js';
import { type Place, type PlacedDocument, places } from './places.js';
import { encodings, type Way, ways } from './ways.js';

const planted = { text: `pläntéd "s3cr&t"/+ <x>\\y`, token: 'Tok3n/+planted&=~9$x' };
const commands = [runWith(async () => ({ extract, openCheckpoint, now: () => asyncScheduler.now() })), validate];

type Env = Readonly<Record<string, string>>;

interface Planting {
  readonly place: Place;
  readonly secret: string;
  readonly document: PlacedDocument;
  readonly env: Env;
}

/** A server that answers as the way at hand does. */
interface Server extends Api {
  go(way: Way): void;
}

async function startServer(place: Place, secret: string): Promise<Server> {
  let way: Way | undefined;
  let index = 0;
  const api = await startApi((request): Reply => {
    if (way === undefined) return { status: 500 };
    const isLogin = request.target.startsWith('/login');
    if (isLogin && way.failsLogins === undefined) return { body: place.login?.(secret) ?? '{}' };
    const answer = way.answer({ secret, request, index, origin: api.origin });
    if (!isLogin) index += 1;
    return answer;
  });
  return {
    ...api,
    go(next) {
      way = next;
      index = 0;
    },
  };
}

/** All output of a run by the command line, with stack traces. */
async function said(words: readonly string[], { document, env }: Planting): Promise<string> {
  const shell = fakeShell({ stdin: JSON.stringify(document), env: { ...env, RXTRACT_DEBUG: '1' } });
  await rxtract(words, shell, commands);
  return `${shell.out()}${shell.err()}`;
}

interface LetOut {
  readonly text: string;
  readonly mask: (text: string) => string;
}

/** All output of a run in code: its error, inspected in every way, its notices, its summary and its state. */
async function thrown({ document, env }: Planting): Promise<LetOut> {
  const notices: Notice[] = [];
  const extraction = extract(unchecked(document), {
    env,
    notify: (notice) => void notices.push(notice),
    to: nullSink(),
  });
  const failure: unknown = await runToCompletion(() => extraction, { signals: [] }).catch((error: unknown) => error);
  const views = [failure, notices, extraction.summary(), extraction.state].flatMap((each) => [
    inspect(each, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
    JSON.stringify(each) ?? '',
  ]);
  const stacks = failure instanceof Error ? [failure.stack, String(failure.cause)] : [];
  return { text: [...views, ...stacks].join('\n'), mask: extraction.mask };
}

/** Values computed from the secret and sent; all of them are secret. */
const derivedFrom = (place: Place, requests: Api['requests']): readonly string[] =>
  requests.flatMap((request) => place.derived?.(request) ?? []).filter((value) => value !== '');

/** Where the secret shows: in code, in the text that the run masks, on the command line. */
async function leaksOf(
  planting: Planting,
  way: Way,
  server: Server,
  output: 'shown' | 'silent' = 'shown',
): Promise<readonly string[]> {
  const { place, secret } = planting;
  const changed = { ...planting, document: way.change?.(planting.document) ?? planting.document };
  const leaks: string[] = [];
  const go = async (work: (hidden: () => readonly string[]) => Promise<readonly string[]>) => {
    const before = server.requests.length;
    const hidden = () => [...new Set([secret, ...derivedFrom(place, server.requests.slice(before))])];
    server.go(way);
    for (const text of await work(hidden)) {
      leaks.push(...hidden().flatMap((one) => (finds(text, one) ? [`${way.name}: ${one} in ${text}`] : [])));
    }
  };
  await go(async (hidden) => {
    const { text, mask } = await thrown(changed);
    const known = way.isWhole === true ? hidden() : []; // by then all is known that there is to know
    return [
      text,
      ...known.map((each) =>
        mask(
          Object.values(encodings)
            .map((encode) => encode(each))
            .join(' | '),
        ),
      ),
    ];
  });
  const log = way.name.length % 2 === 0 ? 'json' : 'text';
  if (way.isShown !== true && output === 'shown')
    await go(async () => [await said(['run', '-', '--to', 'null:', '--log', log], changed)]);
  return leaks;
}

const plant = (place: Place, { origin }: Api): Planting => {
  const secret = planted[place.holds];
  const { api, ...rest } = place.document(secret, `${origin}/`);
  const document = { ...rest, api: { retryConfig: { maxRetries: 0 }, ...api } };
  return { place, secret, document, env: place.env?.(secret) ?? {} };
};

test('every type of authentication is among the places', () => {
  const placed = places.map((place) => JSON.stringify(place.document('x', 'http://h/').api.authentication ?? null));
  const types = Object.keys(authentications);
  assert.equal(
    types.filter((type) => !placed.some((text) => text.includes(`"type":"${type}"`))),
    [],
  );
});

/** Ways that name nothing of the request or the answer in any case. */
const silent = [
  'a link that is no address',
  'a list that is not there',
  'pages that go round',
  'a run that ends with a warning',
];

test('a text that is no secret is found by every way that quotes it', async () => {
  const place: Place = {
    name: 'a parameter that no one called a secret',
    holds: 'token',
    document: (token, baseUrl) => ({
      api: { baseUrl },
      config: { jobs: [{ endpoint: 'users', params: { key: token } }] },
    }),
  };
  const server = await startServer(place, planted.token);
  try {
    const found: string[] = [];
    for (const way of ways) {
      if ((await leaksOf(plant(place, server), way, server)).length === 0) found.push(way.name);
    }
    assert.equal(found, silent);
  } finally {
    await server.close();
  }
});

for (const place of places) {
  test(`found 0 times: ${place.name}`, async () => {
    const server = await startServer(place, planted[place.holds]);
    const leaks: string[] = [];
    try {
      const planting = plant(place, server);
      for (const [index, way] of ways.entries()) {
        // Every way by the command line too, from every fourth place.
        const output = (index + places.indexOf(place)) % 4 === 0 ? 'shown' : 'silent';
        leaks.push(...(await leaksOf(planting, way, server, output)));
      }
      assert.ok(server.requests.length >= ways.length, 'every way was gone');
    } finally {
      await server.close();
    }
    assert.equal(
      leaks.map((leak) => leak.slice(0, 900)),
      [],
    );
  });
}

test.run();
