/** The secrets of one address: those that are written in it, and those that its client finds elsewhere. */
import { asExtractError, type ExtractError } from '../../src/core/errors/errors.js';
import type { Secrets } from '../../src/core/model/secrets.js';
import { maskError } from '../../src/core/secrets/mask-error.js';
import { rawEncode } from '../../src/core/url/percent.js';
import type { Sink } from '../contract.js';

export interface AddressSecrets {
  /** Passwords, tokens, keys and values of headers, in each form in which a message may repeat them. It grows. */
  readonly secrets: readonly string[];
  /**
   * Adds a secret that a client takes from elsewhere, such as a variable or a file, before it is used. Of a private key
   * (PEM), each line is secret too.
   */
  hide(secret: string): void;
  /** The beginning of a text of the server, on one line: secrets are masked before it is cut. */
  excerpt(text: string, length: number): Promise<string>;
}

/** Starts without a secret. `onSecret` gets each one, as soon as it is known. */
export function createAddressSecrets(onSecret: (secret: string) => void = () => {}): AddressSecrets {
  const secrets: string[] = [];
  const add = (secret: string) => {
    if (secret === '' || secrets.includes(secret)) return;
    secrets.push(secret);
    onSecret(secret);
  };
  return {
    secrets,
    hide(secret) {
      for (const each of [secret, ...(isPem(secret) ? linesOf(secret) : [rawEncode(secret)])]) add(each);
    },
    excerpt: async (text, length) => (await storeOf(secrets)).excerpt(text, length),
  };
}

/** Creates the sink of an address, with its secrets: what runs it masks them, and the errors of `check` have none. */
export function sinkFrom<Address extends AddressSecrets>(address: Address, create: (address: Address) => Sink): Sink {
  const sink = create(address);
  const { secrets } = address;
  const { check } = sink;
  const fail = async (thrown: unknown): Promise<never> => {
    throw await maskedBy(secrets, thrown);
  };
  return Object.assign(sink, {
    secrets,
    ...(check === undefined ? {} : { check: () => check.call(sink).catch(fail) }),
  });
}

/** A failure without the secrets of its address. */
export const maskedBy = async (secrets: readonly string[], thrown: unknown): Promise<ExtractError> =>
  maskError(asExtractError(thrown, 'ERR_SINK'), await storeOf(secrets));

/** Errors are rare: the store is loaded with the first one, as help lists sinks without it, and none is kept. */
async function storeOf(secrets: readonly string[]): Promise<Secrets> {
  const { createSecrets } = await import('../../src/core/secrets/secrets.js');
  const store = createSecrets();
  store.follow(() => secrets);
  return store;
}

/** Whether a text is a certificate or a key, and not the name of a file. */
export const isPem = (text: string): boolean => text.includes('-----BEGIN');

/** The lines of base64. */
const linesOf = (pem: string): readonly string[] =>
  pem.split(/\s+/).filter((line) => /^[A-Za-z\d+/=]{16,}$/.test(line));
