/** Every destination with a server, and every way in which a secret gets into its address or its client. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import type { Sink } from '../../sinks/contract.js';
import { http, kafka, nats, partsInS3, postgres, rabbitmq, redis, s3 } from '../../sinks/index.js';
import type { sinks } from '../../sinks/registry.js';

/** One way. Its secret is in the address, in a variable, or in a file. */
export interface SecretWay {
  readonly name: string;
  /** The address of a server at this port. The secret is percent-encoded. */
  uri(port: number, secret: string): string;
  readonly env?: (secret: string) => Env;
  /** Files by name, and the variable that leads to them: to the file itself, or to its folder. */
  readonly file?: { readonly name: string; readonly text: (secret: string) => string; readonly variable: string };
  readonly isFolder?: true;
}

type Env = Readonly<Record<string, string>>;

export interface Destination {
  readonly ways: readonly SecretWay[];
  /** The sink in code. */
  code(port: number, secret: string): Sink;
  /** The credentials are computed from the secret, which is not sent. */
  readonly isSigned?: true;
}

type Names = keyof typeof sinks;
/** Sinks without a server have no credentials. */
type Local = 'ndjson' | 'stdout' | 'null' | 'tables' | 'csv' | 'parquet' | 'duckdb' | 'parts';

/** User and password of an address, each written in every way. */
function userWays(address: (user: string, port: number) => string): readonly SecretWay[] {
  return [
    { name: 'a literal password', uri: (port, secret) => address(`joe:${secret}@`, port) },
    {
      name: 'a password from a variable',
      uri: (port) => address('joe:${SECRET}@', port),
      env: (secret) => ({ SECRET: secret }),
    },
  ];
}

/** The client of PostgreSQL has a colon and a backslash in its file after a backslash. */
const line = (secret: string) => `# passwords\n127.0.0.1:*:shop:joe:${secret.replace(/[:\\]/g, '\\$&')}\n`;
const shop = (user: string, port: number) => `postgres://${user}127.0.0.1:${port}/shop?sslmode=disable`;
const bucket = (user: string, port: number) => `s3://${user}lake/raw?endpoint=http://127.0.0.1:${port}`;
const partsBucket = (user: string, port: number) => `parts+${bucket(user, port)}`;
const hook = (port: number, header: string) => `http://127.0.0.1:${port}/in#header.${header}`;
const stream = (user: string, port: number) => `nats://${user}127.0.0.1:${port}/items?stream=ITEMS`;
const key = (user: string, port: number) => `redis://${user}127.0.0.1:${port}/0?stream=items`;
const server = (port: number) => `127.0.0.1:${port}`;
const user = 'joe';

export const destinations = {
  'parts+s3': {
    isSigned: true,
    ways: [
      ...userWays(partsBucket),
      {
        name: 'AWS_SECRET_ACCESS_KEY',
        uri: (port) => partsBucket('', port),
        env: (secret) => ({ AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: secret }),
      },
      {
        name: 'AWS_SESSION_TOKEN',
        uri: (port) => partsBucket('', port),
        env: (secret) => ({ AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: 'other-key', AWS_SESSION_TOKEN: secret }),
      },
    ],
    code: (port, secretAccessKey) =>
      partsInS3({ bucket: 'lake', endpoint: `http://${server(port)}`, accessKeyId: 'KEY', secretAccessKey }),
  },
  http: {
    ways: [
      ...userWays((given, port) => `http://${given}127.0.0.1:${port}/in`),
      { name: 'a literal header', uri: (port, secret) => hook(port, `X-Key=${secret}`) },
      {
        name: 'a variable within a header',
        uri: (port) => hook(port, 'Authorization=Bearer%20${SECRET}'),
        env: (secret) => ({ SECRET: secret }),
      },
    ],
    code: (port, password) => http({ url: `http://${server(port)}/in`, user, password }),
  },
  kafka: {
    ways: userWays((given, port) => `kafka://${given}127.0.0.1:${port}/items`),
    code: (port, password) => kafka({ servers: server(port), topic: 'items', user, password }),
  },
  nats: {
    ways: [
      ...userWays(stream),
      { name: 'a literal token', uri: (port, secret) => stream(`${secret}@`, port) },
      {
        name: 'a token from a variable',
        uri: (port) => stream('${SECRET}@', port),
        env: (secret) => ({ SECRET: secret }),
      },
    ],
    code: (port, token) => nats({ servers: server(port), subject: 'items', stream: 'ITEMS', token }),
  },
  postgres: {
    ways: [
      ...userWays(shop),
      { name: 'PGPASSWORD', uri: (port) => shop('joe@', port), env: (secret) => ({ PGPASSWORD: secret }) },
      {
        name: 'PGPASSFILE',
        uri: (port) => shop('joe@', port),
        file: { name: 'passwords', text: line, variable: 'PGPASSFILE' },
      },
      {
        name: '~/.pgpass, with PGUSER',
        uri: (port) => shop('', port),
        env: () => ({ PGUSER: 'joe' }),
        file: { name: '.pgpass', text: line, variable: 'HOME' },
        isFolder: true,
      },
    ],
    code: (port, password) => postgres({ server: server(port), database: 'shop', user, password, sslmode: 'disable' }),
  },
  amqp: {
    ways: userWays((given, port) => `amqp://${given}127.0.0.1:${port}/?queue=items`),
    code: (port, password) => rabbitmq({ servers: server(port), queue: 'items', user, password }),
  },
  redis: {
    ways: [...userWays(key), { name: 'a password alone', uri: (port, secret) => key(`:${secret}@`, port) }],
    code: (port, password) => redis({ server: server(port), stream: 'items', password }),
  },
  s3: {
    isSigned: true,
    ways: [
      ...userWays(bucket),
      {
        name: 'AWS_SECRET_ACCESS_KEY',
        uri: (port) => bucket('', port),
        env: (secret) => ({ AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: secret }),
      },
      {
        name: 'AWS_SESSION_TOKEN',
        uri: (port) => bucket('', port),
        env: (secret) => ({ AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: 'other-key', AWS_SESSION_TOKEN: secret }),
      },
    ],
    code: (port, secretAccessKey) =>
      s3({ bucket: 'lake', endpoint: `http://${server(port)}`, accessKeyId: 'KEY', secretAccessKey }),
  },
} satisfies Record<Exclude<Names, Local>, Destination>;
