/** Verifies a certificate without the API: its figures against one another, and its files against their digests. */
import { asExtractError } from '../../core/errors/errors.js';
import { counted } from '../text/format.js';
import type { Certificate, CertifiedFile, CertifiedOutput, CertifiedWalk } from './certificate.js';
import { labelOf, pageDifferences } from './certified-pages.js';
import { digestFile, filesOf, partName } from './output-files.js';

/** One line of a verification. */
export interface Verified {
  /** `differs`: not as certified; `same`: as certified; `unchecked`: it cannot be checked here. */
  readonly result: 'same' | 'differs' | 'unchecked';
  /** A file, an output, a job or a page. */
  readonly what: string;
  readonly text: string;
}

/** `dir`: the folder that names of outputs are relative to. */
export async function verifyCertificate(certificate: Certificate, dir: string): Promise<readonly Verified[]> {
  const findings: Verified[] = [...checkFigures(certificate)];
  for (const output of certificate.outputs) findings.push(...(await checkOutput(certificate, output, dir)));
  return findings;
}

const differs = (what: string, text: string): Verified => ({ result: 'differs', what, text });

/** The figures of a certificate that was not changed agree. */
export function checkFigures(certificate: Certificate): readonly Verified[] {
  return [...checkWalks(certificate), ...checkJobs(certificate), ...checkOutputs(certificate)];
}

function checkWalks({ walks, pages }: Certificate): readonly Verified[] {
  const findings: Verified[] = [];
  const ofWalks = new Map(walks.map((walk) => [walk.walk, { walk, next: 1, items: 0 }]));
  for (const page of pages) {
    const own = ofWalks.get(page.walk);
    if (own === undefined) {
      findings.push(differs(`walk ${page.walk}`, `page ${page.page} is of a walk that the certificate lacks`));
      continue;
    }
    for (; own.next < page.page; own.next++) {
      findings.push(
        differs(`job "${own.walk.job}"`, `the certificate lacks ${labelOf({ ...page, page: own.next }, own.walk.job)}`),
      );
    }
    own.next = page.page + 1;
    own.items += page.items;
  }
  for (const { walk, next, items } of ofWalks.values()) findings.push(...checkWalk(walk, next - 1, items));
  return findings;
}

function checkWalk(walk: CertifiedWalk, pages: number, items: number): readonly Verified[] {
  const findings: Verified[] = [];
  const what = `job "${walk.job}"`;
  const name = walk.walk.includes('/') ? `walk ${walk.walk}` : 'its walk';
  if (pages !== walk.pages)
    findings.push(differs(what, `${name} has ${walk.pages} pages, and the certificate ${pages}`));
  if (items !== walk.items)
    findings.push(differs(what, `${name} has ${walk.items} items, and its pages have ${items}`));
  if (walk.end === undefined) findings.push(differs(what, `${name} has no end: later pages are not certified`));
  const total = walk.total;
  if (total !== undefined && isWrong(walk, total)) {
    findings.push(differs(what, `the API states ${total.items} items ("${total.at}"), and ${walk.items} came`));
  }
  return findings;
}

function isWrong({ items }: CertifiedWalk, total: NonNullable<CertifiedWalk['total']>): boolean {
  if (total.agrees !== true) return total.agrees === false;
  const [least, most] = [Math.min(total.items, total.first ?? total.items), Math.max(total.items, total.first ?? 0)];
  return items < least || (items > most && total.isLeast !== true);
}

function checkJobs({ jobs, walks }: Certificate): readonly Verified[] {
  return jobs.flatMap((job) => {
    const own = walks.filter((walk) => walk.job === job.job);
    const items = own.reduce((sum, walk) => sum + walk.items, 0);
    if (items === job.items) return [];
    return [differs(`job "${job.job}"`, `it has ${counted(job.items, 'item')}, and its certified pages have ${items}`)];
  });
}

function checkOutputs({ outputs, jobs }: Certificate): readonly Verified[] {
  return outputs.flatMap((output) => {
    if (!output.hasPages) return [];
    const items = jobs.filter((job) => job.dataType === output.dataType).reduce((sum, job) => sum + job.items, 0);
    if (items === output.items) return [];
    return [
      differs(
        output.name,
        `it has ${counted(output.items, 'item')}, and the jobs of "${output.dataType}" have ${items}`,
      ),
    ];
  });
}

async function checkOutput(
  certificate: Certificate,
  output: CertifiedOutput,
  dir: string,
): Promise<readonly Verified[]> {
  const { name, files } = output;
  if (files.length === 0) {
    return [
      {
        result: 'unchecked',
        what: name,
        text: `${counted(output.items, 'item')}, in no file that can be checked here`,
      },
    ];
  }
  const findings = await filesBeyond(output, dir);
  for (const file of files) findings.push(await checkFile(file, dir));
  const isWhole = findings.every(({ text }) => text !== missing);
  if (!isWhole || !output.hasPages) return findings;
  const pages = (await pageDifferences(certificate, output, dir)).map((text) => differs(name, text));
  return [...findings, ...pages];
}

/** Parts that were added after the last. */
async function filesBeyond({ name, files }: CertifiedOutput, dir: string): Promise<Verified[]> {
  const next = partName(name, files.length + 1);
  const more = next === name ? [] : await filesOf(next, dir);
  return more.map((file) => differs(file, 'not certified: another part of the output'));
}

const missing = 'the file is missing';

async function checkFile(file: CertifiedFile, dir: string): Promise<Verified> {
  if ((await filesOf(file.file, dir)).length === 0) return differs(file.file, missing);
  const found = await digestFile(dir, file.file).catch((thrown: unknown) => asExtractError(thrown).message);
  if (typeof found === 'string') return differs(file.file, `cannot be read: ${found}`);
  if (found.sha256 === file.sha256)
    return { result: 'same', what: file.file, text: `${file.bytes} bytes, ${file.sha256}` };
  return differs(file.file, changed(file, found));
}

function changed(file: CertifiedFile, found: CertifiedFile): string {
  const rows = (found.rows ?? 0) - (file.rows ?? 0);
  if (rows > 0) return `${counted(rows, 'row')} more than certified`;
  if (rows < 0) return `cut: ${counted(-rows, 'row')} fewer than certified`;
  const { bytes } = found;
  if (bytes < file.bytes) return `cut: ${bytes} bytes of ${file.bytes}`;
  return bytes > file.bytes ? `${bytes - file.bytes} bytes more than certified` : 'its content has changed';
}
