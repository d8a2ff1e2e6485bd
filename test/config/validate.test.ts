import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { validateConfig } from '../../src/config/validate.js';
import { stringifyExact } from '../../src/exact.js';
import { documentOf, fakes } from './fakes.js';

const validate = (text: string) => validateConfig(text, 'config.json', fakes);

test('finds nothing in a configuration that is right', () => {
  assert.equal(validate(stringifyExact(documentOf({}))), { problems: [], notices: [] });
});

test('returns faults and warnings together, those of repeated members first', () => {
  const text = '{"api": {"baseUrl": 1, "baseUrl": 2, "htp": {}}, "config": {"jobs": []}}';
  const { problems, notices } = validate(text);
  assert.equal(
    problems.map(({ path }) => path),
    ['api.baseUrl', 'config.jobs'],
  );
  assert.equal(
    notices.map(({ code, message }) => `${code} ${message}`),
    [
      'duplicate-key api.baseUrl: written more than once; the last one counts',
      'unknown-key api.htp: unknown key, not used; did you mean "http"?',
    ],
  );
});

test('a text that is no JSON is one fault, with its line and column', () => {
  assert.equal(validate('{\n"api": }').problems, [{ path: '', message: 'config.json:2:8: expected a value' }]);
});

test.run();
