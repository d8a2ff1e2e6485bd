import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nullSink } from '../../sinks/null.js';
import { descriptionOf } from '../../src/run/run-description.js';

const jobOf = (name: string, endpoint: string, more: object = {}) => ({ name, endpoint, children: [], ...more });

/** The description of a run with these jobs, of which all but the last are chosen. */
function described(jobs: readonly ReturnType<typeof jobOf>[]) {
  const iteration = { address: 'https://api.example.com/v1/', jobs };
  const [plain, counting] = [{ write() {}, close() {}, abort() {} }, nullSink()];
  counting.open?.('users', 'users');
  const context = { iterations: [iteration, iteration], sinks: [plain, counting], sample: undefined };
  const chosen = jobs.slice(0, -1).map(({ name }) => ({ job: name }));
  return descriptionOf(context as never, chosen as never);
}

test('inputs are the endpoints of chosen jobs, once each', () => {
  const { inputs } = described([
    jobOf('users', 'users?active=1', { children: [jobOf('posts', 'users/{id}/posts')] }),
    jobOf('base', ''),
    jobOf('posts', 'users/{id}/posts'),
    jobOf('report', '', { report: { create: { endpoint: 'reports' } } }),
    jobOf('other', 'https://other.example.com/a b'),
    jobOf('broken', 'ftp://example.com'),
    jobOf('not chosen', 'left/out'),
  ]);
  assert.equal(inputs, [
    'https://api.example.com/v1/users',
    'https://api.example.com/v1/users/{id}/posts',
    'https://api.example.com/v1/',
    'https://api.example.com/v1/reports',
    'https://other.example.com/a%20b',
    'ftp://example.com',
  ]);
});

test('outputs have the names of their sinks; without a sample there are no shapes', () => {
  const { outputs, shapes } = described([]);
  assert.equal(outputs(), [{ dataType: 'users', name: 'dropped', items: 0, bytes: 0, sink: 'null:' }]);
  assert.is(shapes().size, 0);
});

test.run();
