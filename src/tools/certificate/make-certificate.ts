/** Makes the certificate of a run that has succeeded, from its proofs, its totals and the files that it has written. */
import type { SinkOutput } from '../../../sinks/contract.js';
import type { ProvenPage } from '../../core/model/page.js';
import { defined } from '../../core/util/defined.js';
import { version } from '../../core/util/version.js';
import type { Summary } from '../../run/job-stats.js';
import type { RunProof } from '../../run/run-proof.js';
import { counted } from '../text/format.js';
import {
  type Certificate,
  type CertifiedFile,
  type CertifiedOutput,
  type CertifiedPage,
  type CertifiedWalk,
  certificateForm,
  writeCertificate,
} from './certificate.js';
import { pageDifferences } from './certified-pages.js';
import { digestFile, filesOf } from './output-files.js';

export interface CertifiedRun {
  readonly proof: RunProof;
  readonly summary: Summary;
  /** The name of the configuration. */
  readonly label: string;
  /** The folder that names of outputs are relative to. */
  readonly dir: string;
  /** Epoch ms. */
  readonly endedAt: number;
  /** Masks secrets: a name may have one. */
  mask(text: string): string;
}

/** Writes the certificate to a file. Returns what there is to say. Rejects with ERR_USAGE. */
export async function issueCertificate(path: string, run: CertifiedRun): Promise<readonly string[]> {
  const { certificate, notes } = await makeCertificate(run);
  await writeCertificate(path, certificate);
  return [...notes, `certified ${counted(certificate.pages.length, 'page')} in ${path}`];
}

/** The certificate, and why outputs are certified as a whole, not page by page. */
async function makeCertificate(run: CertifiedRun): Promise<{
  readonly certificate: Certificate;
  readonly notes: readonly string[];
}> {
  const { proof, summary, label, endedAt, mask } = run;
  const walks = walksOf(proof.pages, mask);
  const jobs = summary.jobs.map(({ job, parent, dataType, pages, items, bytes, requests, bounded }) => ({
    job: mask(job),
    ...defined({ parent: parent === undefined ? undefined : mask(parent) }),
    dataType: mask(dataType),
    walks: walks.filter((walk) => walk.job === mask(job)).length,
    pages,
    items,
    bytes,
    requests,
    isCut: bounded === true,
  }));
  const pages = proof.pages.map(pageOf);
  const certificate: Certificate = {
    certificate: certificateForm,
    versions: { rxtract: version, node: process.version },
    run: {
      id: proof.run,
      startedAt: new Date(proof.startedAt).toISOString(),
      endedAt: new Date(endedAt).toISOString(),
      resumed: proof.isResumed,
      ...defined({ guarantee: summary.guarantee }),
    },
    configuration: { file: mask(label), fingerprint: proof.fingerprint, options: { ...proof.options } },
    jobs,
    walks,
    outputs: [],
    pages,
  };
  const notes: string[] = [];
  const outputs: CertifiedOutput[] = [];
  for (const output of summary.outputs) {
    const own = await outputOf(output, run);
    const different = own.files.length === 0 ? undefined : await firstDifference(certificate, own, run.dir);
    if (different !== undefined) notes.push(`${own.name} is certified as a whole, not page by page: ${different}`);
    outputs.push({ ...own, hasPages: different === undefined && own.hasPages });
  }
  return { certificate: { ...certificate, outputs }, notes };
}

/** Undefined: its items are not one a line, or they are those of the pages. */
async function firstDifference(
  certificate: Certificate,
  output: CertifiedOutput,
  dir: string,
): Promise<string | undefined> {
  if (!output.hasPages) return undefined;
  const [first] = await pageDifferences(certificate, output, dir);
  return first;
}

/** `hasPages`: its items are one a line, and this run has written them. */
async function outputOf(
  { dataType, name, items, bytes, kept }: SinkOutput,
  { dir, mask }: Pick<CertifiedRun, 'dir' | 'mask'>,
): Promise<CertifiedOutput> {
  const files: CertifiedFile[] = [];
  // A name that has a secret is not written, so the file could not be found by it.
  for (const file of mask(name) === name ? await filesOf(name, dir) : []) files.push(await digestFile(dir, file));
  const hasPages = files.length > 0 && /\.ndjson(?:\.gz)?$/.test(name) && kept !== true;
  return { dataType: mask(dataType), name: mask(name), items, bytes, hasPages, ...defined({ kept }), files };
}

const pageOf = ({ walk, index, items, bytes, sha256 }: ProvenPage): CertifiedPage => ({
  walk,
  page: index + 1,
  items,
  bytes,
  ...defined({ sha256 }),
});

/** In the order of their first pages. */
function walksOf(pages: readonly ProvenPage[], mask: CertifiedRun['mask']): CertifiedWalk[] {
  const walks = new Map<string, CertifiedWalk>();
  for (const { walk, job, items, asked, total, end } of pages) {
    const before = walks.get(walk) ?? { walk, job: mask(job), pages: 0, items: 0 };
    const more = { pages: before.pages + 1, items: before.items + items };
    const last = end === undefined ? {} : defined({ total, end });
    walks.set(walk, { ...before, ...more, ...defined({ asked }), ...last });
  }
  return [...walks.values()];
}
