/**
 * Real servers for tests and chaos: each its own process on a free port, in a folder of its own, started and ended by
 * the test. A server that is not installed is a reason to skip (`testWhere`), never a failure.
 */
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { loadClient } from '../../sinks/servers/load-client.js';
import { freePort, startServer, type TestServer } from './start-server.js';

export { freePort, startServer, type TestServer } from './start-server.js';

/** Finds a program in the folder of RXTRACT_SERVERS, on the path, or in one of these folders. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const { RXTRACT_SERVERS = '', PATH = '' } = process.env;
  const all = [...RXTRACT_SERVERS.split(delimiter), ...PATH.split(delimiter), ...folders].filter((each) => each !== '');
  return all.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Why a server cannot be tested here; undefined: it can. */
export const missingProgram = (name: string): string | undefined =>
  findProgram(name) === undefined ? `${name} is not installed` : undefined;

const program = (name: string): string => findProgram(name) ?? name;

/** Debian keeps the programs of each version in a folder that is not on the path. */
function postgresFolders(): readonly string[] {
  const all = '/usr/lib/postgresql';
  return existsSync(all) ? readdirSync(all).map((version) => join(all, version, 'bin')) : [];
}

/** Why PostgreSQL cannot be tested here. */
export const postgresMissing =
  findProgram('initdb', postgresFolders()) === undefined ? 'postgresql is not installed' : undefined;

/** It refuses to run as root: then it runs as the user that owns nothing. */
const ownerOfNothing = 65_534;

/** Starts PostgreSQL with the user `rx` and the database `postgres`; `more` are further settings. */
export const startPostgres = (more: readonly string[] = []): Promise<TestServer> =>
  startServer({
    crash: 'SIGQUIT', // After SIGKILL its other processes would live on for a moment, and stop its next start.
    untilReady: async (port) => (await connectReady(port)).end(),
    command({ port, folder }) {
      const uid = process.getuid?.() === 0 ? ownerOfNothing : undefined;
      if (uid !== undefined) chownSync(folder, uid, uid);
      const data = join(folder, 'data');
      const [initdb, file] = ['initdb', 'postgres'].map((name) => findProgram(name, postgresFolders()) ?? name);
      const options = ['-D', data, '-U', 'rx', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
      execFileSync(initdb ?? '', options, { stdio: 'ignore', ...(uid === undefined ? {} : { uid, gid: uid }) });
      const settings = ['fsync=off', 'shared_buffers=32MB', 'listen_addresses=127.0.0.1', `port=${port}`, ...more];
      const args = ['-D', data, '-k', folder, ...settings.flatMap((setting) => ['-c', setting])];
      return { file: file ?? '', args, ...(uid === undefined ? {} : { uid }) };
    },
  });

export interface PostgresReader {
  query(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  end(): Promise<void>;
}

/** Connects to a PostgreSQL of `startPostgres` as `rx`, or as another user; waits while it starts. */
export async function connectReady(port: number, more: object = {}): Promise<PostgresReader> {
  const { default: library } = await loadClient<{ default: { Client: new (options: object) => PostgresClient } }>(
    'pg',
    'the test',
    ['pg'],
  );
  for (;;) {
    const client = new library.Client({
      host: '127.0.0.1',
      port,
      user: 'rx',
      database: 'postgres',
      ssl: false,
      ...more,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === '57P03')) throw thrown;
      await setTimeout(20);
    }
  }
}

interface PostgresClient extends PostgresReader {
  connect(): Promise<unknown>;
  on(event: 'error', listener: () => void): unknown;
}

/** Why Redis cannot be tested here. */
export const redisMissing = missingProgram('redis-server');

/**
 * Starts Redis with an append-only file; `more` are further settings. It leaves the disk to the system: what it writes
 * each second it may write late, and a crash of its process would lose what it has acknowledged.
 */
export const startRedis = (more: readonly string[] = []): Promise<TestServer> =>
  startServer({
    untilReady: untilPonged,
    command: ({ port, folder }) => ({
      file: program('redis-server'),
      args: [
        ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '', '--daemonize', 'no'],
        ...['--appendonly', 'yes', '--appendfsync', 'no', ...more],
      ],
    }),
  });

/** Its ports are open before it has read its file; until then it answers LOADING. */
async function untilPonged(port: number): Promise<void> {
  for (let reply = '-LOADING'; reply.startsWith('-LOADING'); await setTimeout(20)) {
    const socket = connect(port, '127.0.0.1');
    socket.write('PING\r\n');
    [reply] = (await once(socket.setEncoding('latin1'), 'data')) as [string]; // by its encoding
    socket.destroy();
  }
}

/** Why NATS cannot be tested here. */
export const natsMissing = missingProgram('nats-server');

