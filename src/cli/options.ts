/** Rows of flags that commands share beside those of a run: src/run/run-options.ts. */
import type { OptionRows } from '../core/options/kind.js';
import { file, text, word } from '../core/options/kinds.js';
import { listOf } from '../core/options/object-kinds.js';
import { sharedRows } from '../run/run-options.js';

export const logRows = {
  log: {
    kind: word('text', 'json'),
    default: 'text',
    summary: 'log format: text, or json with [one object a line](05-command-line.md#--log-json)',
  },
} satisfies OptionRows;

export const toRows = {
  to: {
    kind: listOf(text, 'addresses'),
    value: '[NAME=]URI',
    summary: '[sink](07-sinks.md) for the items, or those of [data type NAME](07-sinks.md#routes)',
    otherwise: 'ndjson:out',
  },
} satisfies OptionRows;

export const itemErrorRows = {
  onItemError: {
    kind: { ...text, offers: ['fail', 'skip', 'dead-letter='] },
    value: 'RULE',
    summary:
      '[items that a destination refuses](07-sinks.md#items-that-a-destination-refuses): fail, skip, or dead-letter=URI',
    otherwise: 'fail',
  },
} satisfies OptionRows;

export const proxyRows = { proxy: { ...sharedRows.proxy, summary: 'as in run' } } satisfies OptionRows;

export const exchangeRows = {
  record: {
    kind: file,
    excludes: ['replay'],
    summary: '[record](05-command-line.md#a-recording) all requests and responses in FILE, secrets masked',
  },
  replay: {
    kind: file,
    summary: 'answer all requests from the recording FILE, without a connection or a wait',
  },
} satisfies OptionRows;
