/** Where messages of RabbitMQ go: queues and exchanges are verified, and missing queues are created. */
import { randomBytes } from 'node:crypto';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { NameTemplate } from '../addresses/templates.js';
import { absent } from '../errors.js';
import { type AmqpChannel, isBroken, type RabbitLink, reasonOf, replyCode, replyCodes } from './rabbitmq-client.js';

/** Queues are addressed by the default exchange, whose key is the name of the queue. */
export type RabbitTarget =
  | { readonly kind: 'queue'; readonly exchange: ''; readonly key: NameTemplate; readonly mayCreate: boolean }
  | { readonly kind: 'exchange'; readonly exchange: string; readonly key: NameTemplate };

type OnChannel = RabbitLink['onChannel'];

/**
 * Verifies that the user may publish, that the exchange exists, and the queue, which it creates if `change` is set.
 * Throws ERR_SINK.
 */
export async function verifyTarget(link: RabbitLink, target: RabbitTarget, change: boolean): Promise<void> {
  if (target.kind === 'queue') {
    await link.onChannel(probeQueues);
    if (target.key.isConstant) await verifyQueue(link.onChannel, target.key.text, target.mayCreate, change);
    return;
  }
  const { exchange } = target;
  await link
    .onChannel((channel) => channel.checkExchange(exchange))
    .catch((thrown: unknown) => {
      throw replyCode(thrown) === replyCodes.notFound ? noExchange(exchange) : thrown;
    });
  if (link.isRabbitMq) await probeExchange(link.onChannel, exchange, target.key);
}

/**
 * Verifies that a queue exists, and creates it if it is missing, `mayCreate` and `change` are set. An existing queue is
 * used as it is. Throws ERR_SINK.
 */
export async function verifyQueue(
  onChannel: OnChannel,
  name: string,
  mayCreate: boolean,
  change: boolean,
): Promise<void> {
  const isThere = await onChannel((channel) => channel.checkQueue(name)).then(
    () => true,
    (thrown: unknown) => {
      if (replyCode(thrown) !== replyCodes.notFound || !/no queue/.test(String(thrown))) throw thrown;
      return false;
    },
  );
  if (isThere) return;
  if (!mayCreate) throw absent('amqp', `queue "${name}"`);
  if (!change) return;
  const options = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
  await onChannel((channel) => channel.assertQueue(name, options)).catch((thrown: unknown) => {
    if (replyCode(thrown) === replyCodes.preconditionFailed) return; // Another process has created it meanwhile.
    throw isBroken(thrown) ? thrown : cannotCreate(name, thrown);
  });
}

/** Publishes to a queue that does not exist: the message is returned, and shows that the user may publish. */
function probeQueues(channel: AmqpChannel): Promise<void> {
  return published(channel, '', `rxtract-probe-${randomBytes(8).toString('hex')}`, {});
}

/** RabbitMQ checks the permissions first: a message with an invalid property shows them, and is never stored. */
async function probeExchange(onChannel: OnChannel, exchange: string, key: NameTemplate): Promise<void> {
  const options = { expiration: 'rxtract-probe' };
  await onChannel((channel) => published(channel, exchange, key.isConstant ? key.text : '', options)).catch(
    (thrown: unknown) => {
      if (replyCode(thrown) !== replyCodes.preconditionFailed) throw thrown;
    },
  );
}

function published(channel: AmqpChannel, exchange: string, key: string, options: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (thrown: Error | null) => (thrown === null ? resolve() : reject(thrown));
    channel.publish(exchange, key, Buffer.alloc(0), { mandatory: true, ...options }, settle);
  });
}

const noExchange = (name: string) =>
  failed(`there is no exchange "${name}": create it, with the bindings to its queues`);

const cannotCreate = (name: string, thrown: unknown) =>
  new ExtractError('ERR_SINK', `amqp: cannot create the queue "${name}": ${reasonOf(thrown)}`, { cause: thrown });

const failed = (message: string) => new ExtractError('ERR_SINK', `amqp: ${message}`);
