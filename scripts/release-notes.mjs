/** Prints the notes of a version, which the page of its release shows: `npm run --silent notes v1.2.0`. */
import { readFileSync } from 'node:fs';
import { notesOf } from './changelog.mjs';

const [, , version = ''] = process.argv;
const notes = notesOf(readFileSync('CHANGELOG.md', 'utf8'), version.replace(/^v/, ''));
if (notes === undefined) throw new Error(`CHANGELOG.md has no notes of ${version}`);
process.stdout.write(`${notes}\n`);
