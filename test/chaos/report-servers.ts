/**
 * Four APIs that make reports, as their public documentation describes them: Salesforce Bulk API 2.0 (query jobs),
 * Stripe Reporting (report runs), Amazon SP-API (reports 2021-06-30), SendGrid (contact exports).
 */
import { gzipSync } from 'node:zlib';
import { headerOf, json, type RecordedRequest, type Reply } from '../loopback/api.js';

/** One API with one report in it. */
export interface ReportApi {
  /** The configuration of a job, and of its API. */
  configuration(origin: string): { readonly api: object; readonly job: object };
  answer(request: RecordedRequest, url: URL): Reply;
  /** How many reports there are. */
  created(): number;
  /** The API creates none for a request that it knows. */
  readonly knowsRequests: boolean;
}

const headerLine = ['id', 'name'];
const lines = (from: number, to: number, delimiter: string): string =>
  [headerLine, ...Array.from({ length: to - from }, (_, at) => [String(from + at), `row "${from + at}"`])]
    .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter))
    .join('\n');

const csv = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Reply => ({
  headers: { 'content-type': 'text/csv', ...headers },
  body,
});

const missing: Reply = { status: 404, body: '{"message":"not found"}' };
const polls = { every: 0.005 };

/** Polls until a report is done. */
const workPolls = 4;

/** Pages of 100 rows by a locator; the last page has the text `null` as its locator. */
function salesforce(rows: number): ReportApi {
  const jobs = new Map<string, number>();
  const root = '/services/data/v60.0/jobs/query';
  return {
    knowsRequests: false,
    created: () => jobs.size,
    configuration: (origin) => ({
      api: { baseUrl: `${origin}${root.replace('query', '')}` },
      job: {
        await: {
          create: { endpoint: 'query', params: { operation: 'query', query: 'SELECT id, name FROM Row' } },
          poll: { endpoint: 'query/{id}', ...polls },
          done: { path: 'state', equals: 'JobComplete' },
          failed: { path: 'state', in: ['Failed', 'Aborted'] },
          fetch: { endpoint: 'query/{id}/results', params: { maxRecords: 100 } },
          delete: { endpoint: 'query/{id}' },
        },
        pagination: { method: 'response.header', header: 'Sforce-Locator', queryParam: 'locator', includeParams: true },
        responseRules: [
          Object.fromEntries([
            ['when', { header: 'Sforce-Locator', equals: 'null' }],
            ['then', 'end'],
          ]),
        ],
        response: { format: 'csv' },
      },
    }),
    answer({ method }, { pathname, searchParams }) {
      if (method === 'POST') {
        const id = `750R0000000zlh${jobs.size}`;
        jobs.set(id, 0);
        return json({ id, operation: 'query', state: 'UploadComplete' });
      }
      const id = pathname.slice(root.length + 1).split('/')[0] ?? '';
      const polled = jobs.get(id);
      if (polled === undefined || polled < 0) return missing;
      if (method === 'DELETE') {
        jobs.set(id, -1);
        return { status: 204 };
      }
      if (pathname.endsWith('/results')) {
        const from = Number(Buffer.from(searchParams.get('locator') ?? '', 'base64').toString() || 0);
        const to = Math.min(rows, from + Number(searchParams.get('maxRecords')));
        const locator = to < rows ? Buffer.from(String(to)).toString('base64') : 'null';
        return csv(lines(from, to, ','), { 'sforce-locator': locator, 'sforce-numberofrecords': String(to - from) });
      }
      jobs.set(id, polled + 1);
      return json({ id, state: polled + 1 < workPolls ? 'InProgress' : 'JobComplete' });
    },
  };
}

/** A request with a known Idempotency-Key gets the same run. The file needs the credentials of the API. */
function stripe(rows: number): ReportApi {
  const runs = new Map<string, string>();
  let polled = 0;
  const runOf = (id: string, status: string, url?: string) =>
    json({ id, object: 'reporting.report_run', status, result: url === undefined ? null : { object: 'file', url } });
  return {
    knowsRequests: true,
    created: () => runs.size,
    configuration: (origin) => ({
      api: { baseUrl: `${origin}/v1/`, authentication: { type: 'basic' } },
      job: {
        await: {
          create: {
            endpoint: 'reporting/report_runs',
            method: 'FORM',
            params: { report_type: 'balance.summary.1' },
            idempotencyKey: 'Idempotency-Key',
          },
          poll: { endpoint: 'reporting/report_runs/{id}', ...polls },
          done: { path: 'status', equals: 'succeeded' },
          failed: { path: 'status', equals: 'failed' },
          fetch: { path: 'result.url' },
        },
        response: { format: 'csv' },
      },
    }),
    answer(request, { pathname, origin }) {
      if (headerOf(request, 'authorization') === undefined) return { status: 401, body: '{}' };
      if (request.method === 'POST') {
        const key = headerOf(request, 'idempotency-key') ?? `none ${runs.size}`;
        const id = runs.get(key) ?? `frr_${runs.size}`;
        runs.set(key, id);
        return runOf(id, 'pending');
      }
      if (pathname.startsWith('/v1/files/')) return csv(lines(0, rows, ','));
      const id = pathname.split('/').at(-1) ?? '';
      if (![...runs.values()].includes(id)) return missing;
      polled += 1;
      return polled < workPolls ? runOf(id, 'pending') : runOf(id, 'succeeded', `${origin}/v1/files/file_1/contents`);
    },
  };
}

