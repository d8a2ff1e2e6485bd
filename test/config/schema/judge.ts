/** Judges configurations by the schema, as an editor would, and by the reader. */
import { Ajv } from 'ajv';
import { parseJsonc } from '../../../src/config/document.js';
import { inspect } from '../../../src/config/parse-config.js';
import { configurationSchema } from '../../../src/config/schema/configuration-schema.js';
import { type Exact, stringifyExact } from '../../../src/core/json/exact.js';

const ajv = new Ajv({ allErrors: true, strictTypes: true, strictTuples: true, allowUnionTypes: true });
const validate = ajv.compile(configurationSchema());

/** The schema's problems, a line each with its path and the key; none: the schema accepts the configuration. */
export function faultsBySchema(document: Exact): readonly string[] {
  validate(JSON.parse(stringifyExact(document)));
  return (validate.errors ?? []).map(({ instancePath, message = '', propertyName, params }) => {
    const key = propertyName ?? params.additionalProperty ?? params.propertyName;
    return `${instancePath}: ${message}${key === undefined ? '' : `: ${key}`}`;
  });
}

/** What the reader finds: faults, and keys that mean nothing; and of its other warnings the codes. */
export function faultsByReader(document: Exact) {
  const { problems, notices } = inspect(document);
  const unknown = notices.filter(({ code }) => code === 'unknown-key');
  const faults = [
    ...problems.map(({ path, message }) => `${path}: ${message}`),
    ...unknown.map(({ message }) => message),
  ];
  return { faults, warnings: notices.map(({ code }) => code) };
}

export const parsed = (text: string): Exact => parseJsonc(text, 'document');
