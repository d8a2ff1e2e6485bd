/** Which rooms may import which, checked by reading the import statements. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { importsOf, type Source, sources, targetOf } from './sources.js';

const shipped = ['src', 'operators', 'sinks'].flatMap((directory) => sources(directory, /\.ts$/)).filter(isWritten);

/** AssemblyScript and what is generated from it are no part of the module graph that the rules are about. */
function isWritten({ path }: Source): boolean {
  return !path.includes('/assembly/') && !/^src\/generated\/.*-wasm\.ts$/.test(path);
}

/** The imports that the rule does not allow, as `file -> module`. */
function offences(within: RegExp, allowed: (target: string, source: Source) => boolean): readonly string[] {
  return shipped
    .filter(({ path }) => within.test(path))
    .flatMap((source) =>
      importsOf(source)
        .map((specifier) => targetOf(source, specifier))
        .filter((target) => !allowed(target, source))
        .map((target) => `${source.path} -> ${target}`),
    );
}

const paths = (found: readonly Source[]): readonly string[] => found.map(({ path }) => path);
const isRxjs = (target: string) => /^rxjs(\/|$)/.test(target);
const isUndici = (target: string) => /^undici(\/|$)/.test(target);
const isBuiltIn = (target: string) => target.startsWith('node:');
const opensConnections = (target: string) => isUndici(target) || /^node:(https?|http2|net|tls|dgram)$/.test(target);
/** These sinks have connections of their own: those of the engine carry the credentials of the API. */
const isSinkClient = (path: string) => path === 'sinks/servers/http-agent.ts' || path === 'sinks/http/http-client.ts';
const isSend = (path: string) =>
  path === 'src/http/transport/transport.ts' || path.startsWith('src/http/transport/') || isSinkClient(path);

test('imports are found in every form', () => {
  const content = `import a from 'a';\nimport 'b';\nexport * from "c";\nimport type { D } from 'd';\nawait import('e');
import {
  f,
} from '../f.js';`;
  const source = { path: 'src/x/y.ts', content };
  assert.equal(importsOf(source), ['a', 'b', 'c', 'd', 'e', '../f.js']);
  assert.is(targetOf(source, '../f.js'), 'src/f.js');
});

test('there are sources to look at', () => {
  for (const directory of ['src/', 'operators/', 'sinks/', 'src/pagination/', 'src/auth/']) {
    assert.ok(
      shipped.some(({ path }) => path.startsWith(directory)),
      directory,
    );
  }
});

test('operators import rxjs and one another alone', () => {
  assert.equal(
    offences(/^operators\//, (target) => isRxjs(target) || target.startsWith('operators/')),
    [],
  );
});

/** The rooms, from the lowest to the highest: those of one line do not import one another. */
const layers = [
  ['core'],
  ['operators'],
  ['language'],
  ['incremental'],
  ['auth', 'pagination', 'sinks'],
  ['config'],
  ['job'],
  ['page'],
  ['http'],
  ['recording'],
  ['checkpoint'],
  ['run'],
  ['index.ts'],
  ['tools'],
  ['cli'],
] as const;

/** `src/page/x.ts` is in `page`, `sinks/x.ts` in `sinks`; generated code is below all rooms. */
const roomOf = (path: string): string => (path.startsWith('src/') ? path.split('/')[1] : path.split('/')[0]) ?? '';
const levelOf = (path: string): number => {
  const room = roomOf(path).replace(/\.js$/, '.ts');
  return room === 'generated' ? -1 : layers.findIndex((rooms) => rooms.some((each) => each === room));
};

test('every import points down', () => {
  const isOwn = (target: string) => /^(src|operators|sinks)\//.test(target);
  assert.equal(paths(shipped.filter(({ path }) => levelOf(path) < 0 && roomOf(path) !== 'generated')), []);
  assert.equal(
    offences(/^/, (target, { path }) => {
      if (!isOwn(target) || roomOf(target) === roomOf(path)) return true;
      return levelOf(target) < levelOf(path);
    }),
    [],
  );
});

test('there are at most fourteen rooms below src/, and no loose file but index.ts', () => {
  const rooms = new Set(shipped.filter(({ path }) => path.startsWith('src/')).map(({ path }) => roomOf(path)));
  assert.ok(rooms.size <= 15, [...rooms].join(' '));
  assert.equal(
    [...rooms].filter((room) => room.endsWith('.ts')),
    ['index.ts'],
  );
});

test('no file imports itself by way of others, type imports included', () => {
  const targets = new Map(
    shipped.map((source) => [
      source.path,
      importsOf(source)
        .map((specifier) => targetOf(source, specifier).replace(/\.js$/, '.ts'))
        .filter((target) => shipped.some(({ path }) => path === target)),
    ]),
  );
  const open = new Set<string>();
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): readonly string[] => {
    if (open.has(path)) return [[...way.slice(way.indexOf(path)), path].join(' -> ')];
    if (done.has(path)) return [];
    open.add(path);
    const found = (targets.get(path) ?? []).flatMap((target) => visit(target, [...way, path]));
    open.delete(path);
    done.add(path);
    return found;
  };
  assert.equal(
    [...targets.keys()].flatMap((path) => visit(path, [])),
    [],
  );
});

