/** The files of TLS: a private key is a secret once it is read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { readAddress } from '../../../sinks/addresses/options.js';
import { natsEntry } from '../../../sinks/nats/nats.js';
import { loadTls, readTls } from '../../../sinks/servers/tls.js';
import { makeCertificates, opensslMissing } from '../../loopback/certificates.js';
import { testWhere } from '../../where.js';
import { inFolder } from '../lib.js';

const test = testWhere(opensslMissing);

test(
  'the key of a file is a secret of its address, its certificate is none',
  inFolder(async (dir) => {
    const { key, cert } = makeCertificates().server;
    writeFileSync(join(dir, 'key.pem'), key);
    writeFileSync(join(dir, 'cert.pem'), cert);
    const files = ['cert', 'key'].map((name) => encodeURIComponent(join(dir, `${name}.pem`)));
    const uri = `nats://h/s?stream=S&cert=${files[0]}&certkey=${files[1]}`;
    const { options, destination: address } = readAddress(uri, natsEntry, {});
    const settings = readTls(options, address);
    assert.ok(settings !== undefined);
    assert.equal(address.secrets, []);
    assert.equal(await loadTls(settings, 'nats'), { cert, key });
    assert.ok(address.secrets.includes(key));
    assert.not.ok(address.secrets.includes(cert));
  }),
);

run.run();
