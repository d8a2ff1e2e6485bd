// The tools: how each is installed, and how it pulls all pages of an API into a file or a folder. `share`: the part of
// the large pages that it pulls, less for slow ones. `dir` is the folder for what is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { command, program } from '../harness.mjs';

/** Runs a program of an installation. Throws with the end of its output. */
function must(words, options = {}) {
  const {
    status,
    error,
    stdout = '',
    stderr = '',
  } = spawnSync(words[0], words.slice(1), { encoding: 'utf8', ...options });
  if (error !== undefined) throw new Error(`${words[0]}: ${error.message}`);
  if (status !== 0)
    throw new Error(`${words.join(' ')}: ${`${stdout}${stderr}`.trim().split('\n').slice(-3).join(' / ').slice(-300)}`);
  return stdout;
}

/** Where tools are installed: outside of the repository, whose linter would read them. */
export const installedRivals =
  process.env.RXTRACT_RIVALS ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'rxtract-rivals');

export const python = (dir) => join(dir, 'python', 'bin', 'python');

/** Installs packages of Python into an environment of their own. Returns the installed version of the module. */
function pip(dir, packages, module) {
  if (!existsSync(python(dir))) must(['python3', '-m', 'venv', join(dir, 'python')]);
  must([python(dir), '-m', 'pip', 'install', '--quiet', ...packages]);
  return pipVersion(dir, module);
}

/** The installed version of a package of Python; undefined: it is missing. */
function pipVersion(dir, module) {
  if (!existsSync(python(dir))) return undefined;
  const program = `from importlib.metadata import version; print(version("${module}"))`;
  const { status, stdout } = spawnSync(python(dir), ['-c', program], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const faucetVersion = '1.17.0';
const faucet = (dir) => join(dir, 'faucet', 'bin', 'faucet');

function installFaucet(dir) {
  if (existsSync(faucet(dir))) return faucetVersion;
  const features = ['--no-default-features', '--features', 'source-rest,sink-jsonl'];
  must([
    'cargo',
    'install',
    `faucet-cli@${faucetVersion}`,
    '--locked',
    '--ignore-rust-version',
    ...features,
    '--root',
    join(dir, 'faucet'),
  ]);
  return faucetVersion;
}

function faucetConfig({ dir, origin, out }) {
  const path = join(dir, 'faucet.yaml');
  writeFileSync(
    path,
    `version: 1
name: items
pipeline:
  source:
    type: rest
    config:
      base_url: ${origin}
      path: /items
      method: GET
      pagination:
        type: Cursor
        next_token_path: "$.meta.next"
        param_name: cursor
      records_path: "$.data[*]"
      max_pages: null
      timeout: 120
  sink:
    type: jsonl
    config:
      path: ${out}
`,
  );
  return path;
}

function airbyteFiles({ dir, origin, items }) {
  const paths = ['manifest.yaml', 'catalog.json', 'config.json'].map((name) => join(dir, `airbyte-${name}`));
  const [manifest, catalog, config] = paths;
  writeFileSync(
    manifest,
    `version: 6.0.0
type: DeclarativeSource
check: { type: CheckStream, stream_names: [items] }
definitions: {}
streams:
  - type: DeclarativeStream
    name: items
    primary_key: []
    retriever:
      type: SimpleRetriever
      requester: { type: HttpRequester, url_base: "${origin}/", path: items, http_method: GET }
      record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [data] } }
      paginator:
        type: DefaultPaginator
        page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: page }
        page_size_option: { type: RequestOption, inject_into: request_parameter, field_name: limit }
        pagination_strategy: { type: PageIncrement, page_size: ${items}, start_from_page: 1, inject_on_first_request: true }
    schema_loader:
      type: InlineSchemaLoader
      schema: { type: object, additionalProperties: true, properties: {} }
spec:
  type: Spec
  connection_specification: { type: object, properties: {}, additionalProperties: true }
`,
  );
  const stream = {
    name: 'items',
    json_schema: { type: 'object', additionalProperties: true, properties: {} },
    supported_sync_modes: ['full_refresh'],
  };
  const streams = [{ stream, sync_mode: 'full_refresh', destination_sync_mode: 'append' }];
  writeFileSync(catalog, JSON.stringify({ streams }));
  writeFileSync(config, '{}');
  return paths;
}

export const tools = {
  rxtract: {
    share: 1,
    install: () => must([process.execPath, command, '--version']).trim(),
    words: ({ config, folder }) => [
      process.execPath,
      command,
      'run',
      config,
      '--quiet',
      '--allow',
      'round-end',
      '--to',
      `ndjson:${folder}`,
    ],
  },
  'rxtract, prefetch 8': {
    share: 1,
    install: () => must([process.execPath, command, '--version']).trim(),
    words: (place) => [...tools.rxtract.words(place), '--prefetch', '8'],
  },
  'undici loop': {
    share: 1,
    install: () => process.version,
    words: ({ origin, out }) => [process.execPath, program('hand-loop.mjs'), origin, out, 'page'],
  },
  'got paginate': {
    share: 0.25,
    install: () => '14',
    words: ({ origin, out, pages }) => [process.execPath, program('peers/peer.mjs'), 'got', origin, out, String(pages)],
  },
  'requests + orjson': {
    share: 0.4,
    // With brotli, requests asks for br and decodes it.
    install: (dir) => pip(dir, ['requests', 'orjson', 'brotli'], 'requests'),
    installed: (dir) => pipVersion(dir, 'requests') && pipVersion(dir, 'orjson') && pipVersion(dir, 'requests'),
    words: ({ dir, origin, out }) => [python(dir), program('rivals/python-loop.py'), 'requests', origin, out],
  },
  'httpx + orjson': {
    share: 0.4,
    install: (dir) => pip(dir, ['httpx', 'orjson'], 'httpx'),
    words: ({ dir, origin, out }) => [python(dir), program('rivals/python-loop.py'), 'httpx', origin, out],
  },
  'faucet-stream': {
    share: 0.4,
    install: installFaucet,
    installed: (dir) => (existsSync(faucet(dir)) ? faucetVersion : undefined),
    words: (place) => [faucet(place.dir), 'run', faucetConfig(place)],
  },
  dlt: {
    share: 0.08,
    install: (dir) => pip(dir, ['dlt[filesystem,duckdb,parquet]'], 'dlt'),
    installed: (dir) => pipVersion(dir, 'dlt'),
    words: ({ dir, origin, folder }) => [python(dir), program('rivals/dlt-run.py'), origin, folder],
  },
  'Airbyte CDK': {
    share: 0.08,
    install: (dir) => pip(dir, ['airbyte-cdk'], 'airbyte-cdk'),
    words(place) {
      const [manifest, catalog, config] = airbyteFiles(place);
      const entry = join(place.dir, 'python', 'bin', 'source-declarative-manifest');
      return [entry, 'read', '--config', config, '--catalog', catalog, '--manifest-path', manifest];
    },
    /** Its records are lines on standard output, among others. */
    writesToStdout: true,
  },
};
