/** Every part of the language describes itself, and its example is correct. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sinkFromUri } from '../../../sinks/registry.js';
import { parseJsonc } from '../../../src/config/document.js';
import { parseConfig } from '../../../src/config/parse-config.js';
import { type TopicName, topicNames } from '../../../src/config/reference/names.js';
import type { ReferenceEntry } from '../../../src/config/reference/reference-entry.js';
import { topics } from '../../../src/config/reference/topics.js';
import { sections } from '../../../src/config/sections.js';
import { type Exact, fromPlain, isArray, isObject } from '../../../src/core/json/exact.js';

const all = topicNames.flatMap((topic) => topics[topic].entries.map((entry) => ({ topic, entry })));
const isPhrase = (text: string): boolean => /^[^A-Z].*[^.]$/.test(text);

for (const { topic, entry } of all) {
  test(`${topic} ${entry.name}: every summary is a phrase, every rule a sentence`, () => {
    if (topic === 'errors') return assert.match(entry.summary, /^[A-Z].*\.$/);
    assert.ok(isPhrase(entry.summary), entry.summary);
    for (const { name, summary } of rowsOf(entry)) assert.ok(isPhrase(summary), `${name}: ${summary}`);
    for (const rule of entry.rules ?? []) assert.match(rule, /^[A-Z`].*\.$/);
  });
}

const rowsOf = ({ tables }: ReferenceEntry) => tables.flatMap(({ rows }) => rows);

test('every key has a type in words, and either a default or what applies without it, not both', () => {
  for (const topic of ['configuration', 'pagination', 'authentication'] as const) {
    for (const { name, type = '', required, ...row } of topics[topic].entries.flatMap(rowsOf)) {
      assert.ok(type !== '', name);
      const said = [required === true, row.default !== undefined, row.otherwise !== undefined];
      assert.ok(said.filter(Boolean).length <= 1, name);
    }
  }
});

/** Credentials for every type that finds them outside itself. */
const least = fromPlain({
  api: { baseUrl: 'https://api.example.com/' },
  config: { jobs: [{ endpoint: 'users' }], username: 'a user', '#password': 'a password' },
  authorization: {
    oauth_api: {
      credentials: {
        appKey: 'key',
        '#appSecret': 'secret',
        '#data': '{"oauth_token":"a","oauth_token_secret":"b","refresh_token":"c"}',
      },
    },
  },
});

/** A configuration with one part replaced, and an attribute for each reference of that part. */
function configurationWith(path: string, part: Exact): Exact {
  const steps = path === '' ? [] : path.split('.');
  const document = overlaid(least, steps, part);
  const attributes = attributesIn(part).filter((key) => !(isObject(part) && part.has(key)));
  return attributes.reduce((so, key) => overlaid(so, ['config', key], 'a value'), document);
}

function overlaid(value: Exact | undefined, [step, ...rest]: readonly string[], part: Exact): Exact {
  const members = isObject(value) ? value : new Map<string, Exact>();
  if (step === undefined) return isObject(part) ? new Map([...members, ...part]) : part;
  return new Map([...members, [step, overlaid(members.get(step), rest, part)]]);
}

function attributesIn(value: Exact): readonly string[] {
  if (isArray(value)) return value.flatMap(attributesIn);
  if (!isObject(value)) return [];
  const key = value.get('attr');
  return value.size === 1 && typeof key === 'string' ? [key] : [...value.values()].flatMap(attributesIn);
}

const object = (members: Readonly<Record<string, Exact>>): Exact => new Map(Object.entries(members));

/**
 * The example of an entry where it belongs: a section, an option, a parameter of a job, a placeholder, or a value that
 * a login sends on.
 */
function exampleInPlace(topic: TopicName, name: string, part: Exact): Exact {
  if (topic === 'pagination' || topic === 'authentication') return configurationWith(`api.${topic}`, part);
  if (topic === 'configuration') return configurationWith(Object.hasOwn(sections, name) ? name : '', part);
  if (name === 'urlencode') {
    const placeholder = new Map([['path', 'id'], ...(isObject(part) ? part : [])]);
    const child = object({ endpoint: 'users/{id}', placeholders: object({ id: placeholder }) });
    return configurationWith('config.jobs', [object({ endpoint: 'users', children: [child] })]);
  }
  if (name !== 'response')
    return configurationWith('config.jobs', [object({ endpoint: 'users', params: object({ x: part }) })]);
  const apiRequest = object({ query: object({ x: part }) });
  const loginRequest = object({ endpoint: 'login' });
  return configurationWith('api.authentication', object({ type: 'login', loginRequest, apiRequest }));
}

const ofTheLanguage: readonly TopicName[] = ['configuration', 'pagination', 'authentication', 'functions'];

for (const { topic, entry } of all.filter(({ topic }) => ofTheLanguage.includes(topic))) {
  test(`${topic} ${entry.name}: its example is valid, without a warning`, () => {
    const part = parseJsonc(entry.example?.text ?? '', entry.name);
    const { notices } = parseConfig(exampleInPlace(topic, entry.name, part));
    // A deprecated name is reported as such.
    assert.equal(
      notices.filter(({ code }) => code !== 'deprecated' || entry.name !== 'url.query'),
      [],
    );
  });
}

for (const { name, example } of topics.sinks.entries) {
  test(`sinks ${name}: its example makes a sink`, () => {
    const uri = (example?.text.split(' ').at(-1) ?? '').replace(/^'(.*)'$/, '$1');
    assert.type(sinkFromUri(uri).write, 'function');
  });
}

test('a reference lists all its places', () => {
  const [, places] = topics.functions.entries.find(({ name }) => name === 'response')?.facts?.[0] ?? [];
  assert.is(places, '`api.authentication.apiRequest.headers`, `api.authentication.apiRequest.query`');
});

test('a key that has keys itself has a table of them', () => {
  const tables = topics.pagination.entries.find(({ name }) => name === 'response.param')?.tables ?? [];
  assert.equal(
    tables.map(({ of }) => of),
    [undefined, 'scrollRequest'],
  );
});

test.run();
