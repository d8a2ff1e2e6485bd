/** Reads `download` of a child job: a file for each item of its parent. docs/14-any-response.md#files. */
import { type Exact, type ExactObject, isObject } from '../core/json/exact.js';
import type { DataField } from '../core/model/job.js';
import type { OptionRows } from '../core/options/kind.js';
import { nonEmptyText } from '../core/options/kinds.js';
import { objectOf } from '../core/options/object-kinds.js';
import { defined } from '../core/util/defined.js';
import type { ConfigPath } from '../language/config-path.js';
import { endpoint } from '../language/kinds.js';
import { isPhpEmpty } from '../language/read.js';
import { readStrictly } from '../language/read-strictly.js';
import { impliedPlaceholder, isWithin, namesIn, type Placeholder } from './children/placeholders.js';

/** A file for each item; the endpoint of the job is its URL. */
export interface DownloadConfig {
  /** Its name, with placeholders; absent: the last part of the URL. */
  readonly to?: string;
}

const downloadFields = {
  url: {
    kind: endpoint,
    required: true,
    summary: 'the URL; `{NAME}` is a placeholder of the job, or the value at that path in the item of the parent',
  },
  to: { kind: nonEmptyText, otherwise: 'the last part of the URL', summary: 'the name of the file, with `{NAME}` too' },
} satisfies OptionRows;

export const downloadType = objectOf(downloadFields);

/** Keys that say how a response is requested or read as items. */
export const besideDownload = [
  'endpoint',
  'await',
  'pagination',
  'scroller',
  'dataField',
  'response',
  'incremental',
  'revalidate',
  'each',
  'windows',
  'children',
] as const;

/** The whole row is the item. */
export const rowField: DataField = { kind: 'path', segments: [], text: '.' };

/** Undefined: there is none; null: something does not fit, and was reported to its place. */
export function readDownload(
  place: ConfigPath,
  job: ExactObject,
): (DownloadConfig & { readonly url: string }) | undefined | null {
  const value = job.get('download') ?? null;
  if (isPhpEmpty(value)) return undefined;
  const given = besideDownload.filter((key) => !isPhpEmpty(job.get(key)));
  for (const key of given) place.at(key).problem('cannot be used with `download`: remove one of them');
  const options = readStrictly(place.at('download'), value, downloadFields);
  return options === undefined || given.length > 0 ? null : options;
}

/** The job as one of the request for the file. */
export const asDownloaded = (job: ExactObject, download: { readonly url: string } | null): ExactObject =>
  new Map<string, Exact>([...[...job].filter(([key]) => key !== 'download'), ['endpoint', download?.url ?? '/']]);

/** The names in its texts that are no placeholders are paths in the item of the parent, or of the one above it. */
export function impliedPlaceholders(
  place: ConfigPath,
  job: ExactObject,
  { names, depth }: { readonly names: readonly string[]; readonly depth: number },
): readonly Placeholder[] {
  const download = job.get('download') ?? null;
  if (!isObject(download)) return [];
  const texts = (['url', 'to'] as const).map((key) => [key, download.get(key)] as const);
  const found = texts.flatMap(([key, text]) =>
    typeof text === 'string' ? namesIn(text).map((name) => [name, place.at('download', key)] as const) : [],
  );
  return [...new Map(found)].flatMap(([name, at]) => {
    const implied = impliedPlaceholder(name);
    return names.includes(name) || !isWithin(at, implied.level, depth) ? [] : [implied];
  });
}

/** What a job has of it. */
export const downloadOf = (download: DownloadConfig | undefined): DownloadConfig | undefined =>
  download === undefined ? undefined : defined({ to: download.to });
