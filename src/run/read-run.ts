/** Reads the configuration of a run, and makes its engine once: the tasks of a shared run have both together. */

import type { ConfigFingerprint } from '../checkpoint/config-fingerprint.js';
import { fingerprintRun, markOfConfiguration, type RunIdentity } from '../checkpoint/run-identity.js';
import { fillFromEnv } from '../config/env.js';
import { parseConfig } from '../config/parse-config.js';
import { builtIn } from '../config/registries.js';
import { fillSecrets, type SecretOptions } from '../config/secret-sources.js';
import { ExtractError } from '../core/errors/errors.js';
import { strictError } from '../core/errors/notices.js';
import { allowing, checkAllowed } from '../core/errors/warnings.js';
import type { Exact, ExactObject } from '../core/json/exact.js';
import type { Notice } from '../core/model/notice.js';
import type { Secrets } from '../core/model/secrets.js';
import { maskError } from '../core/secrets/mask-error.js';
import { createSecrets } from '../core/secrets/secrets.js';
import { engineExchanges } from '../http/exchanges.js';
import { readProxyOption } from '../http/transport/proxy.js';
import { maskedNames } from './masked-names.js';
import { type CompleteOptions, type ExtractOptions, readExtractOptions } from './options.js';
import { documentOf } from './parse-configuration.js';
import { readPartitionFiles } from './partition-files.js';
import { createRunEngine, type SharedEngine } from './run-context.js';

/** A configuration and options that were read. */
export interface ReadRun extends Omit<ReturnType<typeof read>, 'notices' | 'proxies'> {
  /** As it was given. */
  readonly written: Exact;
  readonly options: CompleteOptions;
  /** Values of files that the configuration names. */
  readonly values: ExactObject;
  /** Makes it at the first call. `time`: what `time` refers to. Throws as `extract`. */
  engine(time: ExactObject): SharedEngine;
  /** As the first call has found it: values that become secrets later do not change it. */
  fingerprint(identity: RunIdentity): ConfigFingerprint;
  /** `markOfConfiguration`, as the first call has found it. */
  mark(): string;
}

/** Throws ERR_CONFIG with every problem at once, ERR_USAGE, and ERR_STRICT for warnings under `strict`. */
export function readRun<Item>(configuration: object, given: ExtractOptions<Item>): ReadRun {
  const written = documentOf(configuration);
  const options = readExtractOptions(given);
  const { notices, proxies, configs: parsed, ...found } = read(written, options);
  const { document, secrets } = found;
  const { configs, values } = hiding(secrets, () => readPartitionFiles(parsed));
  let engine: SharedEngine | undefined;
  let fingerprint: ConfigFingerprint | undefined;
  let mark: string | undefined;
  return {
    ...found,
    configs,
    written,
    options,
    values,
    engine(time) {
      if (engine !== undefined) return engine;
      const made = hiding(secrets, () => createRunEngine(configs, document, { ...options, time, secrets, proxies }));
      engine = made;
      for (const notice of notices) made.notify(notice);
      return made;
    },
    fingerprint(identity) {
      fingerprint ??= fingerprintRun(identity, secrets);
      return fingerprint;
    },
    mark() {
      mark ??= markOfConfiguration(written, secrets);
      return mark;
    },
  };
}

/**
 * Reads the configuration and fills in its variables, whose values `secrets` has. The caller reports `notices` when an
 * engine can mask them.
 */
function read(written: Exact, options: CompleteOptions) {
  const proxies = options.proxy === undefined ? undefined : readProxyOption(options.proxy, options.env);
  const filled = fillFromEnv(written, options.env ?? {});
  const found = fillSecrets(filled.document, { sources: sourcesOf(options) });
  const { document } = found;
  const missing = [...filled.missing, ...found.problems];
  const allow = options.allow ?? [];
  checkAllowed(allow);
  const secrets = createSecrets();
  for (const value of [...filled.values, ...found.values, ...(proxies?.secrets ?? [])]) secrets.add(value);
  const hidden = (notice: Notice) => ({ ...notice, message: secrets.mask(notice.message) });
  const report = (notice: Notice) => options.notify?.(hidden(notice));
  const { configs, notices: ofConfig } = hiding(secrets, () => parseConfig(document, builtIn, report, missing));
  const notices = [...filled.notices, ...found.notices, ...ofConfig, ...maskedNames(configs, secrets)].map(hidden);
  const warnings = notices.map(allowing(allow)).filter(({ level }) => level === 'warning');
  if (options.strict && warnings.length > 0) throw strictError(warnings);
  return { document, secrets, configs, notices, proxies };
}

/** A replay needs no secrets. The configuration of a data folder comes from others: it may not open what it likes. */
function sourcesOf({ commands, dataFolder, exchanges }: CompleteOptions): SecretOptions['sources'] {
  if (exchanges !== undefined && engineExchanges(exchanges).isReplay === true) return 'stand in';
  return commands && !dataFolder ? 'open' : 'refuse';
}

/** Masks errors of a configuration: they contain names from it, and a variable may be part of a name. */
export function hiding<T>(secrets: Pick<Secrets, 'mask'>, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw thrown instanceof ExtractError ? maskError(thrown, secrets) : thrown;
  }
}