/** Why atomic batches of NATS cannot be tested here: Debian has an older server. */
export const natsBatchesMissing = natsMissing ?? whyNoBatches();

function whyNoBatches(): string | undefined {
  const printed = execFileSync(program('nats-server'), ['--version'], { encoding: 'utf8' });
  const version = /v(\d+\.\d+)/.exec(printed)?.[1] ?? '';
  const isOld = version.localeCompare('2.12', 'en', { numeric: true }) < 0;
  return isOld ? `nats-server ${version} has no atomic batches, which need 2.12` : undefined;
}

/** Starts NATS with JetStream and messages of 8 MiB; `more` are further lines of its configuration. */
export const startNats = (more: readonly string[] = []): Promise<TestServer> =>
  startServer({
    command({ port, folder }) {
      const store = JSON.stringify(join(folder, 'js'));
      const file = join(folder, 'nats.conf');
      const lines = [`listen: 127.0.0.1:${port}`, `jetstream { store_dir: ${store} }`, 'max_payload: 8MB', ...more];
      writeFileSync(file, `${lines.join('\n')}\n`);
      return { file: program('nats-server'), args: ['-c', file] };
    },
  });

/** Why an object store cannot be tested here. */
export const s3Missing = missingProgram('gofakes3');

/** Starts an object store with the bucket `lake`, which keeps objects, but no uploads, through a restart. */
export const startS3 = (): Promise<TestServer> =>
  startServer({
    command({ port, folder }) {
      const options = ['-backend', 'bolt', '-bolt.db', join(folder, 's3.db'), '-initialbucket', 'lake'];
      return { file: program('gofakes3'), args: ['-host', `127.0.0.1:${port}`, ...options] };
    },
  });

/** The folder with the jars of Kafka. */
const kafkaJars = findProgram('kafka');

/** Why Kafka cannot be tested here. */
export const kafkaMissing =
  missingProgram('java') ?? (kafkaJars === undefined ? 'the jars of kafka are not installed' : undefined);

const javaOptions = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** Runs a class of Kafka's jars, and resolves to its standard output. */
export async function runKafkaTool(words: readonly string[]): Promise<string> {
  const args = [...javaOptions, '-Dlog4j2.level=OFF', '-cp', `${kafkaJars}/*`, ...words];
  const { stdout } = await promisify(execFile)(program('java'), args, { maxBuffer: 1 << 28 });
  return stdout;
}

interface KafkaOptions {
  /** Further lines of the configuration. */
  readonly lines?: readonly string[];
  /** The protocol for clients. With another than PLAINTEXT, users have only the rights that they are given. */
  readonly protocol?: 'PLAINTEXT' | 'SASL_SSL';
  /** The address for clients that the broker names; absent: its own. */
  readonly advertised?: string;
  /** Words for the tool that formats the storage, such as users of SCRAM. */
  readonly format?: readonly string[];
}

export interface KafkaServer extends TestServer {
  /** A port without TLS and login, whose clients have all rights. */
  readonly adminPort: number;
}

/** Starts one broker of Kafka that is its own controller. */
export async function startKafka(options: KafkaOptions = {}): Promise<KafkaServer> {
  const [controller, adminPort] = [await freePort(), await freePort()];
  const server = await startServer({
    morePorts: [adminPort],
    untilReady: () => untilRegistered(adminPort),
    async prepare(place) {
      const file = join(place.folder, 'server.properties');
      writeFileSync(file, `${kafkaConfiguration({ ...place, controller, adminPort }, options).join('\n')}\n`);
      const words = ['-t', '4L6g3nShT-eMCtK--X86sw', '-c', file, ...(options.format ?? [])];
      await runKafkaTool(['kafka.tools.StorageTool', 'format', ...words]);
    },
    command: ({ folder }) => ({
      file: program('java'),
      args: [
        ...[...javaOptions, '-Dlog4j2.level=ERROR', '-cp', `${kafkaJars}/*`],
        ...['kafka.Kafka', join(folder, 'server.properties')],
      ],
    }),
  });
  return { ...server, adminPort };
}

/** Its ports are open before it may hold topics, which its metadata show. */
async function untilRegistered(port: number): Promise<void> {
  const { countBrokers } = await import('./kafka-reader.js');
  while ((await countBrokers(port)) === 0) await setTimeout(20);
}

interface KafkaPlace {
  readonly port: number;
  readonly controller: number;
  readonly adminPort: number;
  readonly folder: string;
}

