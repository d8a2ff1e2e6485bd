/** Kafka with TLS, users and rights: what connects, and one clear error for each thing that is missing. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AclOperations,
  AclPermissionTypes,
  Connection,
  createAclsV3,
  createTopicsV7,
  ResourcePatternTypes,
  ResourceTypes,
  type ResourceTypeValue,
} from '@platformatic/kafka';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { sinkFromUri } from '../../sinks/registry.js';
import { makeCertificates, opensslMissing } from '../loopback/certificates.js';
import { calm, earlierOf, pageEnd, rejection } from '../sinks/lib.js';
import { readTopic, textsOf } from '../support/kafka-reader.js';
import { type KafkaServer, kafkaMissing, startKafka } from '../support/servers.js';
import { testWhere } from '../where.js';

const test = testWhere(kafkaMissing ?? opensslMissing);

const [password, env] = ['p@ss/1', { WORD: 'p@ss/1' }];
const folder = mkdtempSync(join(tmpdir(), 'rxtract-kafka-'));
const caFile = join(folder, 'ca.pem');

/** One broker: `joe` has few rights, `ann` those for `ann-*`; both have a login of each mechanism. */
let started: Promise<KafkaServer> | undefined;
const broker = (): Promise<KafkaServer> => {
  started ??= start();
  return started;
};
run.after(async () => {
  await (await started)?.close();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<KafkaServer> {
  const { ca, server } = makeCertificates();
  writeFileSync(caFile, ca);
  writeFileSync(join(folder, 'server.pem'), `${server.key}\n${server.cert}`);
  const login = 'listener.name.clients';
  const made = await startKafka({
    protocol: 'SASL_SSL',
    lines: [
      ...['ssl.keystore.type=PEM', `ssl.keystore.location=${join(folder, 'server.pem')}`],
      'sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      `${login}.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_joe="${password}" user_ann="${password}";`,
      ...['256', '512'].map(
        (size) =>
          `${login}.scram-sha-${size}.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;`,
      ),
    ],
    format: ['256', '512'].flatMap((size) => ['--add-scram', `SCRAM-SHA-${size}=[name=ann,password=${password}]`]),
  });
  const connection = new Connection('test');
  await connection.connect('127.0.0.1', made.adminPort);
  const topic = (name: string) => ({ name, numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] });
  await createTopicsV7.api.async(connection, [topic('closed'), topic('seen')], 10_000, false);
  const rulesOf = (principal: string, resourceType: ResourceTypeValue, name: string, allowed: readonly Operation[]) =>
    allowed.map((each) => ({
      ...{ resourceType, resourceName: name, resourcePatternType: ResourcePatternTypes.PREFIXED },
      ...{ principal: `User:${principal}`, host: '*', operation: AclOperations[each] },
      permissionType: AclPermissionTypes.ALLOW,
    }));
  const { TOPIC, TRANSACTIONAL_ID } = ResourceTypes;
  await createAclsV3.api.async(connection, [
    ...['ann-', 'rxtract-'].flatMap((name) => rulesOf('ann', TOPIC, name, ['READ', 'WRITE', 'CREATE', 'DESCRIBE'])),
    ...rulesOf('ann', TRANSACTIONAL_ID, 'rxtract-', ['WRITE', 'DESCRIBE']),
    ...rulesOf('joe', TOPIC, 'seen', ['DESCRIBE']),
    ...rulesOf('joe', TOPIC, 'own-', ['DESCRIBE', 'WRITE', 'CREATE']),
  ]);
  await connection.close();
  return made;
}

type Operation = 'READ' | 'WRITE' | 'CREATE' | 'DESCRIBE';

const at = ({ port }: KafkaServer, user: string, rest: string): string =>
  `kafkas://${user}127.0.0.1:${port}/${rest}${rest.includes('?') ? '&' : '?'}ca=${encodeURIComponent(caFile)}`;

for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512']) {
  test(`a user logs in with ${mechanism}, over TLS`, async () => {
    const server = await broker();
    const topic = `ann-${mechanism}`;
    const uri = at(server, 'ann:${WORD}@', `${topic}?transactions=true&sasl=${mechanism}`);
    const sink = sinkFromUri(uri, { env });
    await sink.check?.();
    await sink.resume?.(earlierOf());
    await sink.write(batchOf('t', [1, 2]), calm);
    await sink.commit?.(pageEnd('t', { keep: 'k' }), calm);
    await sink.close();
    assert.equal(textsOf(await readTopic(server.adminPort, topic)), ['1', '2']);
    const wrong = sinkFromUri(at(server, 'ann:wrong@', `${topic}?sasl=${mechanism}`));
    const refused = await rejection(
      async () => wrong.check?.(),
      'ERR_SINK',
      /^kafka: cannot connect to kafkas:\/\/127.0.0.1:\d+: the server rejects the user or the password/,
    );
    assert.not.match(`${refused.message} ${wrong.name}`, 'ann:wrong');
  });
}

test('each missing right is named before the first request', async () => {
  const server = await broker();
  for (const [user, rest, message] of [
    ['joe', 'closed', /the user lacks the right Describe for the topic "closed"/],
    ['joe', 'seen', /the user lacks the right Write for the topic "seen"/],
    ['joe', 'new', /the user lacks the right (?:Create|Describe) for the topic "new"/],
    ['joe', 'own-a?transactions=true', /transactional ids that begin with `rxtract-`/],
    ['ann', 'ann-b?transactions=true&positions=closed', /lacks the right Describe for the topic "closed"/],
  ] as const) {
    const sink = sinkFromUri(at(server, `${user}:\${WORD}@`, rest), { env });
    await rejection(async () => sink.check?.(), 'ERR_SINK', message);
    await rejection(async () => sink.resume?.(earlierOf()), 'ERR_SINK', message);
    await sink.abort(undefined);
  }
});

test('wrong certificates, no TLS and no user', async () => {
  const server = await broker();
  const other = `kafkas://ann:x@127.0.0.1:${server.port}/t`;
  for (const [uri, message] of [
    [other, /the authority of its certificate is not trusted .*ca=FILE$/],
    [`kafka://127.0.0.1:${server.port}/t`, /it may require TLS \(kafkas:\/\/\) or a user \(SASL\)$/],
    [at(server, '', 't'), /it may require a user \(SASL\)$/],
    [`kafkas://127.0.0.1:${server.adminPort}/t`, /^kafka: cannot connect to kafkas/],
    [`kafka://ann:x@127.0.0.1:${server.adminPort}/t`, /^kafka: cannot connect to kafka:.*(?:sasl|mechanism)/i],
  ] as const) {
    await rejection(async () => sinkFromUri(uri).check?.(), 'ERR_SINK', message);
  }
});

run.run();
