/** The files of TLS: a private key is a secret once it is read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAddress } from '../../../sinks/addresses/address.js';
import { loadTls, readTls, tlsOptions } from '../../../sinks/servers/tls.js';
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
    const uri = `nats://h/s?cert=${files[0]}&certkey=${files[1]}`;
    const address = parseAddress(uri, { options: tlsOptions, optionsAfter: '?', isServer: true });
    const settings = readTls(address);
    assert.ok(settings !== undefined);
    assert.equal(address.secrets, []);
    assert.equal(await loadTls(settings, 'nats'), { cert, key });
    assert.ok(address.secrets.includes(key));
    assert.not.ok(address.secrets.includes(cert));
  }),
);

run.run();