function kafkaConfiguration(place: KafkaPlace, options: KafkaOptions): readonly string[] {
  const { lines = [], protocol = 'PLAINTEXT', advertised = `127.0.0.1:${place.port}` } = options;
  const { port, controller, adminPort, folder } = place;
  const [clients, admins] = [`CLIENTS://127.0.0.1:${port}`, `ADMINS://127.0.0.1:${adminPort}`];
  const authorizer = [
    'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users=User:ANONYMOUS',
  ];
  return [
    ...['process.roles=broker,controller', 'node.id=1', `controller.quorum.voters=1@127.0.0.1:${controller}`],
    `listeners=${clients},${admins},CONTROLLER://127.0.0.1:${controller}`,
    `advertised.listeners=CLIENTS://${advertised},${admins}`,
    `listener.security.protocol.map=CLIENTS:${protocol},ADMINS:PLAINTEXT,CONTROLLER:PLAINTEXT`,
    ...['inter.broker.listener.name=ADMINS', 'controller.listener.names=CONTROLLER', `log.dirs=${folder}/logs`],
    ...['offsets.topic.replication.factor=1', 'offsets.topic.num.partitions=1', 'group.initial.rebalance.delay.ms=0'],
    ...['transaction.state.log.replication.factor=1', 'transaction.state.log.min.isr=1'],
    ...['transaction.state.log.num.partitions=1', 'default.replication.factor=1', 'num.partitions=1'],
    ...['share.coordinator.state.topic.replication.factor=1', 'share.coordinator.state.topic.min.isr=1'],
    ...['auto.create.topics.enable=false', 'message.max.bytes=8388608', 'num.network.threads=2', 'num.io.threads=2'],
    ...(protocol === 'PLAINTEXT' ? [] : authorizer),
    ...lines,
  ];
}

/** The script of the package in /usr/sbin changes the user, so the one it calls comes first. */
const rabbitFolder = '/usr/lib/rabbitmq/bin';
const rabbitProgram = (name: string) =>
  existsSync(join(rabbitFolder, name)) ? join(rabbitFolder, name) : findProgram(name);

/** Why RabbitMQ cannot be tested here. */
export const rabbitMissing =
  rabbitProgram('rabbitmq-server') === undefined ? 'rabbitmq-server is not installed' : missingProgram('epmd');

export interface TestRabbit extends TestServer {
  /** Runs `rabbitmqctl` with these words. Resolves to what it prints. */
  control(...words: readonly string[]): Promise<string>;
}

interface RabbitOptions {
  readonly plugins?: readonly string[];
  /** Further lines of its configuration. Those with TLS name files of `files`, below `{folder}`. */
  readonly lines?: readonly string[];
  /** By name, in its folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** The ports that those lines and plugins open. */
  readonly morePorts?: readonly number[];
}

/** Starts RabbitMQ, and epmd, which it needs, in one group of processes; neither can be reached from other machines. */
export async function startRabbit(options: RabbitOptions = {}): Promise<TestRabbit> {
  const { lines = [], files = {}, plugins = [], morePorts = [] } = options;
  const [names, dist] = [await freePort(), await freePort()];
  const environment = (port: number, folder: string) => ({
    ...{ HOME: folder, LANG: 'C.UTF-8', ERL_EPMD_PORT: String(names), ERL_EPMD_ADDRESS: '127.0.0.1' },
    ...{ RABBITMQ_NODENAME: `test${port}@localhost`, RABBITMQ_DIST_PORT: String(dist), RUNNING_UNDER_SYSTEMD: '1' },
    ...{ RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'), RABBITMQ_LOG_BASE: join(folder, 'logs') },
    ...{ RABBITMQ_PID_FILE: join(folder, 'pid'), RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins') },
    ...{ RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'), RABBITMQ_CONF_ENV_FILE: '/dev/null' },
    ERL_CRASH_DUMP: join(folder, 'erl_crash.dump'), // Without it, in the folder of the process.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  });
  const server = await startServer({
    isGroup: true,
    morePorts,
    innerPorts: [names, dist],
    command({ port, folder }) {
      const all = [`listeners.tcp.1 = 127.0.0.1:${port}`, ...lines.map((line) => line.replaceAll('{folder}', folder))];
      writeFileSync(join(folder, 'rabbitmq.conf'), `${all.join('\n')}\n`);
      writeFileSync(join(folder, 'plugins'), `[${plugins.join(',')}].\n`);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      return { file: '/bin/sh', args: ['-c', rabbitScript], env: environment(port, folder) };
    },
  });
  const control = promisify(execFile);
  return {
    ...server,
    async control(...words) {
      const env = { ...process.env, ...environment(server.port, server.folder) };
      return (await control(rabbitProgram('rabbitmqctl') ?? 'rabbitmqctl', [...words], { env })).stdout;
    },
  };
}

/** Without an epmd Erlang would start one that outlives the test. */
const rabbitScript = `
  epmd -port "$ERL_EPMD_PORT" -address 127.0.0.1 &
  until epmd -port "$ERL_EPMD_PORT" -names >/dev/null 2>&1; do :; done
  exec ${rabbitProgram('rabbitmq-server') ?? 'rabbitmq-server'}
`;
