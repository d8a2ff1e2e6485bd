/** The public declarations of the package, held to a record: what users of the package have written keeps compiling. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Declarations, entryPoints, publicDeclarations } from './declarations.js';
import { root } from './sources.js';

/** As they were at commit cb7c592, before the sources moved to their rooms. */
const before: Readonly<Record<string, Declarations>> = JSON.parse(
  readFileSync(join(root, 'test/rules/public-declarations.json'), 'utf8'),
);
const now = publicDeclarations(root);

/** Names that came later. Add yours, and a line in CHANGELOG.md. */
const added: Readonly<Record<keyof typeof entryPoints, readonly string[]>> = {
  rxtract: [
    'CredentialBroker',
    'Rate',
    'RateLimiter',
    'RateLimiterOptions',
    'RequestOwner',
    'Slot',
    'createCredentialBroker',
    'createRateLimiter',
  ],
  'rxtract/operators': [],
  'rxtract/sinks': [
    'BatchOrigin',
    'BatchPlace',
    'CloudEventMembers',
    'CloudEventOptions',
    'PagePlace',
    'cloudEventMembers',
    'cloudEvents',
    'idempotencyKey',
    'itemBytes',
    'messageIds',
    'pageKey',
  ],
};

/**
 * Lines of a declaration that are gone or read otherwise, as `name: line`, each with its reason. Changing one
 * breaks the code of users, so CHANGELOG.md names it.
 */
const changed: readonly string[] = [
  // A second form says where the batch is from.
  'batchOf: export declare function batchOf<Item>(dataType: string, items: readonly Item[], job?: string): Batch<Item>;',
];

for (const entry of Object.keys(entryPoints) as readonly (keyof typeof entryPoints)[]) {
  const names = Object.keys(before[entry] ?? {});
  const namesNow = Object.keys(now[entry] ?? {});

  test(`${entry} exports every name of before, and the listed ones`, () => {
    assert.ok(names.length > 10);
    assert.equal(
      names.filter((name) => !namesNow.includes(name)),
      [],
      'missing names',
    );
    assert.equal(
      namesNow.filter((name) => !names.includes(name)),
      added[entry],
      'added names',
    );
  });

  test(`${entry} declares each name with every member of before`, () => {
    const gone = names.flatMap((name) => {
      const lines = new Set(now[entry]?.[name]);
      return (before[entry]?.[name] ?? []).filter((line) => !lines.has(line)).map((line) => `${name}: ${line}`);
    });
    assert.equal(
      gone.filter((line) => !changed.includes(line)),
      [],
    );
  });
}

test.run();
