/** The sinks of the command line, by the scheme of their address. Add a new sink here. */
import type { Writable } from 'node:stream';
import { ExtractError } from '../src/core/errors/errors.js';
import type { Notify } from '../src/core/model/notice.js';
import { didYouMean } from '../src/core/util/suggest.js';
import type { Sink } from './contract.js';
import { ndjson } from './ndjson.js';
import { nullSink } from './null.js';
import { stdout } from './stdout.js';

/** Process facilities that a sink may use. */
export interface SinkContext {
  readonly notify?: Notify;
  /** Default: standard output of the process. */
  readonly stdout?: Writable;
}

export interface SinkEntry {
  readonly summary: string;
  /** The form of the address. */
  readonly uri: string;
  /** The part after the colon; absent: none allowed. */
  readonly target?: string;
  /** The call that creates it in code. */
  readonly code: string;
  /** Whether it can roll back a page, and how. */
  readonly takesBack: string;
  /** The guarantee of a run with a state, and how. */
  readonly resumes: string;
  /** The options of its factory in code, by name. */
  readonly options: Readonly<Record<string, string>>;
  readonly example: string;
  create(target: string, context: SinkContext): Sink;
}

export const sinks = {
  ndjson: {
    summary: 'a file of newline-delimited JSON for each data type, published after the run has succeeded',
    uri: 'ndjson:DIR',
    target: 'a directory',
    code: 'ndjson(dir, { notify })',
    takesBack: 'yes, the file is truncated',
    resumes: 'exactly once: the file is verified and truncated to the checkpoint',
    options: { notify: 'is called if a file cannot have the plain name of its data type' },
    example: 'ndjson:out',
    create: (dir, { notify }) => ndjson(dir, { notify }),
  },
  stdout: {
    summary: 'newline-delimited JSON of all data types on standard output, at the pace of the reader',
    uri: 'stdout:',
    code: 'stdout(stream)',
    takesBack:
      'no; a retried page continues after the items already written, or fails with `ERR_PAGE_CHANGED` if it changed',
    resumes: 'at least once: items of the interrupted page may be written twice',
    options: { stream: 'the stream to write to; default: standard output' },
    example: 'stdout:',
    create: (_, context) => stdout(context.stdout),
  },
  null: {
    summary: 'counts items and drops them',
    uri: 'null:',
    code: 'nullSink()',
    takesBack: 'yes',
    resumes: 'exactly once: the counts continue',
    options: {},
    example: 'null:',
    create: () => nullSink(),
  },
} satisfies Record<string, SinkEntry>;

/**
 * Creates the sink of an address such as `ndjson:out`: a scheme before the first colon; the rest is its literal target.
 * Opens nothing yet. Throws ERR_USAGE with the known addresses and the nearest scheme.
 */
export function sinkFromUri(uri: string, context: SinkContext = {}): Sink {
  const [scheme, target] = split(uri);
  const entries: ReadonlyMap<string, SinkEntry> = new Map(Object.entries(sinks));
  const entry = entries.get(scheme);
  if (entry === undefined) throw usage(`unknown sink "${uri}": expected ${forms()}${hint(uri, scheme)}`);
  if (target === undefined) throw usage(`"${uri}" is not a sink address: expected ${entry.uri}, with its colon`);
  if (entry.target === undefined && target !== '') throw usage(`unexpected "${target}" after ${entry.uri}`);
  if (entry.target !== undefined && target === '') {
    throw usage(`${scheme}: needs ${entry.target}, as in ${entry.example}`);
  }
  return entry.create(target, context);
}

function split(uri: string): readonly [scheme: string, target: string | undefined] {
  const colon = uri.indexOf(':');
  return colon < 0 ? [uri, undefined] : [uri.slice(0, colon), uri.slice(colon + 1)];
}

function hint(uri: string, scheme: string): string {
  if (uri === '') return '';
  if (uri === '-') return '; did you mean "stdout:"?';
  const isPath = !uri.includes(':') || /^[A-Za-z]:[\\/]/.test(uri);
  return didYouMean(scheme, Object.keys(sinks)) || (isPath ? `; did you mean "ndjson:${uri}"?` : '');
}

function forms(): string {
  const uris = Object.values(sinks).map(({ uri }) => uri);
  return `${uris.slice(0, -1).join(', ')} or ${uris.at(-1)}`;
}

const usage = (message: string) => new ExtractError('ERR_USAGE', message);
