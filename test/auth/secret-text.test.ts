/** Texts of logins: which results of expressions are texts, and which are header lines. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRefreshTokens } from '../../src/auth/refresh-tokens.js';
import { headerLine, nonEmptyText, secretText } from '../../src/auth/secret-text.js';
import type { AuthContext } from '../../src/auth/types.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { type Exact, fromPlain } from '../../src/core/json/exact.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';

const read = (plain: unknown): string => {
  const secrets = createSecrets();
  return nonEmptyText(fromPlain(plain), 'token', { references: new Map(), secrets });
};

test('a text, a number and true are texts', () => {
  assert.equal(['a', 12, true, { function: 'concat', args: ['a', 1] }].map(read), ['a', '12', '1', 'a1']);
});

const refused: readonly [plain: unknown, found: string][] = [
  ['', 'an empty string'],
  [{ function: 'concat', args: [] }, 'an empty string'],
  [null, 'null'],
  [['a'], 'a list'],
];

for (const [plain, found] of refused) {
  test(`${JSON.stringify(plain)} is no text`, () => {
    const message = `api.authentication.token: expected a non-empty string, the expression gives ${found}`;
    assert.throws(
      () => read(plain),
      (thrown: unknown) =>
        thrown instanceof ExtractError && thrown.code === 'ERR_FUNCTION' && thrown.message === message,
    );
  });
}

test('a secret text is masked from then on', () => {
  const secrets = createSecrets();
  const attr = new Map<string, Exact>([['#key', 'hunter2-hunter2']]);
  const context: AuthContext = {
    ...{ attr, secrets, authorization: new Map(), refreshTokens: createRefreshTokens() },
    ...{ nonce: () => '', notify: () => {} },
  };
  assert.is(secretText(fromPlain({ attr: '#key' }), 'token', context), 'hunter2-hunter2');
  assert.is(secrets.mask('a hunter2-hunter2 b'), 'a *** b');
});

test('a header line has no white space around it, and no line break', () => {
  assert.is(headerLine(' a b\t', 'token'), 'a b');
  assert.throws(() => headerLine('a\nb', 'token'), /api\.authentication\.token/);
});

test.run();
