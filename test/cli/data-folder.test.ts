import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/memory.js';
import { removingPartials } from '../../src/cli/data-folder.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { filesIn, inFolder, rejection } from '../sinks/lib.js';

test(
  'leaves nothing of a failed run, even if the sink reports a failure when it is aborted',
  inFolder(async (dir) => {
    const name = join(dir, 'users.ndjson.partial');
    writeFileSync(name, '1\n');
    const sink = removingPartials({
      ...memory(),
      abort: () => Promise.reject(new ExtractError('ERR_SINK', 'cannot write')),
      summary: () => [{ dataType: 'users', name, items: 1, bytes: 2, unfinished: true }],
    });
    await rejection(sink.abort(new Error('so')), 'ERR_SINK', /cannot write/);
    assert.equal(filesIn(dir), {});
    assert.equal(sink.summary?.(), []);
  }),
);

test.run();