/** The report names a document, whose link is signed and may be used once. */
function sellingPartner(rows: number): ReportApi {
  const reports = new Map<string, number>();
  const links = new Set<string>();
  return {
    knowsRequests: false,
    created: () => reports.size,
    configuration: (origin) => ({
      api: { baseUrl: `${origin}/reports/2021-06-30/` },
      job: {
        await: {
          create: {
            endpoint: 'reports',
            params: { reportType: 'GET_FLAT_FILE_ORDERS', marketplaceIds: ['A1PA6795UKMFR9'] },
          },
          poll: { endpoint: 'reports/{reportId}', ...polls },
          done: { path: 'processingStatus', equals: 'DONE' },
          failed: { path: 'processingStatus', in: ['FATAL', 'CANCELLED'] },
          fetch: { endpoint: 'documents/{reportDocumentId}', path: 'url' },
        },
        response: { format: 'csv', delimiter: '\t', decode: ['gunzip'] },
      },
    }),
    answer({ method }, { pathname, searchParams, origin }) {
      if (method === 'POST') {
        const reportId = `5000${reports.size}`;
        reports.set(reportId, 0);
        return json({ reportId }, { status: 202 });
      }
      if (pathname.startsWith('/tsv/')) {
        if (!links.delete(searchParams.get('X-Amz-Signature') ?? '')) return { status: 403, body: '<Error/>' };
        return { headers: { 'content-type': 'application/octet-stream' }, body: gzipSync(lines(0, rows, '\t')) };
      }
      const id = pathname.split('/').at(-1) ?? '';
      if (pathname.includes('/documents/')) {
        const signature = `${links.size}-${Math.random().toString(36).slice(2)}-0123456789abcdef`;
        links.add(signature);
        const url = `${origin}/tsv/${id}?X-Amz-Signature=${signature}`;
        return json({ reportDocumentId: id, compressionAlgorithm: 'GZIP', url });
      }
      const polled = (reports.get(id) ?? Number.NaN) + 1;
      if (Number.isNaN(polled)) return missing;
      reports.set(id, polled);
      const isDone = polled >= workPolls;
      return json({
        reportId: id,
        processingStatus: isDone ? 'DONE' : 'IN_PROGRESS',
        ...(isDone ? { reportDocumentId: `amzn1.spdoc.1.4.eu.${id}` } : {}),
      });
    },
  };
}

/** Several files in gzip, a link each. */
function sendGrid(rows: number): ReportApi {
  const exports = new Map<string, number>();
  const third = Math.ceil(rows / 3);
  return {
    knowsRequests: false,
    created: () => exports.size,
    configuration: (origin) => ({
      api: { baseUrl: `${origin}/v3/marketing/contacts/` },
      job: {
        await: {
          create: { endpoint: 'exports', params: { file_type: 'csv' } },
          poll: { endpoint: 'exports/{id}', ...polls },
          done: { path: 'status', equals: 'ready' },
          failed: { path: 'status', equals: 'failure' },
          fetch: { path: 'urls' },
        },
        response: { format: 'csv', decode: ['gunzip'] },
      },
    }),
    answer({ method }, { pathname, origin }) {
      if (method === 'POST') {
        const id = `c0b3-${exports.size}`;
        exports.set(id, 0);
        return json({ _metadata: {}, id }, { status: 202 });
      }
      const part = Number(/\/files\/(\d)/.exec(pathname)?.[1] ?? -1);
      if (part >= 0) {
        const body = gzipSync(lines(part * third, Math.min(rows, (part + 1) * third), ','));
        return { headers: { 'content-type': 'application/gzip' }, body };
      }
      const id = pathname.split('/').at(-1) ?? '';
      const polled = (exports.get(id) ?? Number.NaN) + 1;
      if (Number.isNaN(polled)) return missing;
      exports.set(id, polled);
      const urls = [0, 1, 2].map((each) => `${origin}/files/${each}.csv.gz?Signature=abc`);
      return json({ id, status: polled < workPolls ? 'pending' : 'ready', ...(polled < workPolls ? {} : { urls }) });
    },
  };
}

/** Makes an API whose report has so many rows. */
export const reportApis = { salesforce, stripe, sellingPartner, sendGrid };

export type ReportApiName = keyof typeof reportApis;
