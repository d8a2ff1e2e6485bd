/** The events of OpenLineage, and their facets: https://openlineage.io/spec/2-0-2/OpenLineage.json. */
import { typeNames, type ValueShape } from '../../../sinks/shape/value-shape.js';
import { asExtractError } from '../../core/errors/errors.js';
import { version } from '../../core/util/version.js';
import type { NamedOutput, RunDescription } from '../../http/observer.js';
import { type DatasetName, inputName, outputName } from './dataset-names.js';

interface Facet {
  readonly _producer: string;
  readonly _schemaURL: string;
  readonly [member: string]: unknown;
}

type Facets = Readonly<Record<string, Facet>>;

interface Dataset extends DatasetName {
  readonly facets?: Facets;
  readonly outputFacets?: Facets;
}

export type EventType = 'START' | 'COMPLETE' | 'FAIL' | 'ABORT';

export interface RunEvent {
  readonly eventType: EventType;
  /** ISO 8601. */
  readonly eventTime: string;
  readonly producer: string;
  readonly schemaURL: string;
  readonly run: { readonly runId: string; readonly facets: Facets };
  readonly job: { readonly namespace: string; readonly name: string; readonly facets: Facets };
  readonly inputs: readonly Dataset[];
  readonly outputs: readonly Dataset[];
}

/** What the events of a run share. */
export interface LineageRun {
  readonly runId: string;
  readonly namespace: string;
  readonly job: string;
  readonly description: RunDescription;
  mask(text: string): string;
}

const spec = 'https://openlineage.io/spec';
const producer = `https://www.npmjs.com/package/rxtract/v/${version}`;

/** `of`: the version of the facet and its name in the specification. */
const facet = (of: string, members: Readonly<Record<string, unknown>>): Facet => ({
  _producer: producer,
  _schemaURL: `${spec}/facets/${of}.json#/$defs/${of.slice(of.indexOf('/') + 1)}`,
  ...members,
});

export const startOf = (run: LineageRun, at: number): RunEvent => eventOf('START', run, at);

/** The last event of a run. `failure`: undefined with success. */
export function endOf(run: LineageRun, at: number, failure: unknown): RunEvent {
  const event = eventOf(endTypeOf(failure), run, at);
  const outputs = outputsOf(run);
  if (failure === undefined) return { ...event, outputs };
  const message = run.mask(asExtractError(failure).message);
  const errorMessage = facet('1-0-1/ErrorMessageRunFacet', { message, programmingLanguage: 'JavaScript' });
  return { ...event, run: { ...event.run, facets: { ...event.run.facets, errorMessage } }, outputs };
}

function endTypeOf(failure: unknown): EventType {
  if (failure === undefined) return 'COMPLETE';
  return asExtractError(failure).code === 'ERR_ABORTED' ? 'ABORT' : 'FAIL';
}

const eventOf = (
  eventType: EventType,
  { runId, namespace, job, description, mask }: LineageRun,
  at: number,
): RunEvent => ({
  eventType,
  eventTime: new Date(at).toISOString(),
  producer,
  schemaURL: `${spec}/2-0-2/OpenLineage.json#/$defs/RunEvent`,
  run: {
    runId,
    facets: { processing_engine: facet('1-1-1/ProcessingEngineRunFacet', { name: 'rxtract', version }) },
  },
  job: {
    namespace,
    name: mask(job),
    facets: {
      jobType: facet('2-0-4/JobTypeJobFacet', { processingType: 'BATCH', integration: 'RXTRACT', jobType: 'JOB' }),
    },
  },
  inputs: description.inputs.map((address) => inputName(mask(address))),
  outputs: [],
});

/** What the run has published. Output of an earlier run, and items that wait for a resume, are not of this one. */
function outputsOf({ description, mask }: LineageRun): readonly Dataset[] {
  const shapes = description.shapes();
  return description.outputs().flatMap((output) => {
    const dataset = output.kept === true || output.unfinished === true ? undefined : outputName(output);
    if (dataset === undefined) return [];
    const { namespace, name } = dataset;
    const shape = shapes.get(output.dataType);
    return {
      namespace: mask(namespace),
      name: mask(name),
      ...(shape === undefined ? {} : { facets: { schema: schemaOf(shape, mask) } }),
      outputFacets: { outputStatistics: statisticsOf(output) },
    };
  });
}

const statisticsOf = ({ items, bytes, size = bytes }: NamedOutput): Facet =>
  facet('1-0-2/OutputStatisticsOutputDatasetFacet', { rowCount: items, size });

const schemaOf = (shape: ValueShape, mask: LineageRun['mask']): Facet =>
  facet('1-2-0/SchemaDatasetFacet', { fields: fieldsOf(shape, mask) });

interface Field {
  readonly name: string;
  readonly type?: string;
  readonly fields?: readonly Field[];
}

/** The members of objects, and of the elements of lists. */
function fieldsOf({ properties, items }: ValueShape, mask: LineageRun['mask']): readonly Field[] {
  if (properties.size === 0) return items === undefined ? [] : fieldsOf(items, mask);
  return [...properties].map(([name, member]) => {
    const [type, fields] = [typeOf(member), fieldsOf(member, mask)];
    return {
      name: mask(name),
      ...(type === '' ? {} : { type }),
      ...(fields.length === 0 ? {} : { fields }),
    };
  });
}

/** A type of JSON, or `date`, `date-time` or `uuid`; several are separated by `|`. Empty: nothing but null. */
const typeOf = ({ types, format }: ValueShape): string =>
  typeNames
    .filter((name) => name !== 'null' && types.has(name))
    .map((name) => (name === 'string' ? (format ?? name) : name))
    .join('|');
