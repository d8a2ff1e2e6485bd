/**
 * Every rule of the specification as a black box: configuration and replies in, requests and files out. A row a rule.
 * Those of the heart are played by processes.
 */
import { test } from 'uvu';
import { commandHere } from './command.js';
import { playRows } from './play-rows.js';
import { expiresRows } from './rows/expires.js';
import { jobRows } from './rows/jobs.js';
import { loginRows } from './rows/login.js';
import { pagenumRows } from './rows/pagenum.js';
import { responseParamRows } from './rows/response-param.js';
import { responseRows } from './rows/responses.js';

playRows([...loginRows, ...expiresRows, ...pagenumRows, ...responseParamRows]);
playRows([...jobRows, ...responseRows], commandHere);

test.run();
