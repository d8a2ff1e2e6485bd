/** A service in memory that the sinks of this folder write to: a list, a queue, staged tables and a log. */
import { createServer, type Server } from 'node:http';

export interface Service {
  readonly url: string;
  /** The items of a data type that can be read, one JSON text each. */
  items(dataType: string): readonly string[];
  close(): void;
}

/** What a call carries; each call needs some of it. */
interface Body {
  readonly dataType: string;
  readonly items: readonly string[];
  readonly messages: readonly { readonly id: string; readonly item: string }[];
  readonly run: string;
  readonly epoch: number;
  readonly replaces?: readonly string[];
  readonly ends: Readonly<Record<string, number>>;
  readonly at: number;
  readonly lane: string;
  readonly keep?: string;
}

/**
 * What the service knows of a run that stages rows or commits transactions. It stays after the end of the run: an older
 * process may call later. A service that lasts would remove it after some days.
 */
interface Run {
  epoch: number;
  readonly rows: Map<string, readonly string[]>;
  readonly keeps: Map<string, string>;
}

/** A call that is refused: status 409. */
class Conflict extends Error {}

/** Answers calls as `call` of client.ts makes them. */
export function createCalls() {
  const items = new Map<string, readonly string[]>();
  const ids = new Set<string>();
  const runs = new Map<string, Run>();
  const append = (dataType: string, more: readonly string[]) =>
    void items.set(dataType, [...(items.get(dataType) ?? []), ...more]);

  /** The run of a call, which a process of a later epoch has taken from all earlier ones. */
  const runOf = ({ run, epoch }: Body): Run => {
    const found = runs.get(run) ?? { epoch, rows: new Map(), keeps: new Map() };
    if (epoch < found.epoch) throw new Conflict(`run ${run} belongs to epoch ${found.epoch}`);
    runs.set(run, found);
    return found;
  };
  /** Refuses all processes of runs that another one replaces, also those that have not called yet. */
  const fence = ({ replaces = [] }: Body) => {
    for (const run of replaces) runs.set(run, { epoch: Number.POSITIVE_INFINITY, rows: new Map(), keeps: new Map() });
  };
  const rowsOf = (body: Body, dataType = body.dataType) => runOf(body).rows.get(dataType) ?? [];
  const cutAt = (body: Body, dataType: string, at: number) =>
    void runOf(body).rows.set(dataType, rowsOf(body, dataType).slice(0, at));

  const calls: Readonly<Record<string, (body: Body) => object | undefined>> = {
    append: ({ dataType, items: more }) => void append(dataType, more),
    send({ dataType, messages }) {
      for (const { id, item } of messages) if (!ids.has(id)) append(dataType, [item]);
      for (const { id } of messages) ids.add(id);
      return undefined;
    },
    stage(body) {
      const run = runOf(body);
      for (const [dataType, end] of Object.entries(body.ends)) {
        if (rowsOf(body, dataType).length < end) throw new Conflict(`"${dataType}" has fewer than ${end} rows`);
      }
      for (const dataType of run.rows.keys()) cutAt(body, dataType, body.ends[dataType] ?? 0);
      run.epoch = body.epoch;
      fence(body);
      return undefined;
    },
    insert(body) {
      const rows = rowsOf(body);
      if (rows.length !== body.at) throw new Conflict(`"${body.dataType}" has ${rows.length} rows, not ${body.at}`);
      runOf(body).rows.set(body.dataType, [...rows, ...body.items]);
      return undefined;
    },
    delete: (body) => cutAt(body, body.dataType, body.at),
    publish(body) {
      for (const [dataType, rows] of runOf(body).rows) items.set(dataType, rows);
      return undefined;
    },
    begin(body) {
      runOf(body).epoch = body.epoch;
      fence(body);
      return undefined;
    },
    held: (body) => Object.fromEntries(runOf(body).keeps),
    transaction(body) {
      const { keeps } = runOf(body);
      append(body.dataType, body.items);
      if (body.keep !== undefined) keeps.set(body.lane, body.keep);
      return undefined;
    },
  };
  const staged = (dataType: string) =>
    [...runs.values()].findLast(({ rows }) => rows.has(dataType))?.rows.get(dataType);
  return {
    items: (dataType: string): readonly string[] => items.get(dataType) ?? staged(dataType) ?? [],
    /** Returns status and text of the response. */
    answer(name: string, body: string): readonly [status: number, text: string] {
      const call = calls[name];
      if (call === undefined) return [404, `there is no call ${name}`];
      try {
        return [200, JSON.stringify(call(JSON.parse(body)) ?? {})];
      } catch (error) {
        return [error instanceof Conflict ? 409 : 500, String(error)];
      }
    },
  };
}

/** Starts the service on a free port of this machine. */
export function startService(): Promise<Service> {
  const { items, answer } = createCalls();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [status, text] = answer((request.url ?? '').slice(1), Buffer.concat(chunks).toString());
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  return listen(server, items);
}

/** Makes a service of a server and of what can be read of it. */
export async function listen(server: Server, items: Service['items']): Promise<Service> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, items, close };
}
