/** An API for the page to find: pages of people behind a token, each with orders; some requests fail at first. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SampleApi {
  readonly address: string;
  close(): void;
}

export const sampleToken = 'a-token-of-the-sample';

const people = Array.from({ length: 600 }, (_, index) => ({
  id: index + 1,
  name: ['Ada Lovelace', 'Grace Hopper', 'Edsger Dijkstra', 'Barbara Liskov'][index % 4],
  city: ['Brno', 'Oslo', 'Porto'][index % 3],
  active: index % 5 !== 0,
  joined: new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString(),
}));

export async function startSampleApi(): Promise<SampleApi> {
  let count = 0;
  const server = createServer(({ url = '', headers }, response) => {
    count += 1;
    const { pathname, searchParams } = new URL(url, 'http://h');
    response.setHeader('content-type', 'application/json');
    const send = (status: number, body: object) => {
      response.statusCode = status;
      setTimeout(() => response.end(JSON.stringify(body)), 10 + ((count * 37) % 60));
    };
    if (headers.authorization !== `Bearer ${sampleToken}`) return send(401, { error: 'unauthorized' });
    const [, id] = /^\/v1\/people\/(\d+)\/orders$/.exec(pathname) ?? [];
    if (id !== undefined && count % 23 === 0) {
      response.setHeader('retry-after', '1');
      return send(503, {});
    }
    if (id !== undefined) return send(200, { data: [{ id: `${id}-1`, total: 12.5 }] });
    if (pathname !== '/v1/people') return send(404, {});
    const size = Math.min(50, Number(searchParams.get('per_page') ?? 20));
    const page = Number(searchParams.get('page') ?? 1);
    return send(200, { data: people.slice((page - 1) * size, page * size), total: people.length });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a server that listens
  return {
    address: `http://127.0.0.1:${port}/v1/people`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
