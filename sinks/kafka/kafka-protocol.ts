/** The requests of the protocol of Kafka that are used, and what is read of their responses. */
import type { HostAndPort } from '../addresses/server-address.js';

/** The version of each request: those that Kafka 3.0 and 4 have in common. */
export const versions = {
  AddPartitionsToTxn: 'addPartitionsToTxnV3',
  ApiVersions: 'apiVersionsV3',
  CreateTopics: 'createTopicsV7',
  DescribeConfigs: 'describeConfigsV4',
  EndTxn: 'endTxnV3',
  Fetch: 'fetchV12',
  FindCoordinator: 'findCoordinatorV4',
  InitProducerId: 'initProducerIdV3',
  ListOffsets: 'listOffsetsV6',
  Metadata: 'metadataV9',
  Produce: 'produceV9',
} as const;

export type RequestName = keyof typeof versions;

/** What is read of each response. */
export interface Responses {
  readonly AddPartitionsToTxn: unknown;
  readonly ApiVersions: {
    readonly apiKeys: readonly { readonly apiKey: number; readonly minVersion: number; readonly maxVersion: number }[];
  };
  readonly CreateTopics: unknown;
  readonly DescribeConfigs: {
    readonly results: readonly {
      readonly configs: readonly { readonly name: string; readonly value: string | null }[];
    }[];
  };
  readonly EndTxn: unknown;
  readonly Fetch: {
    readonly responses: readonly { readonly partitions: readonly { readonly records?: readonly RecordBatch[] }[] }[];
  };
  readonly FindCoordinator: { readonly coordinators: readonly (HostAndPort & { readonly nodeId: number })[] };
  readonly InitProducerId: { readonly producerId: bigint; readonly producerEpoch: number };
  readonly ListOffsets: {
    readonly topics: readonly { readonly partitions: readonly { readonly offset: bigint }[] }[];
  };
  readonly Metadata: {
    readonly brokers: readonly (HostAndPort & { readonly nodeId: number })[];
    readonly topics: readonly TopicMetadata[];
  };
  readonly Produce: ProduceResponse;
}

export interface TopicMetadata {
  readonly name: string;
  readonly errorCode: number;
  readonly partitions: readonly {
    readonly errorCode: number;
    readonly partitionIndex: number;
    readonly leaderId: number;
  }[];
  /** A bit for each operation that the user may do. */
  readonly topicAuthorizedOperations: number;
}

export interface ProduceResponse {
  readonly responses: readonly {
    readonly name: string;
    readonly partitionResponses: readonly {
      readonly index: number;
      readonly errorCode: number;
      readonly recordErrors: readonly { readonly batchIndex: number }[];
    }[];
  }[];
}

/** A batch of records in the log of a partition. */
export interface RecordBatch {
  readonly firstOffset: bigint;
  readonly lastOffsetDelta: number;
  readonly attributes: number;
  readonly producerId: bigint;
  readonly records: readonly { readonly key: Buffer | null; readonly value: Buffer | null }[];
}

export interface KafkaServer {
  /** Brokers that are asked for the others. */
  readonly hosts: readonly HostAndPort[];
  /** Options of `tls.connect`; undefined: no TLS. */
  readonly tls: (() => Promise<object>) | undefined;
  readonly sasl?: { readonly mechanism: string; readonly username: string; readonly password: string };
}

export interface TopicFacts {
  /** The broker of each partition; -1: there is none at the moment. */
  readonly leaders: readonly number[];
  /** The largest batch that the topic accepts; undefined: not known. */
  readonly mostBytes: number | undefined;
}
