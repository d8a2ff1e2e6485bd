/**
 * `image_parameters.allowed_hosts`: the hosts that a configuration may request. docs/01-configuration.md#allowed-hosts.
 */
import { domainToASCII } from 'node:url';
import { type Exact, isObject } from '../core/json/exact.js';
import type { OptionRows } from '../core/options/kind.js';
import { nonEmptyText, text, whole, word } from '../core/options/kinds.js';
import { listOf, objectOf } from '../core/options/object-kinds.js';
import type { AllowedHost } from '../core/url/allowed-hosts.js';
import { nearest } from '../core/util/suggest.js';
import type { ConfigPath } from '../language/config-path.js';
import { object } from '../language/kinds.js';
import { isPhpEmpty, listEntries, readValue } from '../language/read.js';

/** The keys of an element of `image_parameters.allowed_hosts`. */
const hostFields = {
  host: { kind: nonEmptyText, required: true, summary: 'the host; subdomains are other hosts' },
  scheme: { kind: word('https', 'http'), otherwise: 'both', summary: 'the scheme' },
  port: { kind: whole(1), otherwise: 'any', summary: 'the port; URLs must then contain it' },
  endpoint: { kind: text, otherwise: 'any', summary: 'the beginning of the path, in whole segments' },
} satisfies OptionRows;

/** The keys of `image_parameters`; other keys there belong to other programs. */
export const imageFields = {
  allowed_hosts: {
    kind: listOf(objectOf(hostFields), 'objects with "host"'),
    emptyIsAbsent: true,
    otherwise: 'all',
    summary: 'the only URLs that requests may go to',
  },
} satisfies OptionRows;

/**
 * Reads the list; empty: all hosts are allowed. Returns `undefined` if something does not fit, after reporting it to
 * `place`.
 */
export function readAllowedHosts(place: ConfigPath, value: Exact = null): readonly AllowedHost[] | undefined {
  const image = isPhpEmpty(value) ? new Map<string, Exact>() : readValue(place, value, object);
  const listed = image?.get('allowed_hosts');
  if (image !== undefined) rejectMisspelt(place, image.keys(), imageFields);
  if (isPhpEmpty(listed)) return image === undefined ? undefined : [];
  for (const [step, each] of listEntries(listed ?? null) ?? []) {
    if (isObject(each)) rejectMisspelt(place.at('allowed_hosts', step), each.keys(), hostFields);
  }
  const hosts = readValue(place.at('allowed_hosts'), listed, imageFields.allowed_hosts.kind);
  return hosts?.map(({ host, ...more }) => ({ host: domainToASCII(host) || host.toLowerCase(), ...more }));
}

/** Rejects keys that are nearly one of these. Other keys are ignored, but a misspelt one would lift the restriction. */
export function rejectMisspelt(place: ConfigPath, keys: Iterable<string>, fields: object): void {
  for (const key of keys) {
    const near = Object.hasOwn(fields, key) ? undefined : nearest(key, Object.keys(fields));
    if (near !== undefined)
      place.at(key).problem(`unknown key, which would allow more than intended; did you mean "${near}"?`);
  }
}
