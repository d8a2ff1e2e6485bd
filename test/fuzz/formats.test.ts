/** The long form of test/page/formats/independent: 1,000 random shapes of each format. */
import { test } from 'uvu';
import { csvTrips } from '../page/formats/independent/csv-trips.js';
import { missingOf, randomSeed } from '../page/formats/independent/python.js';
import { xmlReaders, xmlTrips } from '../page/formats/independent/xml-trips.js';
import { zipTrips } from '../page/formats/independent/zip-trips.js';
import { testWhere } from '../where.js';

const seed = randomSeed();
console.log(`seed ${seed} (set FC_SEED to repeat)`);
const count = 1000;

testWhere(missingOf('csv'))('1,000 tables are those of the module csv', () => {
  csvTrips(seed, count);
});

for (const [name, program] of Object.entries(xmlReaders)) {
  testWhere(missingOf(name))(`1,000 documents are those of ${name}`, () => {
    xmlTrips(program, seed, count);
  });
}

testWhere(missingOf('zipfile'))('1,000 archives are those of the module zipfile', async () => {
  await zipTrips(seed, count);
});

test.run();
