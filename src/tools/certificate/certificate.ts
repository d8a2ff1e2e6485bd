/** A certificate of a run: its form, its text and its file. docs/18-certificates.md. */
import { createWriteStream } from 'node:fs';
import { readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as s from 'superstruct';
import { describeSystemError } from '../../core/errors/system-error.js';
import { knownEnds } from '../../core/model/page.js';
import { usageError } from '../../core/util/check-value.js';
import { makeFolder } from '../../core/util/make-folder.js';
import { renameFile } from '../../core/util/rename-file.js';

/** The version of the form. */
export const certificateForm = 1;

const count = s.min(s.integer(), 0);
const digest = s.pattern(s.string(), /^[0-9a-f]{64}$/);

const total = s.type({
  items: count,
  at: s.string(),
  first: s.optional(count),
  isLeast: s.optional(s.literal(true)),
  agrees: s.optional(s.boolean()),
});

const certificateStruct = s.type({
  certificate: s.literal(certificateForm),
  versions: s.type({ rxtract: s.string(), node: s.string() }),
  run: s.type({
    id: s.string(),
    startedAt: s.string(),
    endedAt: s.string(),
    resumed: s.boolean(),
    guarantee: s.optional(s.string()),
  }),
  configuration: s.type({ file: s.string(), fingerprint: digest, options: s.record(s.string(), s.string()) }),
  jobs: s.array(
    s.type({
      job: s.string(),
      dataType: s.string(),
      parent: s.optional(s.string()),
      walks: count,
      pages: count,
      items: count,
      bytes: count,
      requests: count,
      isCut: s.boolean(),
    }),
  ),
  walks: s.array(
    s.type({
      walk: s.string(),
      job: s.string(),
      asked: s.optional(s.string()),
      pages: count,
      items: count,
      end: s.optional(s.type({ by: s.enums(knownEnds), reason: s.string() })),
      total: s.optional(total),
    }),
  ),
  outputs: s.array(
    s.type({
      dataType: s.string(),
      name: s.string(),
      items: count,
      bytes: count,
      hasPages: s.boolean(),
      kept: s.optional(s.literal(true)),
      files: s.array(s.type({ file: s.string(), bytes: count, sha256: digest, rows: s.optional(count) })),
    }),
  ),
  pages: s.array(
    s.type({ walk: s.string(), page: s.min(s.integer(), 1), items: count, bytes: count, sha256: s.optional(digest) }),
  ),
});

export type Certificate = s.Infer<typeof certificateStruct>;
export type CertifiedPage = Certificate['pages'][number];
export type CertifiedWalk = Certificate['walks'][number];
export type CertifiedOutput = Certificate['outputs'][number];
export type CertifiedFile = CertifiedOutput['files'][number];

/** Its text, in parts: each walk, file and page is one line. */
export function* certificateText(certificate: Certificate): Iterable<string> {
  const members = Object.entries(certificate);
  yield '{\n';
  for (const [index, [name, value]] of members.entries()) {
    const comma = index === members.length - 1 ? '\n' : ',\n';
    yield `  ${JSON.stringify(name)}: `;
    if (Array.isArray(value)) yield* listText(value);
    else yield JSON.stringify(value);
    yield comma;
  }
  yield '}\n';
}

function* listText(values: readonly unknown[]): Iterable<string> {
  if (values.length === 0) return yield '[]';
  yield '[\n';
  for (const [index, value] of values.entries()) {
    yield `    ${JSON.stringify(value)}${index === values.length - 1 ? '\n' : ',\n'}`;
  }
  yield '  ]';
}

/** Writes it; the file is the old one or the new one at any time. Rejects with ERR_USAGE. */
export async function writeCertificate(path: string, certificate: Certificate): Promise<void> {
  const partial = `${path}.partial`;
  try {
    await makeFolder(dirname(path));
    await pipeline(Readable.from(certificateText(certificate)), createWriteStream(partial));
    await renameFile(partial, path);
  } catch (thrown) {
    await unlink(partial).catch(() => {});
    throw usageError(`${path}: cannot be written: ${describeSystemError(thrown)}`);
  }
}

/** Reads one. Rejects with ERR_USAGE for a file that cannot be read, or is none. */
export async function readCertificate(path: string): Promise<Certificate> {
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    throw usageError(`${path}: cannot be read: ${describeSystemError(thrown)}`);
  });
  const [failure, certificate] = s.validate(parsed(text), certificateStruct);
  if (failure === undefined) return certificate;
  const place = failure.path.length === 0 ? 'it' : `\`${failure.path.join('.')}\``;
  throw usageError(`${path} is no certificate: ${place} is not as certificate.schema.json says`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
