/** Every place of a configuration that has keys of its own, by the tables and registries alone. */
import { authentications } from '../../../src/auth/registry.js';
import { type Section, sections } from '../../../src/config/sections.js';
import { type Exact, type ExactObject, fromPlain, isArray, isObject } from '../../../src/core/json/exact.js';
import type { OptionRows } from '../../../src/core/options/kind.js';
import { paginators, stopRules } from '../../../src/pagination/registry.js';
import { parsed } from './judge.js';

export type Step = string | number;

export interface Place {
  /** From the root of `document`. */
  readonly steps: readonly Step[];
  readonly fields: OptionRows;
  /** Any other key has a meaning, too. */
  readonly isOpen: boolean;
  /** A configuration in which the place can be. */
  readonly document: Exact;
}

const least = fromPlain({ api: { baseUrl: 'https://api.example.com/' }, config: { jobs: [{ endpoint: 'users' }] } });

export function places(): readonly Place[] {
  return [...sectionPlaces(), ...entryPlaces()].flatMap((place) => [place, ...innerPlaces(place)]);
}

const sectionPlaces = (): readonly Place[] =>
  Object.entries<Section>(sections).map(([path, { fields, others }]) => {
    const steps: readonly Step[] = path === '' ? [] : path.split('.');
    return {
      steps: path === 'config.jobs' ? [...steps, 0] : steps,
      fields,
      isOpen: others !== undefined,
      document: least,
    };
  });

interface Entry {
  readonly fields: OptionRows;
  readonly example: string;
}

function entryPlaces(): readonly Place[] {
  const at = (steps: readonly Step[], below: readonly Step[], { fields, example }: Entry): Place => {
    return { steps: [...steps, ...below], fields, isOpen: false, document: overlaid(least, steps, parsed(example)) };
  };
  return [
    ...Object.values<Entry>(paginators).map((entry) => at(['api', 'pagination'], [], entry)),
    ...Object.values<Entry>(paginators).map((entry) => at(['config', 'jobs', 0, 'pagination'], [], entry)),
    ...Object.entries<Entry>(stopRules).map(([name, entry]) => at(['api', 'pagination'], [name], entry)),
    ...Object.values<Entry>(authentications).map((entry) => at(['api', 'authentication'], [], entry)),
  ];
}

/** Below keys that have keys themselves. */
function innerPlaces({ steps, fields, document }: Place): readonly Place[] {
  return Object.entries(fields).flatMap(
    ([
      key,
      {
        kind: { rows: inner },
      },
    ]) => {
      if (inner === undefined) return [];
      const place: Place = { steps: [...steps, key], fields: inner, isOpen: false, document };
      return [place, ...innerPlaces(place)];
    },
  );
}

/** The keys of `config` that something in the value refers to. */
export function attributesIn(value: Exact): readonly string[] {
  if (isArray(value)) return value.flatMap(attributesIn);
  if (!isObject(value)) return [];
  const key = value.get('attr');
  return [...(typeof key === 'string' ? [key] : []), ...[...value.values()].flatMap(attributesIn)];
}

/** The value with `part` laid at these steps; objects are merged, and made where there are none. */
export function overlaid(value: Exact | undefined, [step, ...rest]: readonly Step[], part: Exact): Exact {
  const members: ExactObject = isObject(value) ? value : new Map();
  if (step === undefined) return isObject(part) ? new Map([...members, ...part]) : part;
  if (typeof step === 'string') return new Map([...members, [step, overlaid(members.get(step), rest, part)]]);
  const elements = isArray(value) ? value : [];
  return [...elements.slice(0, step), overlaid(elements[step], rest, part), ...elements.slice(step + 1)];
}
