/** Connections to a cluster of Kafka whose answers a test decides. */
import type { KafkaLink } from '../../../sinks/kafka/kafka-client.js';

/** Gets the name of a request, its broker and its parameters. */
export type Answer = (name: string, broker: number | undefined, ...parameters: readonly unknown[]) => unknown;

/** Each request is answered, or fails, as the function says. `leaders`: those of the topic `t`. */
export function linkOf(answer: Answer, leaders: readonly number[] = [1]): KafkaLink {
  const call = (name: string, broker: number | undefined, ...parameters: readonly unknown[]): Promise<never> =>
    Promise.resolve().then(() => answer(name, broker, ...parameters) as never); // a response of any kind
  return {
    topics: new Map([['t', { leaders, mostBytes: undefined }]]),
    coordinators: new Map(),
    addBroker() {},
    call,
    compress: (_, bytes) => bytes,
    isClosed: () => false,
    close() {},
  };
}
