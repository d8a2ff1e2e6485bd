/** What other programs read and write is what we read: 60 random shapes each; the long form has 1,000. */

import { test } from 'uvu';
import { testWhere } from '../../../where.js';
import { csvTrips } from './csv-trips.js';
import { missingOf, randomSeed } from './python.js';
import { xmlReaders, xmlTrips } from './xml-trips.js';
import { zipTrips } from './zip-trips.js';

const seed = randomSeed();
console.log(`seed ${seed} (set FC_SEED to repeat)`);
const count = 60;

testWhere(missingOf('csv'))('tables are those of the module csv', () => {
  csvTrips(seed, count);
});

for (const [name, program] of Object.entries(xmlReaders)) {
  testWhere(missingOf(name))(`documents are those of ${name}`, () => {
    xmlTrips(program, seed, count);
  });
}

testWhere(missingOf('zipfile'))('archives are those of the module zipfile', async () => {
  await zipTrips(seed, count);
});

test.run();
