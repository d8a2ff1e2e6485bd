/** The schema and the reader agree, except for rules that a schema cannot express. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPlain, stringifyExact } from '../../../src/core/json/exact.js';
import { faultsByReader, faultsBySchema } from './judge.js';
import { configurations } from './random.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);

/**
 * Problems that the schema may leave to the reader: they depend on several places, or on the meaning of a text. Chapter
 * 1 explains them.
 */
const beyond: readonly RegExp[] = [
  /there is no such key in `config`|a key of `config` with a single value/,
  /expected one of "count" .* and "field"/,
  /none of the names in "scrollers"|unknown scroller/,
  /or a relative time such as/,
  /with `inclusive` a page of one item|with `repair` pages overlap/,
  /an http or https URL with a host|an origin: scheme, host and port/,
  /authentication\.shared: .*`expires` 0/,
  /incremental\.by\[\d+\]: there is no such placeholder/,
  /jobs\[\d+\]\S*\.headers\.\S+: expected a string, .*, found an object/, // An expression needs `incremental` beside it.
  /^(parameters\.)?authorization\.oauth_api/,
  /authentication\.name: not a valid header name/,
  /required by .*requiredHeaders|`api\.authentication\.query`/,
  /expected certificates as PEM|recursionFilter: /,
  /a single value or an expression, found a list/,
  /expected the secret of the client|expected the first refresh token|only allowed with the grant|not allowed without `(clientSecret|tokenStore)`/,
  /authentication\.params\.\w+: not allowed here/,
  /mappings\b.*(: is missing: it |: has two columns |cannot be the name of a file|: must be true if the table)/,
  /mappings\b.*tableMapping/,
  /a placeholder knows but|the level, the number before the colon/,
  /response\.\w+: (only allowed with "(?:format|unzip)"|the same character as|required: expected the path)|response\.(?:names|members)(\[\d+\])?: (expected at least|a name of another)/,
];

const isBeyond = (fault: string): boolean => beyond.some((rule) => rule.test(fault));

/** Values that the reader ignores with a warning, and the schema may reject. */
const tolerated = ['no-time', 'no-object', 'not-a-child'];

test('the schema accepts what the reader accepts, and rejects what it rejects', () => {
  const judged = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(configurations, (document) => {
      const { faults, warnings } = faultsByReader(document);
      const bySchema = faultsBySchema(document);
      const isSure = faults.some((fault) => !isBeyond(fault));
      const text = `${stringifyExact(document)}\nreader: ${faults.join('; ')}\nschema: ${bySchema.join('; ')}`;
      if (isSure) assert.is.not(bySchema.length, 0, text);
      if (faults.length === 0 && !warnings.some((code) => tolerated.includes(code))) assert.equal(bySchema, [], text);
      judged[faults.length === 0 ? 'taken' : 'refused'] += 1;
    }),
    { seed, numRuns: 2500, includeErrorInReport: true },
  );
  assert.ok(judged.taken > 300 && judged.refused > 300, JSON.stringify(judged));
});

test('each listed problem beyond the schema really is, so that the list has no more than it must', () => {
  const api = { baseUrl: 'https://api.example.com/' };
  const config = { jobs: [{ endpoint: 'users' }] };
  const login = { type: 'login', loginRequest: { endpoint: 'login' } };
  const documents = [
    { api: { ...api, http: { headers: { 'X-A': { attr: 'nothing' } } } }, config },
    { api: { ...api, pagination: { method: 'pagenum', limitStop: { count: 1, field: 'a' } } }, config },
    {
      api: { ...api, pagination: { method: 'multiple', scrollers: { a: { method: 'pagenum' } }, default: 'b' } },
      config,
    },
    { api: { ...api, pagination: { method: 'pagenum', forceStop: { time: 'a while' } } }, config },
    { api: { ...api, pagination: { method: 'keyset', field: 'a', param: 'b', limit: 1, inclusive: true } }, config },
    { api: { baseUrl: 'https://' }, config },
    { api: { ...api, authentication: { ...login, expires: 0, shared: true } }, config },
    { api, config: { jobs: [{ endpoint: 'users', incremental: { path: 'at', by: ['id'] } }] } },
    { api, config: { jobs: [{ endpoint: 'users', headers: { x: { function: 'sha1', args: ['x'] } } }] } },
  ].map((document) => fromPlain(document));
  for (const [index, document] of documents.entries()) {
    const { faults } = faultsByReader(document);
    assert.ok(faults.length > 0 && faults.every((fault) => beyond[index]?.test(fault)), faults.join());
    assert.equal(faultsBySchema(document), []);
  }
});

test.run();
