/**
 * The methods and stopping conditions of pagination, as the command has them: configuration and replies in, requests
 * and files out. A row a rule.
 */
import { test } from 'uvu';
import { commandHere } from './command.js';
import { playRows } from './play-rows.js';
import { cursorRows } from './rows/cursor.js';
import { linkRows } from './rows/links.js';
import { offsetRows } from './rows/offset.js';
import { stopRows } from './rows/stops.js';
import { truncationRows } from './rows/truncation.js';

playRows([...offsetRows, ...linkRows, ...cursorRows, ...stopRows, ...truncationRows], commandHere);

test.run();
