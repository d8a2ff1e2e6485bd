/** The sinks of several addresses: each notice names the one that it is about. */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { readAddresses, routesOf } from '../../sinks/open-addresses.js';
import { createNotices } from '../../src/core/errors/notices.js';
import type { Notice } from '../../src/core/model/notice.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { placed } from '../../src/tools/text/errors.js';
import { calm, earlierOf, inFolder, pageEnd } from './lib.js';

/** The notices of a run that writes one item to each of the addresses. */
async function noticesOf(uris: readonly string[], item: unknown): Promise<readonly Notice[]> {
  const notices: Notice[] = [];
  const notify = createNotices({ notify: (each) => void notices.push(each), secrets: createSecrets(), strict: false });
  for (const { to } of routesOf(readAddresses(uris, '--to'), '--to', { notify })) {
    await to.resume?.(earlierOf({ isStored: false }));
    await to.open?.('t', 'job');
    await to.write(batchOf('t', [item]), calm);
    await to.commit?.(pageEnd('t', { count: 1 }), calm);
    await to.close();
  }
  return notices;
}

test(
  'notices on columns name the sink if a run has several, and only then',
  inFolder(async (dir) => {
    const uris = [`csv:${join(dir, 'a')}`, `parquet:${join(dir, 'b')}`, `duckdb:${join(dir, 'c.db')}`];
    const notices = await noticesOf(uris, { id: 1, ID: 2 });
    assert.equal(
      notices.map(({ code, sink }) => [code, sink]),
      uris.map((uri) => ['column-case', uri]),
    );
    assert.match(notices.map(placed)[2] ?? '', /^duckdb:.*c\.db: "t": members differ only in case/);
    const alone = await noticesOf([`csv:${join(dir, 'd')}`], { id: 1, ID: 2 });
    assert.equal([alone[0]?.code, alone[0]?.sink], ['column-case', undefined]);
    assert.match(alone.map(placed)[0] ?? '', /^"t": columns differ only in case/);
  }),
);

test(
  'a warning of two sinks is reported for each of them',
  inFolder(async (dir) => {
    const uris = [`csv:${join(dir, 'a')}`, `duckdb:${join(dir, 'b.db')}`];
    const notices = await noticesOf(uris, { text: 'x\ud800' });
    assert.equal(
      notices.map(({ code, sink }) => [code, sink]),
      uris.map((uri) => ['lone-surrogate', uri]),
    );
  }),
);

test.run();
