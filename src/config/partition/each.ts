/** Reads `each` of a job: the values for which it is walked. docs/13-second-run.md#partitions. */
import { type Exact, isArray, isObject } from '../../core/json/exact.js';
import { type JsonSchema, objectOr, singleValue } from '../../core/options/json-schema.js';
import type { OptionRows } from '../../core/options/kind.js';
import { named, nonEmptyText } from '../../core/options/kinds.js';
import { combineList } from '../../core/util/defined.js';
import type { ConfigPath } from '../../language/config-path.js';
import { opaque, stringOrNumber } from '../../language/kinds.js';
import { describeMismatch, readObject } from '../../language/read.js';

const valuesFromFile = {
  file: {
    kind: named('a file', 'FILE'),
    required: true,
    summary: 'a CSV file with a header, or, without `column`, a file with a value in each line',
  },
  column: { kind: nonEmptyText, summary: 'the column of the CSV file' },
} satisfies OptionRows;

const valuesFromJob = {
  job: { kind: nonEmptyText, required: true, summary: 'the `id` or the data type of another job' },
  path: { kind: stringOrNumber, required: true, summary: 'the path of the value in its items' },
} satisfies OptionRows;

const expected = 'a list of single values, {"file": ..., "column": ...} or {"job": ..., "path": ...}';

/** The kind of `each`. */
export const eachType = opaque('an object of lists', (write) => {
  const list: JsonSchema = { type: 'array', minItems: 1, items: singleValue };
  const sources = { anyOf: [write.members(valuesFromFile), write.members(valuesFromJob)] };
  return { type: 'object', minProperties: 1, additionalProperties: objectOr(sources, list) };
});

/** The values of one key. */
export interface EachList {
  readonly name: string;
  /** Known when the run begins, if they are in a file. */
  readonly values: readonly Exact[] | ValuesFile;
  /** The path of the key in the document. */
  readonly path: string;
}

export interface ValuesFile {
  readonly file: string;
  readonly column?: string;
}

/** A key whose values are in the items of another job. */
export interface EachOfJob {
  readonly name: string;
  readonly job: string;
  readonly path: string;
  /** Reports a job that does not exist. */
  readonly place: ConfigPath;
}

export interface Each {
  readonly lists: readonly EachList[];
  readonly ofJobs: readonly EachOfJob[];
}

/** Returns `undefined` if something does not fit, after reporting it to `place`. */
export function readEach(place: ConfigPath, value: Exact): Each | undefined {
  if (!isObject(value)) {
    place.problem(describeMismatch('an object of lists', value));
    return undefined;
  }
  const keys = [...value].map(([name, values]) => readKey(place.at(name), name, values));
  const read = combineList(keys);
  return read === undefined
    ? undefined
    : {
        lists: read.filter((each): each is EachList => 'values' in each),
        ofJobs: read.filter((each): each is EachOfJob => 'job' in each),
      };
}

function readKey(place: ConfigPath, name: string, value: Exact): EachList | EachOfJob | undefined {
  const { path } = place;
  if (isObject(value)) {
    if (value.has('job')) {
      const ofJob = readObject(place, value, valuesFromJob);
      return ofJob === undefined ? undefined : { ...ofJob, name, place: place.at('job') };
    }
    const values = readObject(place, value, valuesFromFile);
    return values === undefined ? undefined : { name, values, path };
  }
  if (!isArray(value) || value.length === 0) {
    place.problem(
      isArray(value) ? `${describeMismatch(expected, value)} without elements` : describeMismatch(expected, value),
    );
    return undefined;
  }
  const odd = [...value.entries()].filter(([, each]) => each === null || isArray(each) || isObject(each));
  for (const [index, each] of odd) place.at(index).problem(describeMismatch('a single value', each));
  return odd.length === 0 ? { name, values: value, path } : undefined;
}
