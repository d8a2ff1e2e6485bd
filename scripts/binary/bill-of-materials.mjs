/** What is in the executable, in the form of CycloneDX 1.6: packages with their hashes, Node, and the parts of Node. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bundle.mjs';

const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** Versions of interfaces and tables, which are no parts. */
const notParts = ['modules', 'napi', 'tz', 'unicode', 'cldr', 'uvwasi'];

/** The text of the document. `folders` are those of the packages in the executable. */
export function billOfMaterials(folders) {
  const { name, version, license } = read('package.json');
  const packages = folders.map(packageAt);
  const self = { ...component('application', 'npm', name, version), licenses: [{ license: { id: license } }] };
  const parts = [...packages, node()];
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: { timestamp: new Date().toISOString(), component: self },
    components: parts,
    dependencies: [{ ref: self['bom-ref'], dependsOn: parts.map((part) => part['bom-ref']) }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const component = (type, registry, name, version) => {
  const purl = `pkg:${registry}/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;
  return { type, 'bom-ref': purl, name, version, purl };
};

/** A package with the hash of its file in the registry, from the lock file. */
function packageAt(folder) {
  const { name, version, license } = read(join(folder, 'package.json'));
  const { integrity } = lock.packages[folder.replace(/\/$/, '')];
  const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
  return {
    ...component('library', 'npm', name, version),
    hashes: [{ alg: 'SHA-512', content }],
    licenses: [{ license: { id: license } }],
  };
}
const lock = read('package-lock.json');

function node() {
  const { node: version, ...versions } = process.versions;
  const parts = Object.entries(versions).filter(([name]) => !notParts.includes(name));
  return {
    ...component('platform', 'generic', 'node', version),
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    components: parts.map(([name, partVersion]) => component('library', 'generic', name, partVersion)),
  };
}
