/** The way to a host without a request: its name, its port, its certificate. */
import { lookup } from 'node:dns/promises';
import { asyncScheduler } from 'rxjs';
import { ExtractError, remedyFor } from '../../core/errors/errors.js';
import { systemError } from '../../core/errors/system-error.js';
import {
  isAddress,
  type ProbedHost,
  type ProbePem,
  probePort,
  probeThrough,
  probeTls,
  type TlsFacts,
} from '../../http/transport/probe.js';
import type { ProxyOf } from '../../http/transport/proxy.js';
import { connectionError, transportFailure } from '../../http/transport/transport-error.js';
import { counted } from '../text/format.js';
import type { StepFinding } from './steps.js';

/** The host of an absolute http or https address. Undefined: there is none that can be shown. */
export function hostOf(address: string): ProbedHost | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.hostname.includes('*')) return undefined;
  const isSecure = url.protocol === 'https:';
  return { isSecure, name: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || (isSecure ? 443 : 80) };
}

export const hostText = ({ name, port }: ProbedHost): string => `${name.includes(':') ? `[${name}]` : name}:${port}`;

/** Resolves the name. */
export async function checkName({ name }: ProbedHost): Promise<StepFinding> {
  if (isAddress({ name })) return { verdict: 'skipped', message: 'an IP address: there is no name to resolve' };
  try {
    const found = await lookup(name, { all: true });
    return { message: `${name} is ${found.map(({ address }) => address).join(', ')}` };
  } catch (thrown) {
    return {
      verdict: 'failed',
      message: `${name} was not found (${systemError(thrown)?.code ?? 'no reason given'})`,
      todo: 'Check the spelling of the host, and the DNS of this machine. In a company network, --proxy may be needed.',
    };
  }
}

/** Opens a connection, and closes it. */
export async function checkPort(host: ProbedHost, signal: AbortSignal): Promise<StepFinding> {
  try {
    const address = await probePort(host, signal);
    return { message: `${address} accepts connections at port ${host.port}` };
  } catch (thrown) {
    signal.throwIfAborted();
    return refused(host, thrown, 'Check host and port, that the server runs, and that no firewall is in between.');
  }
}

/** Has the proxy of an origin connect to its host, by CONNECT or SOCKS5, and closes the connection. */
export async function checkTunnel(
  proxyOf: ProxyOf,
  { host, origin }: { readonly host: ProbedHost; readonly origin: string },
  signal: AbortSignal,
): Promise<StepFinding> {
  try {
    await probeThrough(proxyOf, { host, origin }, signal);
    return { message: `it has connected to ${hostText(host)}` };
  } catch (thrown) {
    signal.throwIfAborted();
    const todo = 'Check the user and the password in --proxy, and that the proxy allows this host and port.';
    return { verdict: 'failed', message: connectionError(thrown, '').message, todo };
  }
}

function refused(host: ProbedHost, thrown: unknown, todo: string): StepFinding {
  const code = systemError(thrown)?.code;
  const reason = `${transportFailure(thrown).reason}${code === undefined ? '' : ` (${code})`}`;
  return { verdict: 'failed', message: `${hostText(host)}: ${reason}`, todo };
}

/** Days before its end in which a certificate is a warning. */
const soon = 14;

/** Makes the handshake of TLS, verifies the certificate as a run does, and closes the connection. */
export async function checkTls(host: ProbedHost, pem: ProbePem, signal: AbortSignal): Promise<StepFinding> {
  try {
    return certificateFinding(await probeTls(host, pem, signal));
  } catch (thrown) {
    signal.throwIfAborted();
    const todo = 'Check that the server speaks TLS at this port: for one without TLS, `baseUrl` begins with http.';
    return refused(host, thrown, todo);
  }
}

/** Judges a certificate: one that is not trusted fails, one that ends within 14 days is a warning. */
export function certificateFinding({ protocol, certificate, refusal }: TlsFacts): StepFinding {
  const end = Date.parse(certificate.valid_to);
  const days = Math.floor((end - asyncScheduler.now()) / 86_400_000);
  const left = days < 0 ? `expired on ${dateOf(end)}` : `${counted(days, 'day')} left (until ${dateOf(end)})`;
  const about = `${protocol}, certificate of ${nameIn(certificate.subject)} by ${nameIn(certificate.issuer)}, ${left}`;
  if (refusal !== undefined) {
    const todo = remedyFor(new ExtractError('ERR_TRANSPORT', '', { transport: 60 }));
    return {
      verdict: 'failed',
      message: `${about}; it is not trusted: ${refusals[refusal] ?? 'it cannot be verified'} (${refusal})`,
      todo,
    };
  }
  if (days >= soon) return { message: about };
  return {
    verdict: 'warning',
    message: about,
    todo: 'Renew the certificate, or ask the operator of the API to do so.',
  };
}

const dateOf = (at: number): string => (Number.isNaN(at) ? 'an unknown date' : new Date(at).toISOString().slice(0, 10));

/** Common name, else the organization. */
const nameIn = (name: TlsFacts['certificate']['subject'] | undefined): string =>
  [name?.CN ?? name?.O ?? 'a host without a name'].flat().join(', ');

const refusals: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its authority is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its authority is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its authority is not known here',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host name',
};
