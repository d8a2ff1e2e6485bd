/** Verifies the host key of a tunnel server: the configured key, else the first one seen. */
import { ExtractError } from '../../core/errors/errors.js';
import type { Notify } from '../../core/model/notice.js';

/** Fingerprints as `SHA256:...`. */
export interface HostKey {
  /** Checks the fingerprint that a server presents. */
  accepts(fingerprint: string): boolean;
  /** The error of the last check; undefined: accepted. */
  refused(): ExtractError | undefined;
}

export interface HostKeySource {
  readonly host: string;
  readonly port: number;
  readonly hostFingerprint?: string;
  readonly path: string;
}

/** Trusts the first key without a configured one, and emits an info notice on how to configure it. */
export function createHostKey({ host, port, hostFingerprint, path }: HostKeySource, notify: Notify): HostKey {
  const server = `the SSH server ${host}:${port}`;
  let seen: string | undefined;
  let refused: ExtractError | undefined;

  function differs(fingerprint: string): ExtractError {
    const known =
      hostFingerprint === undefined ? 'the key of the earlier connection' : `the key in ${path}.hostFingerprint`;
    return new ExtractError('ERR_TUNNEL', `${server} has the host key ${fingerprint}, not ${known}`, { final: true });
  }
  function learn(fingerprint: string): string {
    seen = fingerprint;
    const message = `${server} is not verified; set { "hostFingerprint": "${fingerprint}" } in ${path} to verify it`;
    notify({ level: 'info', code: 'tunnel-host-key', message });
    return fingerprint;
  }

  return {
    accepts(fingerprint) {
      const known = hostFingerprint ?? seen ?? learn(fingerprint);
      refused = known === fingerprint ? undefined : differs(fingerprint);
      return refused === undefined;
    },
    refused: () => refused,
  };
}
