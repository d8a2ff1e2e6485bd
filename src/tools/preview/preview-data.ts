/** A previewed page as plain data, for programs: what `preview --json` prints. */
import type { Secrets } from '../../core/model/secrets.js';
import type { ExplainedRequest } from '../../http/explain-request.js';
import { fieldsOf, type ItemField, type SampledMember } from './fields.js';
import type { PreviewedPage } from './preview-text.js';

/** All texts are masked. */
export interface PreviewData {
  readonly job: string;
  /** From 1. */
  readonly page: number;
  readonly request: ExplainedRequest;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** How the body begins; absent: it is no text, or larger than a mebibyte. */
  readonly body?: string;
  /** How many there are. */
  readonly items: number;
  readonly bytes: number;
  readonly requests: number;
  readonly retries: number;
  readonly fields: readonly ItemField[];
  /** The first items: how the value of each field begins, `null` where there is none. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** The request that would follow, or why there is none. */
  readonly next: ExplainedRequest | { readonly stop: string };
}

/** In characters. */
const mostOfBody = 20_000;

/** `rows`: items at most. */
export function previewData(previewed: PreviewedPage, rows: number, mask: Secrets['mask']): PreviewData {
  const { job, index, count, bytes, requests, retries, items, page } = previewed;
  const { request, head, next } = page;
  const fields = fieldsOf(items).map((field) => ({ ...field, name: mask(field.name, 'cut') }));
  const names = fieldsOf(items).map(({ name }) => name);
  const shown = items.slice(0, rows).map((item) => names.map((name) => textOf(item.get(name), mask)));
  const headers = Object.entries(head.headers).map(([name, value]) => [name, mask([value].flat().join(', '))]);
  const body = page.body === undefined ? undefined : bodyText(page.body, mask);
  return {
    job: mask(job),
    page: index + 1,
    request,
    status: head.status,
    headers: Object.fromEntries(headers),
    ...(body === undefined ? {} : { body }),
    items: count,
    bytes,
    requests,
    retries,
    fields,
    rows: shown,
    next: 'stop' in next ? { stop: mask(next.stop) } : next,
  };
}

function textOf(member: SampledMember | undefined, mask: Secrets['mask']): string | null {
  if (member === undefined) return null;
  const { text, isCut } = member;
  return isCut ? `${mask(text, 'cut')}...` : mask(text);
}

function bodyText(body: Buffer, mask: Secrets['mask']): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return text.length > mostOfBody ? `${mask(text.substring(0, mostOfBody), 'cut')}...` : mask(text);
  } catch {
    return undefined;
  }
}
