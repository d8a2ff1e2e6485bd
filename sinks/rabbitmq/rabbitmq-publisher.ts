/**
 * Publishes messages ahead of their confirms, in a bounded window. Those without a confirm are sent again on another
 * connection, in their order. On its own, because its state is a matter of each message.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import { elementAt } from '../../src/core/util/element-at.js';
import type { RefusedItem } from '../contract.js';
import { orAborted } from '../errors.js';
import { placeOf } from '../item-errors.js';
import { repeated } from '../servers/reconnect.js';
import {
  type AmqpMessage,
  isBroken,
  type Outcome,
  type RabbitEvents,
  type RabbitLink,
  rabbitError,
  replyCode,
  replyCodes,
} from './rabbitmq-client.js';

/** A message, and the item that it is made of. */
export interface RabbitMessage extends AmqpMessage {
  readonly batch: Batch;
  /** Of the item in the batch. */
  readonly index: number;
  /** The item chose the key: if no queue gets it, that is a fault of the item. */
  readonly isRoutedByItem: boolean;
}

export interface PublisherOptions {
  readonly connect: (events: RabbitEvents) => Promise<RabbitLink>;
  /** How long a broker may accept no message, in ms. */
  readonly patienceMs: number;
  readonly notify?: Notify | undefined;
  /** Reports a message that the broker refuses for its own sake: when it settles, the message is left out. */
  readonly refuse: (refused: RefusedItem) => Promise<void>;
}

/** Most messages without a confirm, and their most bytes, unless one message has more. */
export const mostUnconfirmed = { messages: 10_000, bytes: 8 * 1024 * 1024 } as const;

/** Connections that may break one after the other without a confirm between them. */
const mostLosses = 10;
/** In ms. A queue that refuses a message is asked again after these; the last one repeats. */
const pauses: readonly number[] = [20, 50, 100, 200, 500, 1000];

/** A message without a confirm. */
interface Entry {
  readonly message: RabbitMessage;
  isSent: boolean;
}

interface Waiting {
  readonly isOver: () => boolean;
  readonly resolve: () => void;
  readonly reject: (thrown: unknown) => void;
}

/** A connection in use. Events of an earlier one do not count. */
interface Turn {
  readonly link: RabbitLink;
  /** Sent on it, and neither confirmed nor refused. */
  inFlight: number;
  /** A queue has refused a message: nothing is sent until all that is in flight has an outcome. */
  isHolding: boolean;
}

export class RabbitPublisher {
  /** In the order of their items. */
  readonly #entries = new Set<Entry>();
  readonly #byDataType = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  readonly #failureListeners = new Set<(thrown: unknown) => void>();
  readonly #ended = new AbortController();
  readonly #options: PublisherOptions;
  #bytes = 0;
  #turn: Turn | undefined;
  #isConnecting = false;
  #losses = 0;
  /** One after the other, without a confirm between them. */
  #refusals = 0;
  #hasBeenRefused = false;
  #blocked: string | undefined;
  #silence: NodeJS.Timeout | undefined;
  #failure: ExtractError | undefined;

  /** Connects with the first call. */
  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Calls the listener once, with the error that ends all calls. */
  onFailure(listener: (thrown: unknown) => void): void {
    this.#failureListeners.add(listener);
  }

  /** Connects, runs work on the connection, and keeps it. Rejects with the first failure: nothing is tried again. */
  async begin(verify: (link: RabbitLink) => Promise<void>): Promise<void> {
    let stop = (_: string) => {};
    const blocked = new Promise<never>((_, reject) => {
      stop = (reason) => reject(blockedError(reason));
    });
    blocked.catch(() => {}); // It matters only while the work lasts.
    const turn = await this.#open((reason) => stop(reason));
    try {
      await Promise.race([verify(turn.link), blocked]);
    } catch (thrown) {
      await turn.link.close();
      throw thrown;
    }
    if (turn.link.ending !== undefined) throw turn.link.ending.thrown;
    this.#turn = turn;
  }

