/** The rules of a share of logins, for each implementation. `worker` makes the share of another worker. */
import { defer, finalize, firstValueFrom, map, type Observable, of, Subject, throwError } from 'rxjs';
import * as assert from 'uvu/assert';
import type { LoginGeneration, LoginRecord, LoginShare } from '../../src/http/login-share.js';

export type Workers = () => LoginShare;

const never = Number.POSITIVE_INFINITY;

/** Logins at one account, with the numbers of those that run. */
function account(lifetime = never) {
  let running = 0;
  const seen = { logins: 0, most: 0 };
  const login = defer(async (): Promise<LoginRecord> => {
    running += 1;
    seen.logins += 1;
    seen.most = Math.max(seen.most, running);
    const text = `token-${seen.logins}`;
    await new Promise((resolve) => setImmediate(resolve));
    return { text, lifetime };
  }).pipe(
    finalize(() => {
      running -= 1;
    }),
  );
  return { login, seen };
}

const obtained = (share: LoginShare, key: string, refused: number, login: Observable<LoginRecord>) =>
  firstValueFrom(share.obtain(key, refused, login));
const record = (text: string, lifetime = never): Observable<LoginRecord> => of({ text, lifetime });
const mustNotLogIn = throwError(() => new Error('there is a login already'));

export const loginShareRules: Readonly<Record<string, (worker: Workers) => Promise<void>>> = {
  async 'one login is for all that need one, and one at a time'(worker) {
    const { login, seen } = account();
    const all = await Promise.all(Array.from({ length: 8 }, () => obtained(worker(), 'one', 0, login)));
    assert.equal([...new Set(all.map(({ text, generation }) => `${text} ${generation}`))], ['token-1 1']);
    assert.equal(seen, { logins: 1, most: 1 });
  },

  async 'a refused generation is never given again'(worker) {
    const { login, seen } = account();
    const given: LoginGeneration[][] = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const share = worker();
        const own: LoginGeneration[] = [];
        for (let round = 0; round < 5; round += 1) {
          own.push(await obtained(share, 'refused', own.at(-1)?.generation ?? 0, login));
        }
        return own;
      }),
    );
    for (const own of given) {
      const generations = own.map(({ generation }) => generation);
      assert.equal(
        generations,
        [...new Set(generations)].sort((a, b) => a - b),
        'each is later than the one before',
      );
    }
    const texts = new Map(given.flat().map(({ generation, text }) => [generation, text]));
    for (const { generation, text } of given.flat())
      assert.is(texts.get(generation), text, 'a generation is one login');
    assert.is(seen.most, 1);
    assert.is(seen.logins, Math.max(...texts.keys()), 'each login is a generation');
  },

  async 'an expired login is made again, and its lifetime is that which is left'(worker) {
    const first = await obtained(worker(), 'expiry', 0, record('a', 3_600_000));
    assert.ok(first.lifetime > 3_500_000 && first.lifetime <= 3_600_000, `${first.lifetime}`);
    const same = await obtained(worker(), 'expiry', 0, mustNotLogIn);
    assert.ok(same.lifetime > 3_500_000 && same.lifetime <= 3_600_000, `${same.lifetime}`);
    const short = await obtained(worker(), 'expiry', first.generation, record('b', 0));
    assert.equal([short.text, short.lifetime <= 0], ['b', true], 'the one who logged in has it');
    assert.is((await obtained(worker(), 'expiry', 0, record('c'))).text, 'c');
    assert.is((await obtained(worker(), 'expiry', 0, mustNotLogIn)).lifetime, never);
  },

  async 'a login that fails is the error of its worker, and the next one logs in'(worker) {
    const failing = throwError(() => new Error('wrong password'));
    const error = await obtained(worker(), 'failure', 0, failing).catch((thrown: Error) => thrown);
    assert.match(String(error), /wrong password/);
    assert.is((await obtained(worker(), 'failure', 0, record('a'))).text, 'a');
  },

  async 'the next one logs in if a worker leaves'(worker) {
    const begun = new Subject<void>();
    const isUnderWay = firstValueFrom(begun);
    const hanging = defer(() => {
      begun.next();
      return new Subject<LoginRecord>();
    });
    const left = worker().obtain('leaving', 0, hanging).subscribe();
    await isUnderWay;
    const waiting = obtained(worker(), 'leaving', 0, record('a'));
    left.unsubscribe();
    assert.is((await waiting).text, 'a');
  },

  async 'keys are apart'(worker) {
    const both = ['k', 'l'].map((key) => obtained(worker(), key, 0, record(`of ${key}`)));
    assert.equal(
      (await Promise.all(both)).map(({ text }) => text),
      ['of k', 'of l'],
    );
  },
};

/** The rules of the refresh tokens of a share. */
export const sharedTokenRules: Readonly<Record<string, (worker: Workers) => Promise<void>>> = {
  async 'one exchange at a time, each with the token of the one before'(worker) {
    const sent: string[] = [];
    const exchange = () =>
      firstValueFrom(
        tokensOf(worker()).exchange('chain', (token) =>
          defer(async () => {
            const number = sent.push(token.latest ?? 'configured');
            await new Promise((resolve) => setImmediate(resolve));
            token.replace(`token-${number}`);
          }),
        ),
      );
    await Promise.all(Array.from({ length: 6 }, exchange));
    assert.equal(sent, ['configured', 'token-1', 'token-2', 'token-3', 'token-4', 'token-5']);
  },

  async 'a token that was sent without a reply is in doubt'(worker) {
    const doubts: boolean[] = [];
    const exchange = (outcome: Observable<unknown>) =>
      firstValueFrom(
        tokensOf(worker()).exchange('doubt', (token) => {
          doubts.push(token.isInDoubt);
          return outcome.pipe(map(() => token.replace('new')));
        }),
      ).catch(() => {});
    await exchange(throwError(() => new Error('the connection broke')));
    await exchange(of(1));
    await exchange(of(1));
    assert.equal(doubts, [false, true, false]);
  },
};

function tokensOf({ tokens }: LoginShare) {
  if (tokens === undefined) throw new Error('the share keeps no tokens');
  return tokens;
}
