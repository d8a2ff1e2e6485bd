/** Every rule of the specification as a black box: configuration and replies in, requests and files out. A row a rule. */
import { test } from 'uvu';
import { playRows } from './play-rows.js';
import { expiresRows } from './rows/expires.js';
import { jobRows } from './rows/jobs.js';
import { loginRows } from './rows/login.js';
import { pagenumRows } from './rows/pagenum.js';
import { responseParamRows } from './rows/response-param.js';
import { responseRows } from './rows/responses.js';

playRows([...jobRows, ...loginRows, ...expiresRows, ...pagenumRows, ...responseParamRows, ...responseRows]);

test.run();
