/** Pages that wait in memory until their commit, which stores one with the position after it, or neither. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Sink } from '../contract.js';
import { type Counts, createTally } from '../counts.js';
import { orAborted } from '../errors.js';
import type { PageSession } from './fenced-session.js';
import type { MessageSink, Messages } from './message-sink.js';

interface TransactionOptions<Message> {
  readonly base: MessageSink;
  readonly session: PageSession<readonly Message[]>;
  /** The session has members of a shared run apart. */
  readonly hasMembers?: true;
  /** Verifies the destination when the run begins. */
  prepare(): Promise<unknown>;
  messagesOf(batch: Batch, signal: AbortSignal): Promise<Messages<Message>>;
  /** Throws if a page of this size, with this batch, is too large. */
  mustFit(size: PageSize, batch: Batch): void;
}

/** How much of a page waits. */
export interface PageSize {
  readonly messages: number;
  /** Of the batches with messages. */
  readonly bytes: number;
}

/** The most that a page may have, in bytes: it is in memory until its commit. */
export const mostPageBytes = 256 * 1024 * 1024;

/** Returns a bound by `mostPageBytes`. `instead`: how to run without transactions, for the message. */
export const boundByMemory =
  (sink: string, instead: string) =>
  ({ bytes }: PageSize, { dataType, job, page }: Batch): void => {
    if (bytes <= mostPageBytes) return;
    const message = `${sink}: a page of "${dataType}" has more than ${mostPageBytes} bytes, which wait in memory for their transaction: request smaller pages, or ${instead}`;
    throw new ExtractError('ERR_SINK', message, { job, page });
  };

/** Makes a sink with transactions. */
export function pageTransactions<Message>(options: TransactionOptions<Message>): Sink {
  const { base, session, hasMembers, prepare, messagesOf, mustFit } = options;
  const { tally, form, inServer, mayWrite, end } = base;
  const pages = new Map<string, PageInMemory<Message>>();
  let mustForget = false;
  return {
    ...base.members,
    recovery: 'transaction',
    async resume(earlier) {
      form.resume(earlier);
      await inServer('begin', async () => {
        await prepare();
        mustForget = !earlier.isStored && earlier.member === undefined; // Also if the answer is lost.
        await session.begin(earlier);
      });
    },
    positions: () => inServer('read the last positions', () => session.positions()),
    async write(batch, signal) {
      mayWrite(signal);
      const page = pages.get(batch.dataType) ?? emptyPage();
      const { messages, refused } = await messagesOf(batch, signal);
      if (messages.length === 0) return;
      page.bytes += batch.bytes.length;
      mustFit({ messages: page.messages.length + messages.length, bytes: page.bytes }, batch);
      for (const message of messages) page.messages.push(message);
      page.counts.add(batch, refused);
      pages.set(batch.dataType, page);
    },
    async commit({ dataType, lane, walk, page: number, keep }, signal) {
      const { messages, counts } = pages.get(dataType) ?? emptyPage<Message>();
      pages.delete(dataType); // The page ends here, also if no answer comes.
      if (messages.length === 0 && keep === undefined) return;
      const store = () => session.store(messages, lane, keep ?? `${walk} ${number}`, signal);
      await orAborted(inServer('store a page', store), signal);
      tally.increase(dataType, counts.at(dataType));
    },
    rollback: (dataType) => void pages.delete(dataType),
    async close() {
      await inServer('end the run', () => session.forget());
      mustForget = false;
      end();
    },
    ...(hasMembers === undefined ? {} : { leave: end }),
    async abort() {
      if (mustForget) await forgotten(session);
      mustForget = false;
      end();
    },
  };
}

/** Without a state no later process needs the positions. A server that does not answer is not waited for. */
const forgotten = ({ forget }: Pick<PageSession<never>, 'forget'>): Promise<void> =>
  orAborted(forget(), AbortSignal.timeout(forgetPatience)).catch(() => {});

/** In ms. */
const forgetPatience = 2000;

/** A page without its commit. */
interface PageInMemory<Message> {
  readonly messages: Message[];
  readonly counts: Counts;
  bytes: number;
}

const emptyPage = <Message>(): PageInMemory<Message> => ({ messages: [], counts: createTally(), bytes: 0 });