  /** Whether the window has room for so many bytes. */
  hasRoom(bytes: number): boolean {
    const { size } = this.#entries;
    return size === 0 || (size < mostUnconfirmed.messages && this.#bytes + bytes <= mostUnconfirmed.bytes);
  }

  /** Settles when the window has room for so many bytes. */
  room(bytes: number, signal: AbortSignal): Promise<void> {
    return this.#until(() => this.hasRoom(bytes), signal);
  }

  /** Accepts a message, and publishes it at once if there is a connection. */
  add(message: RabbitMessage): void {
    if (this.#failure !== undefined) throw this.#failure;
    const entry: Entry = { message, isSent: false };
    const { dataType } = message.batch;
    const { byteLength } = message.content;
    this.#entries.add(entry);
    this.#bytes += byteLength;
    this.#byDataType.set(dataType, (this.#byDataType.get(dataType) ?? 0) + 1);
    if (this.#turn === undefined) this.#connect();
    else {
      if (this.#entries.size === 1) this.#expectProgress();
      if (!this.#turn.isHolding) this.#send(entry, this.#turn);
    }
  }

  /** Settles when all messages of the data type are confirmed; without one, when all messages are. */
  async confirmed(dataType: string | undefined, signal: AbortSignal): Promise<void> {
    const isOver = () =>
      dataType === undefined ? this.#entries.size === 0 : (this.#byDataType.get(dataType) ?? 0) === 0;
    await this.#until(isOver, signal);
  }

  /** Runs work on a channel, and again on another connection if it breaks, for a minute at most. */
  onChannel: RabbitLink['onChannel'] = (work) => {
    const attempt = async () => {
      if (this.#turn === undefined) {
        this.#connect();
        await this.#until(() => this.#turn !== undefined, this.#ended.signal);
      }
      const late = delay(this.#options.patienceMs, undefined, { ref: false }).then(() => {
        throw this.#noProgress();
      });
      return await Promise.race([this.#linked().onChannel(work), late]);
    };
    return repeated(attempt, { isTemporary: isBroken, signal: this.#ended.signal });
  };

  /** Ends the connection. Messages without a confirm are given up. */
  async end(): Promise<void> {
    this.#ended.abort();
    clearTimeout(this.#silence);
    const turn = this.#turn;
    this.#turn = undefined;
    await turn?.link.close();
  }

  #linked(): RabbitLink {
    if (this.#turn === undefined) throw new Error('the connection is closed');
    return this.#turn.link;
  }

  /** Opens a connection whose events count only while it is the current one. */
  async #open(onBlocked: (reason: string) => void): Promise<Turn> {
    let turn: Turn | undefined;
    const link = await this.#options.connect({
      lost: (thrown) => {
        if (turn !== undefined && turn === this.#turn) this.#lose(thrown);
      },
      blocked: (reason) => {
        onBlocked(reason);
        this.#blocked = reason;
        if (this.#turn !== undefined) this.#notify(`the broker accepts no messages for now: ${reason}`);
      },
      unblocked: () => {
        this.#blocked = undefined;
        this.#notify('the broker accepts messages again');
      },
    });
    turn = { link, inFlight: 0, isHolding: false };
    this.#blocked = undefined;
    return turn;
  }

  #notify(message: string): void {
    this.#options.notify?.({ level: 'info', code: 'sink-blocked', message: `amqp: ${message}` });
  }

  /** Opens another connection, and sends everything without a confirm on it. */
  #connect(): void {
    if (this.#isConnecting || this.#ended.signal.aborted) return;
    this.#isConnecting = true;
    const isTemporary = (thrown: unknown) => thrown instanceof ExtractError && thrown.cause !== undefined;
    const open = async () => {
      const turn = await this.#open(() => {});
      if (turn.link.ending !== undefined) throw rabbitError('connect', turn.link.ending.thrown);
      return turn;
    };
    repeated(open, { isTemporary, signal: this.#ended.signal })
      .then(
        async (turn) => {
          if (this.#ended.signal.aborted) return turn.link.close();
          this.#isConnecting = false;
          this.#turn = turn;
          if (this.#entries.size > 0) this.#expectProgress();
          this.#sendAgain(turn);
          return undefined;
        },
        (thrown) => this.#fail(rabbitError('connect', thrown)),
      )
      .catch((thrown) => this.#fail(rabbitError('send messages again', thrown)));
  }

  #sendAgain(turn: Turn): void {
    turn.isHolding = false;
    for (const entry of this.#entries) if (!entry.isSent) this.#send(entry, turn);
    this.#wake();
  }

  #send(entry: Entry, turn: Turn): void {
    entry.isSent = true;
    turn.inFlight += 1;
    try {
      turn.link.publish(entry.message, (outcome) => {
        if (turn === this.#turn) this.#settle(entry, turn, outcome);
      });
    } catch (thrown) {
      if (!isBroken(thrown)) this.#fail(rabbitError('publish', thrown));
      // Else the connection has ended: its event follows, and all is sent again.
    }
  }

  #settle(entry: Entry, turn: Turn, outcome: Outcome): void {
    turn.inFlight -= 1;
    if (outcome === 'refused') {
      entry.isSent = false;
      turn.isHolding = true;
    } else if (outcome === 'returned') this.#return(entry);
    else this.#remove(entry);
    if (turn.isHolding && turn.inFlight === 0) this.#pause(turn);
  }

  #remove(entry: Entry): void {
    const { batch, content } = entry.message;
    if (!this.#entries.delete(entry)) return;
    this.#bytes -= content.byteLength;
    this.#byDataType.set(batch.dataType, (this.#byDataType.get(batch.dataType) ?? 0) - 1);
    this.#losses = 0;
    this.#refusals = 0;
    if (this.#entries.size === 0) clearTimeout(this.#silence);
    else this.#silence?.refresh();
    this.#wake();
  }

  /** A full queue: what it refused is sent again, in its order, after a pause. That is no progress. */
  #pause(turn: Turn): void {
    const ms = elementAt(pauses, Math.min(this.#refusals, pauses.length - 1));
    this.#refusals += 1;
    if (!this.#hasBeenRefused) this.#notify('a queue refuses messages for now: they are sent again');
    this.#hasBeenRefused = true;
    setTimeout(() => {
      if (turn === this.#turn && this.#failure === undefined) this.#sendAgain(turn);
    }, ms);
  }

  #lose(thrown: unknown): void {
    this.#turn = undefined;
    clearTimeout(this.#silence);
    for (const entry of this.#entries) entry.isSent = false;
    this.#losses += 1;
    const large = this.#tooLarge(thrown);
    if (large !== undefined) {
      this.#isConnecting = true; // Not before the report: all that has no confirm is sent then.
      this.#leaveOut(large.entry, large.reason, () => {
        this.#isConnecting = false;
        this.#connect();
      });
    } else if (!isBroken(thrown) || this.#losses > mostLosses) this.#fail(rabbitError('publish', thrown));
    else this.#connect();
  }

  #return(entry: Entry): void {
    const { isRoutedByItem, batch, index } = entry.message;
    const reason = unroutable(entry.message);
    const text = `amqp: ${placeOf(batch, index)} ${reason}`;
    if (isRoutedByItem) this.#leaveOut(entry, reason, () => {});
    else this.#fail(new ExtractError('ERR_SINK', text, { job: batch.job, page: batch.page }));
  }

  /** Reports a message, and continues without it, or fails. */
  #leaveOut(entry: Entry, reason: string, next: () => void): void {
    const { batch, index } = entry.message;
    this.#options.refuse({ batch, index, reason }).then(
      () => {
        this.#remove(entry);
        next();
      },
      (thrown) => this.#fail(rabbitError('leave an item out', thrown)),
    );
  }

  /** A message that is too large closes its channel: its size says which it is. */
  #tooLarge(thrown: unknown): { readonly entry: Entry; readonly reason: string } | undefined {
    const text = thrown instanceof Error ? thrown.message : '';
    const [, size, most] = /message size (\d+) is larger than .*max size (\d+)/.exec(text) ?? [];
    const isSize = replyCode(thrown) === replyCodes.preconditionFailed && size !== undefined;
    const entry = [...this.#entries].find(({ message }) => isSize && message.content.byteLength === Number(size));
    if (entry === undefined) return undefined;
    return {
      entry,
      reason: `has ${size} bytes, and the broker accepts messages of ${most}: raise its max_message_size`,
    };
  }

  /** From now on, and from each confirm on, the broker has so long to confirm another message. */
  #expectProgress(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#fail(this.#noProgress()), this.#options.patienceMs);
  }

  #noProgress(): ExtractError {
    const seconds = this.#options.patienceMs / 1000;
    if (this.#blocked !== undefined) return blockedError(this.#blocked, seconds);
    const reason =
      this.#refusals > 0
        ? `has refused messages for ${seconds} s: the queue is at its limit (x-max-length with reject-publish), or not available`
        : `has confirmed no message for ${seconds} s`;
    return failed(`the broker ${reason}`);
  }

  #fail(error: ExtractError): void {
    if (this.#failure !== undefined || this.#ended.signal.aborted) return;
    this.#failure = error;
    clearTimeout(this.#silence);
    this.#wake();
    for (const listener of this.#failureListeners) listener(error);
  }

  async #until(isOver: () => boolean, signal: AbortSignal): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (isOver()) return;
    let waiting: Waiting | undefined;
    const over = new Promise<void>((resolve, reject) => {
      waiting = { isOver, resolve, reject };
      this.#waiting.add(waiting);
    });
    try {
      await orAborted(over, signal);
    } finally {
      if (waiting !== undefined) this.#waiting.delete(waiting);
    }
  }

  #wake(): void {
    for (const waiting of this.#waiting) {
      if (this.#failure !== undefined) waiting.reject(this.#failure);
      else if (waiting.isOver()) waiting.resolve();
    }
  }
}

function unroutable({ exchange, key }: RabbitMessage): string {
  const where =
    exchange === ''
      ? `the queue "${key}" does not exist any more`
      : `no queue is bound to the exchange "${exchange}" for the key "${key}": add a binding, or an alternate exchange`;
  return `cannot be routed: ${where}`;
}

const blockedError = (reason: string, seconds?: number) =>
  new ExtractError(
    'ERR_SINK',
    `amqp: the broker accepts no messages${seconds === undefined ? '' : ` for ${seconds} s`}: ${reason}`,
    { remedy: 'Free disk or memory of the broker, or raise its limits: `rabbitmqctl list_alarms` names the alarm.' },
  );

const failed = (message: string) => new ExtractError('ERR_SINK', `amqp: ${message}`);
