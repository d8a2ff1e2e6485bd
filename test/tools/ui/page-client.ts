/** Asks a page as a browser does, or as one that it must not answer. */
import { type IncomingHttpHeaders, request } from 'node:http';

export interface PageAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface AskedPage {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The path is sent as it is written. */
export const askPage = (address: string, { method = 'GET', path, headers = {}, body = '' }: AskedPage) =>
  new Promise<PageAnswer>((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const asked = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });

export const tokenIn = (address: string): string => new URL(address).searchParams.get('token') ?? '';

/** A request of the page itself. */
export const callPage = (address: string, path: string, input: object = {}) =>
  askPage(address, {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokenIn(address)}` },
    body: JSON.stringify(input),
  });

/** Reads an answer line by line, until its end or until `take` returns true. */
export const streamPage = (address: string, path: string, input: object, take: (line: Line) => unknown) =>
  new Promise<void>((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${tokenIn(address)}` };
    const asked = request({ hostname, port, method: 'POST', path, headers, agent: false }, (response) => {
      let rest = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          if (take(JSON.parse(line)) !== true) continue;
          asked.destroy();
          resolve();
          return;
        }
      });
      response.on('close', resolve);
    });
    asked.on('error', reject);
    asked.end(JSON.stringify(input));
  });

export interface Line {
  // biome-ignore lint/suspicious/noExplicitAny: lines of any route
  readonly [name: string]: any;
}
