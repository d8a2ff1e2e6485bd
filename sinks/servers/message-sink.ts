/** What sinks that send a message for each item have in common: their members, refused items, and their end. */
import type { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Sink } from '../contract.js';
import { type Counts, createTally } from '../counts.js';
import { hasEnded, throwIfAborted } from '../errors.js';
import { createItemErrors, type ItemErrors } from '../item-errors.js';
import type { MessageForm } from '../messages/messages.js';
import type { ConnectionLine } from './connection-line.js';

interface MessageSinkOptions<Connection> {
  /** Its name in messages. */
  readonly sink: string;
  readonly form: MessageForm;
  /** Its address without secrets. */
  readonly shown: string;
  /** The destination of a data type, for the summary. */
  nameOf(dataType: string): string;
  readonly inServer: InServer;
  /** A connection for `check`, which opens at its first use. */
  createLine(): Pick<ConnectionLine<Connection>, 'once' | 'end'>;
  /** Verifies the destination without a change. */
  verify(connection: Connection): Promise<unknown>;
  /** Ends the connection of the run. */
  end(): void;
}

/** The parts of a sink that sends messages. */
export interface MessageSink {
  readonly tally: Counts;
  readonly errors: ItemErrors;
  readonly form: MessageForm;
  readonly inServer: InServer;
  /** Throws after the end, and if the signal has aborted. */
  mayWrite(signal: AbortSignal): void;
  end(): void;
  readonly members: Pick<Sink, 'name' | 'open' | 'check' | 'summary'>;
}

/** Opens nothing yet. */
export function createMessageSink<Connection>(options: MessageSinkOptions<Connection>): MessageSink {
  const { sink, form, shown, nameOf, inServer } = options;
  const tally = createTally();
  const errors = createItemErrors(sink);
  let isOver = false;
  return {
    tally,
    errors,
    form,
    inServer,
    mayWrite(signal) {
      if (isOver) throw hasEnded(sink);
      throwIfAborted(signal);
    },
    end() {
      isOver = true;
      options.end();
    },
    members: {
      name: shown,
      open(dataType, job, opening) {
        tally.open(dataType);
        form.open(job, opening);
        errors.open(opening);
      },
      async check() {
        const { once, end } = options.createLine();
        try {
          await inServer(`use ${shown}`, () => once(options.verify));
        } finally {
          end();
        }
      },
      summary: () => tally.summary(nameOf),
    },
  };
}

/** Runs work, and describes its failure with the action: `cannot begin: ...`. */
export type InServer = <T>(action: string, work: () => Promise<T>) => Promise<T>;

/** `describe` turns a failure into the error of the sink. */
export const describing =
  (describe: (action: string, thrown: unknown) => ExtractError): InServer =>
  async (action, work) => {
    try {
      return await work();
    } catch (thrown) {
      throw describe(action, thrown);
    }
  };

/** Why an item has no message: `has 2000000 bytes, and the server accepts 1048576`. */
export interface NoMessage {
  readonly reason: string;
}

/** The messages of a batch. */
export interface Messages<Message> {
  readonly messages: readonly Message[];
  /** Indexes of the items that are left out. */
  readonly refused: readonly number[];
}

/** Makes the message of each item from its body, one after the other. Reports the items that cannot have one. */
export async function messagesFrom<Body, Message extends object>(
  batch: Batch,
  bodies: readonly Body[],
  errors: Pick<ItemErrors, 'refuse'>,
  make: (body: Body, index: number) => Message | NoMessage,
): Promise<Messages<Message>> {
  const messages: Message[] = [];
  const refused: number[] = [];
  for (const [index, body] of bodies.entries()) {
    const made = make(body, index);
    if ('reason' in made) {
      await errors.refuse({ batch, index, reason: made.reason });
      refused.push(index);
    } else messages.push(made);
  }
  return { messages, refused };
}