test('each exported type name is declared once', () => {
  const declared = new Map<string, string[]>();
  // The generated types of configurations are a vocabulary of their own.
  for (const { path, content } of shipped.filter((each) => each.path !== 'src/config/configuration.ts')) {
    for (const [, name = ''] of content.matchAll(/^export (?:interface|type|class) (\w+)/gm)) {
      declared.set(name, [...(declared.get(name) ?? []), path]);
    }
  }
  assert.equal(
    [...declared].filter(([, files]) => files.length > 1).map(([name, files]) => `${name}: ${files.join(', ')}`),
    [],
  );
});

test('sinks import core, node built-ins and one another alone; contract.ts, from-function.ts and clock.ts rxjs too, and Parquet hysnappy', () => {
  const usesRxjs = new Set(['sinks/contract.ts', 'sinks/from-function.ts', 'sinks/servers/clock.ts']);
  assert.equal(
    offences(
      /^sinks\//,
      (target, { path }) =>
        /^(src\/core|sinks)\//.test(target) ||
        isBuiltIn(target) ||
        (usesRxjs.has(path) && isRxjs(target)) ||
        (path === 'sinks/parquet/compression.ts' && target === 'hysnappy') ||
        (path === 'sinks/shape/checker.ts' && target === 'src/generated/shape-wasm.js') ||
        (isSinkClient(path) && isUndici(target)),
    ),
    [],
  );
});

test('pagination methods are pure: neither rxjs nor undici', () => {
  assert.equal(
    offences(/^src\/pagination\//, (target) => !isRxjs(target) && !opensConnections(target)),
    [],
  );
});

test('authentication types are handed `send`: never undici', () => {
  assert.equal(
    offences(/^src\/auth\//, (target) => !opensConnections(target)),
    [],
  );
});

/** APIs of `rxtract bench` and `rehearse`, the end of a login, and the page: they accept connections, and open none. */
const listening = [
  'src/tools/bench/server-process.ts',
  'src/tools/local-server.ts',
  'src/tools/rehearse/faulty-server.ts',
  'src/tools/ui/page-server.ts',
];
/** It compares addresses only. */
const compares = 'src/core/url/private-addresses.ts';
/** The page, in a browser, asks the server of `rxtract ui`. */
const inBrowser = 'src/tools/ui/page/page-api.ts';

test('only src/http/transport/transport.ts and files below src/http/transport/ open connections', () => {
  assert.equal(
    offences(
      /^/,
      (target, { path }) => isSend(path) || [...listening, compares].includes(path) || !opensConnections(target),
    ),
    [],
  );
  const contentOf = (file: string) => shipped.find(({ path }) => path === file)?.content ?? '';
  for (const file of listening) {
    assert.match(contentOf(file), /^import \{ createServer, type ServerResponse \} from 'node:http';$/m);
  }
  assert.match(contentOf(compares), /^import \{ BlockList, isIP \} from 'node:net';$/m);
  const fetching = shipped.filter(
    ({ path, content }) => !isSend(path) && path !== inBrowser && /(?<![\w.$])fetch\(/.test(content),
  );
  assert.equal(paths(fetching), []);
});

test('nothing that is shipped imports test, bench or examples', () => {
  assert.equal(
    offences(/^/, (target) => !/^(test|bench|examples|docs)\//.test(target)),
    [],
  );
});

test('nothing but the command line imports the command line', () => {
  assert.equal(
    offences(/^(?!src\/(?:cli|tools)\/)/, (target) => !/^src\/(?:cli|tools)\//.test(target)),
    [],
  );
});

test('packages are imported only when package.json depends on them, by the command also those of its bundle', () => {
  const [manifest] = sources('.', /^package\.json$/);
  const { dependencies, devDependencies } = JSON.parse(manifest?.content ?? '{}');
  const isKnown = (target: string, { path }: Source) => {
    const names = Object.keys(
      /^src\/(?:cli|tools)\//.test(path) ? { ...dependencies, ...devDependencies } : dependencies,
    );
    return names.some((name) => target === name || target.startsWith(`${name}/`));
  };
  assert.equal(
    offences(
      /^/,
      (target, source) => isBuiltIn(target) || /^(src|operators|sinks)\//.test(target) || isKnown(target, source),
    ),
    [],
  );
});

test('relative imports end in .js', () => {
  const wrong = shipped.flatMap((source) =>
    importsOf(source)
      .filter((specifier) => specifier.startsWith('.') && !specifier.endsWith('.js'))
      .map((specifier) => `${source.path} -> ${specifier}`),
  );
  assert.equal(wrong, []);
});

test('only the command line subscribes, and an operator to its source', () => {
  const isOperator = ({ path, content }: Source) => path.startsWith('operators/') && content.includes('new Observable');
  const subscribing = shipped
    // Those of NATS are no observables.
    .filter(({ path }) => path !== 'sinks/nats/nats-client.ts')
    .filter((source) => !/^src\/(?:cli|tools)\//.test(source.path) && !isOperator(source))
    .filter(({ content }) => /\.subscribe\(/.test(code(content)));
  assert.equal(paths(subscribing), []);
});

test('time is read from a scheduler, never from Date.now()', () => {
  const reading = shipped.filter(({ content }) => /Date\.now\(|new Date\(\)|performance\.now\(/.test(code(content)));
  assert.equal(paths(reading), []);
});

/** The content without comments, roughly: enough for rules that look for calls. */
function code(content: string): string {
  return content.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

test('the command makes sinks of addresses in one place, whose report knows their secrets', () => {
  const callers = shipped.filter(
    ({ path, content }) => /^src\/(?:cli|tools)\//.test(path) && /\b(?:sinkFromUri|routesOf)\b/.test(content),
  );
  assert.equal(paths(callers), ['src/cli/open-sinks.ts']);
});

test.run();
