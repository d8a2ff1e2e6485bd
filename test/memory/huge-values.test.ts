import { test } from 'uvu';
import { testHugeValues } from './huge-values.js';

testHugeValues({
  ...{ bytes: 99_999_999, itemBytes: 60_000_000, smallHeap: 64, largeHeap: 1000 },
  of: ['letters', 'wide', 'escapes', 'marks'],
});

test.run();
