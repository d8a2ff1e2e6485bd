/** The messages of a batch for a queue: the bytes of its items, or CloudEvents. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { GivenOptions, OptionRows, OptionsOf } from '../../src/core/options/kind.js';
import { nonEmptyText, word } from '../../src/core/options/kinds.js';
import { usageError } from '../../src/core/util/check-value.js';
import type { Earlier, Opening } from '../contract.js';
import type { Destination } from '../entry.js';
import { cloudEvents } from './cloud-event.js';
import { itemBytes } from './message-id.js';

/** Makes the messages of a queue. */
export interface MessageForm {
  /** Passes on what `resume` was given: the start of the run. */
  resume(earlier: Pick<Earlier, 'startedAt'>): void;
  /** Passes on what `open` was given: the address of the API. */
  open(job: string, opening: Opening | undefined): void;
  /** The messages of a batch, in the order of its items. */
  messagesOf(batch: Batch): readonly Uint8Array[];
  /** The same messages as texts, for clients that send them faster. */
  textsOf(batch: Batch): readonly string[];
}

export const envelopeOptions = {
  envelope: {
    kind: word('none', 'cloudevents'),
    summary: 'form of the messages: the bytes of each item, or CloudEvents 1.0 in structured mode',
    default: 'none',
  },
  source: {
    kind: nonEmptyText,
    summary: 'with `envelope=cloudevents`: the beginning of the `source` of the events, a URL',
    otherwise: '`baseUrl` of the API',
  },
} as const satisfies OptionRows;

/** The form of messages in code. */
export interface EnvelopeOptions extends GivenOptions<typeof envelopeOptions> {}

/** Makes the form of the messages. Throws ERR_USAGE. */
export function readEnvelope(
  { envelope, source }: OptionsOf<typeof envelopeOptions>,
  { scheme }: Pick<Destination, 'scheme'>,
): MessageForm {
  if (source !== undefined && !URL.canParse(source)) {
    throw usageError(`${scheme}: source: expected a URL, found "${source}"`);
  }
  if (envelope === 'cloudevents') return eventEnvelope(source);
  if (source === undefined) return plainEnvelope;
  throw usageError(`${scheme}: source needs envelope=cloudevents`);
}

const plainEnvelope: MessageForm = {
  resume() {},
  open() {},
  messagesOf: (batch) => Array.from({ length: batch.count }, (_, index) => itemBytes(batch, index)),
  textsOf: ({ bytes }) => utf8(bytes).slice(0, -1).split('\n'), // Compact JSON contains no raw newline.
};

/** The time of all events is the start of the run, so that an event that is sent again has the same bytes. */
function eventEnvelope(source: string | undefined): MessageForm {
  const sources = new Map<string, string>();
  let time = new Date(0);
  const eventsOf = (batch: Batch) =>
    cloudEvents(batch, { address: source ?? sources.get(batch.job) ?? noSource(), time });
  return {
    resume({ startedAt = 0 }) {
      time = new Date(startedAt);
    },
    open(job, { address } = {}) {
      if (address !== undefined) sources.set(job, address);
    },
    messagesOf: eventsOf,
    textsOf: (batch) => eventsOf(batch).map(utf8),
  };
}

const utf8 = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('utf8');

function noSource(): never {
  throw new ExtractError('ERR_SINK', 'envelope=cloudevents: no address of the API is known: add source=URL');
}
