/** The client library of Kafka: the part that is used, one connection to each broker, and requests of the protocol. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { type HostAndPort, hostText } from '../addresses/server-address.js';
import { loadClient } from '../servers/load-client.js';
import { codes, connectError, failureOf, KafkaFailure, unreachable } from './kafka-errors.js';
import { type KafkaServer, type RequestName, type Responses, type TopicFacts, versions } from './kafka-protocol.js';

/** A connection of `@platformatic/kafka` 1; its own types are not used, because the package is optional. */
interface BrokerConnection {
  connect(host: string, port: number): Promise<unknown>;
  on(event: 'error' | 'close', listener: () => void): unknown;
  close(): Promise<unknown>;
}

interface ProtocolRequest {
  readonly key: number;
  readonly version: number;
  async(connection: BrokerConnection, ...parameters: readonly unknown[]): Promise<unknown>;
}

/** The protocol layer of the package. Its producer and its consumer are not used: docs/decisions/028 says why. */
type KafkaLibrary = {
  readonly Connection: new (client: string, options: object) => BrokerConnection;
  readonly compressionsAlgorithms: Readonly<Record<string, { compressSync(bytes: Buffer): Buffer }>>;
} & { readonly [Name in (typeof versions)[RequestName]]: { readonly api: ProtocolRequest } };

/** The packages to install. */
export const kafkaPackages: readonly string[] = ['@platformatic/kafka@1'];

/** The connections to a cluster. */
export interface KafkaLink {
  /** What is known of topics, by name: until a connection breaks. */
  readonly topics: Map<string, TopicFacts>;
  /** The brokers of coordinators, by transactional id. */
  readonly coordinators: Map<string, number>;
  /** Announces the address of a broker. */
  addBroker(broker: HostAndPort & { readonly nodeId: number }): void;
  /**
   * Sends a request to a broker; undefined: to any. Rejects with a KafkaFailure if the response has an error, else with
   * that of the connection.
   */
  call<Name extends RequestName>(
    name: Name,
    broker: number | undefined,
    ...parameters: readonly unknown[]
  ): Promise<Responses[Name]>;
  /** The bytes of a message as a batch would have them. */
  compress(compression: string, bytes: Buffer): Buffer;
  isClosed(): boolean;
  close(): void;
}

/** How long a connection or a response may take, in ms. */
const patience = 10_000;
export const responsePatience = 30_000;

/** Connects to the first host that is there, and asks it for its cluster. Rejects with ERR_SINK. */
export async function connectKafka(server: KafkaServer): Promise<KafkaLink> {
  const library = await loadClient<KafkaLibrary>('@platformatic/kafka', 'kafka:', kafkaPackages);
  const tls = await server.tls?.();
  let failure: unknown;
  for (const host of server.hosts) {
    const link = createLink(library, host, (to) => openConnection(library, to, tls, server.sasl));
    try {
      await verifyVersions(link, library);
      const { brokers } = await link.call('Metadata', undefined, [], false, false);
      for (const broker of brokers) link.addBroker(broker);
      return link;
    } catch (thrown) {
      link.close();
      failure ??= thrown;
    }
  }
  throw connectError(server, failure);
}

function createLink(
  library: KafkaLibrary,
  first: HostAndPort,
  open: (host: HostAndPort) => Promise<BrokerConnection>,
): KafkaLink {
  const brokers = new Map<number, HostAndPort>();
  const connections = new Map<string, Promise<BrokerConnection>>();
  let isClosed = false;
  const close = () => {
    isClosed = true;
    for (const each of connections.values()) each.then((connection) => connection.close()).catch(() => {});
    connections.clear();
  };
  const opened = async (host: HostAndPort) => {
    const connection = await open(host).catch((thrown: unknown) => {
      throw hostText(host) === hostText(first) ? thrown : unreachable(host, thrown);
    });
    connection.on('close', close); // The topics and the coordinators may be elsewhere from now on.
    if (isClosed) await connection.close();
    return connection;
  };
  const connectionTo = (broker: number | undefined) => {
    const host = broker === undefined ? first : brokers.get(broker);
    if (host === undefined)
      throw new KafkaFailure('Metadata', [codes.brokerNotAvailable], `there is no broker ${broker}`);
    const found = connections.get(hostText(host)) ?? opened(host);
    connections.set(hostText(host), found);
    return found;
  };
  return {
    topics: new Map(),
    coordinators: new Map(),
    addBroker: ({ nodeId, host, port }) => void brokers.set(nodeId, { host, port }),
    async call<Name extends RequestName>(name: Name, broker: number | undefined, ...parameters: readonly unknown[]) {
      const { api } = library[versions[name]];
      try {
        return (await api.async(await connectionTo(broker), ...parameters)) as Responses[Name]; // of the protocol
      } catch (thrown) {
        throw failureOf(name, thrown);
      }
    },
    compress: (compression, bytes) => library.compressionsAlgorithms[compression]?.compressSync(bytes) ?? bytes,
    isClosed: () => isClosed,
    close,
  };
}

/** An IP address has no place in the name of a TLS handshake. RFC 6066, section 3. */
const isAddress = /^[\d.]+$|:/;

async function openConnection(
  { Connection }: KafkaLibrary,
  { host, port }: HostAndPort,
  tls: object | undefined,
  sasl: KafkaServer['sasl'],
): Promise<BrokerConnection> {
  const connection = new Connection('rxtract', {
    connectTimeout: patience,
    requestTimeout: responsePatience + patience,
    ...(tls === undefined ? {} : { tls, ...(isAddress.test(host) ? {} : { tlsServerName: true }) }),
    ...(sasl === undefined ? {} : { sasl }),
  });
  connection.on('error', () => {}); // The request in progress, or the next one, rejects.
  try {
    await connection.connect(host, port);
    return connection;
  } catch (thrown) {
    connection.close().catch(() => {});
    throw thrown;
  }
}

async function verifyVersions(link: KafkaLink, library: KafkaLibrary): Promise<void> {
  const { apiKeys } = await link.call('ApiVersions', undefined, 'rxtract', '0');
  for (const [name, wanted] of Object.entries(versions)) {
    const { key, version } = library[wanted].api;
    const known = apiKeys.find(({ apiKey }) => apiKey === key);
    if (known !== undefined && known.minVersion <= version && version <= known.maxVersion) continue;
    throw new ExtractError(
      'ERR_SINK',
      `kafka: the server has no version ${version} of ${name}: Kafka 3.0 or newer is needed`,
    );
  }
}
