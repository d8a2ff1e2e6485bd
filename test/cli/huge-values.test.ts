import { test } from 'uvu';
import { testHugeValues } from '../memory/huge-values.js';

testHugeValues({ bytes: 3_999_996, itemBytes: 3_999_996, smallHeap: 40, largeHeap: 96, of: ['wide'] });

test.run();
