/** A server of states in memory: several processes may have one, and it fails as a test decides. */
import { lostState, type StateServer, type Tenure } from '../../../src/checkpoint/store/state-server.js';

export interface MemoryServer {
  /** What all processes see. */
  readonly state: { tenure: Tenure; records: readonly string[]; readonly parts: Map<string, Buffer> };
  /** The requests, such as `append 2`. */
  readonly calls: string[];
  /** Called before each request. */
  before: (call: string) => void | Promise<void>;
  /** A process. */
  connect(): StateServer;
}

export function memoryServer(): MemoryServer {
  const server: MemoryServer = {
    state: { tenure: { epoch: 0, beat: '0' }, records: [], parts: new Map() },
    calls: [],
    before: () => {},
    connect: () => processAt(server),
  };
  return server;
}

function processAt(server: MemoryServer): StateServer {
  const { state } = server;
  const name = 'memory://server/state';
  let epoch = 0;
  const call = async (text: string) => {
    server.calls.push(text);
    await server.before(text);
  };
  const writing = async (text: string, work: () => void = () => {}) => {
    await call(text);
    if (state.tenure.epoch !== epoch) throw lostState(name);
    state.tenure = { ...state.tenure, beat: String(Number(state.tenure.beat) + 1) };
    work();
  };
  return {
    name,
    secrets: ['hidden-password'],
    async read() {
      await call('read');
      return state.tenure;
    },
    async take(holder, found) {
      await call('take');
      if (state.tenure !== found) return false;
      epoch = found.epoch + 1;
      state.tenure = { epoch, beat: '0', holder };
      return true;
    },
    touch: () => writing('touch'),
    load: async () => state.records,
    replace: (records) => writing(`replace ${records.length}`, () => void Object.assign(state, { records })),
    append: (records) =>
      writing(`append ${records.length}`, () => {
        state.records = [...state.records, ...records];
      }),
    partNames: async () => [...new Set([...state.parts.keys()].map((key) => key.split('/')[0] ?? ''))],
    writePart: (part, position, bytes) =>
      writing('part', () => void state.parts.set(`${part}/${position}`, Buffer.from(bytes))),
    readPart: async (part, { position }) => state.parts.get(`${part}/${position}`),
    async removePart(part) {
      for (const key of state.parts.keys()) if (key.startsWith(`${part}/`)) state.parts.delete(key);
    },
    release: () =>
      writing('release', () => {
        const { holder: _, ...free } = state.tenure;
        state.tenure = free;
      }),
    end: () => void server.calls.push('end'),
  };
}
