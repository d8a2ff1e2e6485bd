/** The methods and stopping conditions of pagination as a black box: configuration and replies in, requests and files out. A row a rule. */
import { test } from 'uvu';
import { playRows } from './play-rows.js';
import { cursorRows } from './rows/cursor.js';
import { linkRows } from './rows/links.js';
import { offsetRows } from './rows/offset.js';
import { stopRows } from './rows/stops.js';
import { truncationRows } from './rows/truncation.js';

playRows([...offsetRows, ...linkRows, ...cursorRows, ...stopRows, ...truncationRows]);

test.run();
