/**
 * The keys of `config` that describe tables: validated, and reported if they have no effect.
 * docs/01-configuration.md#config, docs/12-compatibility.md#output.
 */

import { type Exact, type ExactObject, isPhpEmpty } from '../core/json/exact.js';
import type { Notice } from '../core/model/notice.js';
import { kind, type OptionRows } from '../core/options/kind.js';
import { objectOf } from '../core/options/object-kinds.js';
import type { TableMappings } from '../core/tables/mapping.js';
import { defined } from '../core/util/defined.js';
import type { ConfigPath } from '../language/config-path.js';
import { boolean, stringOrNumber, textOf } from '../language/kinds.js';
import { readValue } from '../language/read.js';
import { mappingsKind, readMappings } from './read-mappings.js';

/** The table settings of a configuration. */
export interface TableSettings {
  /** Separates its outputs from those of other configurations. */
  readonly bucket?: string;
  readonly mappings: TableMappings;
  readonly isIncremental: boolean;
  readonly level: number;
  /** The keys that are set. */
  readonly keys: readonly string[];
}

const levels = [1, 2, 3];

/** A number, or its digit as a string. */
const level = kind<number>('1, 2 or 3', (value) => levels.some((each) => each === value), {
  fromExact: (value) => levels.find((each) => String(each) === textOf(value)) ?? value,
  schema: { enum: [...levels, ...levels.map(String)] },
});

/** The table keys of `config`. */
export const tableFields = {
  outputBucket: {
    kind: stringOrNumber,
    emptyIsAbsent: true,
    otherwise: '`ex-api-NAME-ID` from `api.name` and `id`, if there is an `id`',
    summary: 'the prefix of file names in a data folder',
  },
  id: { kind: stringOrNumber, emptyIsAbsent: true, summary: 'part of the default `outputBucket`' },
  incrementalOutput: {
    kind: boolean,
    emptyIsAbsent: true,
    summary: 'whether rows are added to those of the last run; only for tables',
  },
  mappings: {
    kind: mappingsKind,
    emptyIsAbsent: true,
    summary: 'the columns of tables, by data type',
  },
  compatLevel: { kind: level, default: 3, emptyIsAbsent: true, summary: 'the layout of tables' },
} satisfies OptionRows;

/**
 * Reads them; returns `undefined` if one does not fit, after reporting it to its place. Mappings are a warning because
 * they ask for items of another shape. `placeOf` returns where a key of `config` is written.
 */
export function readTableSettings(
  placeOf: (key: string) => ConfigPath,
  config: ExactObject,
  apiName: Exact = null,
): TableSettings | undefined {
  const settings = new Map([...config].filter(([key, value]) => Object.hasOwn(tableFields, key) && !isPhpEmpty(value)));
  const place: ConfigPath = { ...placeOf('id'), at: (key, ...rest) => placeOf(String(key)).at(...rest) };
  const options = readValue(place, settings, objectOf(tableFields));
  if (options === undefined) return undefined;
  const { outputBucket, id, incrementalOutput = false, compatLevel } = options;
  const mappings = options.mappings === undefined ? noMappings : readMappings(place.at('mappings'), options.mappings);
  if (mappings === undefined) return undefined;
  const name = typeof apiName === 'string' && !isPhpEmpty(apiName) ? apiName : 'generic';
  const bucket = outputBucket ?? (id === undefined ? undefined : `ex-api-${name}-${id}`);
  const others = { mappings, isIncremental: incrementalOutput, level: compatLevel, keys: [...settings.keys()] };
  return { ...defined({ bucket }), ...others };
}

const noMappings: TableMappings = new Map();

/**
 * Reports, once for all iterations, which settings have no effect with these outputs. Mappings are a warning because
 * they ask for items of another shape.
 */
export function tableNotices(
  settings: readonly TableSettings[],
  { outputNames, hasTables }: { readonly outputNames: OutputNaming; readonly hasTables: boolean },
): readonly Notice[] {
  if (hasTables) return [];
  const all = [...new Set(settings.flatMap((each) => each.keys))];
  const keys = all.filter((key) => key !== 'mappings');
  const naming = keys.filter((key) => namingKeys.includes(key) && outputNames !== 'bucket.dataType');
  const others = keys.filter((key) => !namingKeys.includes(key));
  const ignored = [
    ...(naming.length === 0 ? [] : [`only used for file names in a data folder (\`--data-dir\`): ${quoted(naming)}`]),
    ...(others.length === 0 ? [] : [`describe tables and have no effect here: ${quoted(others)}`]),
  ];
  const notices: Notice[] = [];
  if (all.includes('mappings')) notices.push({ level: 'warning', code: 'mappings-not-used', message: unusedMappings });
  if (ignored.length === 0) return notices;
  return [...notices, { level: 'info', code: 'table-settings', message: `keys of config: ${ignored.join('; ')}` }];
}

const unusedMappings =
  'config.mappings describes tables, and no sink of this run writes them: items stay unchanged. Write tables with --to tables:DIR';

const namingKeys: readonly string[] = ['outputBucket', 'id'];

const quoted = (keys: readonly string[]): string => keys.map((key) => `"${key}"`).join(', ');

/** `bucket.dataType`: the bucket separates data types of several configurations. */
export type OutputNaming = 'dataType' | 'bucket.dataType';
