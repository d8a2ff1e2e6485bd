/** Explained requests are those that are sent, for each rule about requests; and each value has its true source. */
import { mock } from 'node:test';
import { asyncScheduler } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPlain, isObject } from '../../src/core/json/exact.js';
import type { HttpRequest } from '../../src/core/model/request.js';
import type { Secrets } from '../../src/core/model/secrets.js';
import { queryEntries } from '../../src/core/url/query-string.js';
import { bodyOf } from '../../src/http/body.js';
import { engineExchanges } from '../../src/http/exchanges.js';
import type { ExplainedRequest } from '../../src/http/explain-request.js';
import { watchExchanges } from '../../src/recording/watch.js';
import { run } from '../../src/run/extract.js';
import { planRun } from '../../src/run/plan/make-plan.js';
import { rules } from '../tools/plan/rules.js';
import { unchecked } from '../unchecked.js';

/** A login and a page with one item, in one response. */
const responseWith = (id: number) => ({
  ...{ auth: { token: 'Tok3n-planted' }, key: 'Key-planted', token: 'Tok3n-planted', lang: 'l4ng-planted' },
  ...{ nonce: 'N0nce-planted', until: 3600, access_token: 'Acc3ss-planted', token_type: 'Bearer', expires_in: 3600 },
  next: `https://me:p4ssw0rd@other.example/more?after=${id}`,
  data: [{ id }],
});

/** A request, without times of a signature. */
interface Shown {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly query: readonly string[];
}

const timeless = (text: string) => text.replaceAll(/\d{8}T\d{6}Z/g, 'TIME');

const ofExplained = ({ method, url, values }: ExplainedRequest): Shown => {
  const those = (place: string) =>
    values.filter((each) => each.in === place).map(({ name, value }) => timeless(`${name}: ${value}`));
  return { method, url, headers: those('header'), query: those('query') };
};

function ofSent({ method, url, headers }: HttpRequest, { isSecret, mask, maskUrl }: Secrets): Shown {
  const masked = (text: string) => (isSecret(text) ? '***' : mask(text));
  return {
    ...{ method, url: maskUrl(url) },
    headers: [...headers].map(([name, values]) => timeless(`${name}: ${values.map(masked).join(', ')}`)),
    query: queryEntries(url).map(({ name, value = '' }) => `${name}: ${masked(value)}`),
  };
}

/** Runs two pages of each job. Every request is answered where a connection would be used. */
async function requestsOf(document: object) {
  const watch = engineExchanges(watchExchanges());
  const [logins, sent, explained]: [Shown[], Shown[], ExplainedRequest[]] = [[], [], []];
  const exchanges = Object.assign({}, watch, {
    around: (_: unknown, needs: Parameters<typeof watch.around>[1]) =>
      watch.around(async (request, context) => {
        (context.owner === undefined ? logins : sent).push(ofSent(request, needs.secrets));
        const body = bodyOf([Buffer.from(JSON.stringify(responseWith(sent.length)))]);
        const contentType = 'application/json';
        return {
          status: 200,
          headers: { 'content-type': contentType },
          contentType,
          request,
          isOpenEnded: false,
          body,
        };
      }, needs),
    onAsk(asked: Parameters<NonNullable<typeof watch.onAsk>>[0]) {
      watch.onAsk?.(asked);
      explained.push(asked.explain(asked.page));
    },
  });
  await run(unchecked(document), { exchanges, maxPages: 2, notify: () => {} });
  return { logins, sent, explained };
}

async function planOf(document: object) {
  const content = fromPlain(document);
  if (!isObject(content)) throw new Error('a configuration is an object');
  return (await planRun(content, { notify: () => {} })).plan;
}

const namesOf = ({ headers, query }: Shown) => [...headers, ...query].map((text) => text.replace(/: .*$/s, ''));

const documents = {
  ...rules,
  'a-link-to-another-origin': {
    api: {
      baseUrl: 'https://api.example/',
      http: { headers: { 'X-Key': 'planted' }, defaultOptions: { params: { lang: 'en' } } },
      pagination: { method: 'response.url', urlKey: 'next' },
    },
    config: { jobs: [{ endpoint: 'users', dataField: 'data' }] },
  },
};

for (const [rule, document] of Object.entries(documents)) {
  test(`a request is explained as it is sent: ${rule.replaceAll('-', ' ')}`, async () => {
    const { logins, sent, explained } = await requestsOf(document);
    assert.ok(sent.length > 0);
    assert.equal(explained.map(ofExplained), sent);
    for (const { trusted, values } of explained) {
      for (const { name, sources } of values) assert.ok(!trusted || sources.length > 0, `${name} has no source`);
    }
    const { iterations } = await planOf(document);
    for (const { login, jobs } of iterations) {
      assert.equal(login === undefined ? [] : [ofExplained(login.request)], logins.slice(0, 1));
      const [job] = jobs;
      if (job?.first !== undefined && iterations.length === 1) {
        assert.equal(namesOf(ofExplained(job.first)), namesOf(sent[0] ?? ofExplained(job.first)));
      }
    }
  });
}

test('a parameter with the time is one of the job, whenever its page is requested', async () => {
  let at = Date.parse('2026-01-01T00:00:00Z');
  const now = mock.method(asyncScheduler, 'now', () => {
    at += 5000;
    return at;
  });
  try {
    const { explained } = await requestsOf({
      api: { baseUrl: 'https://api.example/', pagination: { method: 'pagenum', limit: 1 } },
      config: { jobs: [{ endpoint: 'users', dataField: 'data', params: { t: { function: 'time' } } }] },
    });
    const sources = explained.map(({ values }) => values.find(({ name }) => name === 't')?.sources);
    const from = 'config.jobs[0].params.t';
    assert.equal(
      sources.map((each) => each?.map((source) => source.from)),
      [[from], [from]],
    );
  } finally {
    now.mock.restore();
  }
});

test.run();
