import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../sinks/memory.js';
import { createOutputNames } from '../src/output-names.js';
import { calm } from './sinks/lib.js';

test('a mark is asked for under the name that the sink knows, with its signal', async () => {
  const heard: unknown[] = [];
  const mark = (dataType: string, signal?: AbortSignal) => {
    heard.push(dataType, signal);
    return { dataType, position: 0 };
  };
  await createOutputNames('bucket.dataType')
    .within({ ...memory(), mark }, 'shop')
    .mark?.('users', calm);
  assert.equal(heard, ['shop.users', calm]);
});

test.run();
