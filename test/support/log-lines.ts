/** Lines of `--log json`, held to the schema of the package, and to no other members than it has. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

type Schema = { readonly [keyword: string]: unknown };

const published = JSON.parse(readFileSync(new URL('../../log.schema.json', import.meta.url), 'utf8'));

/** The same schema; an object has only the members that are described. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema as Schema).map(([name, each]) => [name, closed(each)]));
  return 'properties' in inner ? { ...inner, additionalProperties: false } : inner;
}

const validate = new Ajv({ allErrors: true, strict: true }).compile(closed(published) as Schema);

/** Throws if the event is not one of the schema. */
export function checkEvent(event: unknown): void {
  if (validate(event)) return;
  const { errors } = validate;
  const name = JSON.parse(JSON.stringify(event)).event;
  const own = (errors ?? []).filter(({ schemaPath }) => schemaPath.includes(`/${String(name)}/`));
  const problems = (own.length === 0 ? (errors ?? []) : own).map(
    ({ instancePath, message, params }) => `${instancePath || 'the event'} ${message} ${JSON.stringify(params)}`,
  );
  throw new Error(`not an event of log.schema.json: ${JSON.stringify(event)}\n${problems.join('\n')}`);
}

/** The events of a log. Throws for one that the schema does not have. */
export function readLog(text: string): readonly Readonly<Record<string, unknown>>[] {
  const events = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  events.forEach(checkEvent);
  return events;
}
