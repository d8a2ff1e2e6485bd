/** The shape of a run: one for each data type, without secrets. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readShapes } from '../../../sinks/shape/shape-document.js';
import { type ExactObject, fromPlain, isObject, stringifyExact } from '../../../src/core/json/exact.js';
import { observeRun } from '../../../src/tools/shape/observe-run.js';
import { json, startApi } from '../../loopback/api.js';

const secret = 'tok-5f2b9';

/** The shape document of a run, all pages of which are read. */
async function documentOf(configuration: Record<string, unknown>): Promise<ExactObject> {
  const given = fromPlain(configuration);
  if (!isObject(given)) throw new Error('an object');
  const run = observeRun(given, {});
  await new Promise<void>((resolve, reject) => run.receipts.subscribe({ error: reject, complete: resolve }));
  await run.closed;
  return run.document();
}

test('each data type has a shape, also one without items, and none has a secret', async () => {
  const items = Array.from({ length: 100 }, (_, n) => ({
    id: n,
    status: n % 2 === 0 ? 'open' : 'paid',
    token: secret,
    tags: [n % 2 === 0 ? 'a' : 'b'],
    [`by-${secret}`]: { of: secret },
  }));
  const api = await startApi((request) => json(request.target.startsWith('/items') ? items : []));
  try {
    const document = await documentOf({
      api: {
        baseUrl: api.origin,
        http: { headers: { Authorization: { function: 'concat', args: ['Bearer ', { attr: '#token' }] } } },
      },
      config: {
        '#token': secret,
        jobs: [
          { endpoint: 'items', dataType: 'items' },
          { endpoint: 'none', dataType: 'none' },
        ],
      },
    });
    const text = stringifyExact(document);
    assert.not.match(text, secret);
    const shapes = readShapes(document, 'shape.json');
    assert.equal([...shapes.keys()], ['items', 'none']);
    const found = shapes.get('items');
    assert.equal(found?.properties.get('status')?.values, ['open', 'paid']);
    assert.equal(found?.properties.get('tags')?.items?.values, ['a', 'b']);
    assert.is(found?.properties.get('token')?.values, undefined, 'a secret is no value of an enumeration');
    assert.equal(shapes.get('none')?.types, new Set());
  } finally {
    await api.close();
  }
});

test.run();
