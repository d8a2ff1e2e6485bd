/**
 * Random configurations of two or three jobs with children of up to three levels, some for lists or divided, filters,
 * iterations, lists of values and windows. A response depends on its request alone.
 */
import { createHash } from 'node:crypto';
import { json, type Reply } from '../../loopback/api.js';
import type { Scene } from '../scenes.js';

/** Draws a whole number from 0 to before `below`. */
export type Draw = (below: number) => number;

export interface RandomScene extends Scene {
  readonly iterations?: readonly object[];
  /** How many rows a task has; undefined: as many as take some seconds. */
  readonly block: number | undefined;
  /** A task is parked when it has made others and more of them wait; undefined: it is not. */
  readonly mostReady?: number | undefined;
}

/** `most`: a list of a top-level job has fewer rows. */
export function randomScene(draw: Draw, most = 11): RandomScene {
  const jobs = Array.from({ length: 2 + draw(2) }, (_, index) => randomJob(draw, index));
  const iterations = draw(3) === 0 ? [{ region: 'a' }, { region: 'b' }] : undefined;
  const splits = JSON.stringify(jobs).includes('"split":true');
  return {
    what: 'random',
    api: { pagination: { method: 'pagenum', limit: 3, limitParam: 'limit' } },
    jobs,
    config: { region: 'none' },
    concurrency: 1 + draw(4),
    mostReady: draw(3) === 0 ? 1 + draw(8) : undefined,
    block: draw(5) === 0 ? undefined : 1 + draw(4),
    answer: (url) => answer(url, most),
    ...(iterations === undefined ? {} : { iterations }),
    // A window that splits has asked for pages that are not written.
    ...(splits ? { discards: true } : {}),
  };
}

function randomJob(draw: Draw, index: number): object {
  const base = { dataType: `top${draw(4) === 0 ? '' : index}`, id: `job${index}`, dataField: 'items' };
  const children = Array.from({ length: draw(3) }, (_, child) => randomChild(draw, `${index}${child}`, 2 + draw(2)));
  const params = { region: { attr: 'region' } };
  const kind = draw(5);
  if (kind === 0) {
    const windows = { from: 0, to: 20, step: 1 + draw(12), params: { from: 'start', to: 'end' }, split: draw(2) === 0 };
    return { ...base, endpoint: `windows${index}`, params, windows, children };
  }
  if (kind === 1) return { ...base, endpoint: `lists${index}/{each}`, params, each: { each: ['x', 'y'] }, children };
  return { ...base, endpoint: `lists${index}`, params, children };
}

function randomChild(draw: Draw, name: string, levels: number): object {
  const more = levels > 1 ? Array.from({ length: draw(2) }, () => randomChild(draw, `${name}0`, levels - 1)) : [];
  const isDivided = draw(5) === 0;
  return {
    endpoint: `lists${name}/{row}${isDivided ? '/{part}' : ''}`,
    dataType: `child${name}`,
    id: `child${name}`,
    dataField: 'items',
    // Of a list, each element has a walk.
    placeholders: { row: draw(3) === 0 ? 'ids' : 'id' },
    ...(isDivided ? { each: { part: ['p', 'q'] } } : {}),
    ...(draw(2) === 0 ? { recursionFilter: 'kind==0|kind==2' } : {}),
    ...(more.length === 0 ? {} : { children: more }),
  };
}

function answer(url: URL, most: number): Reply {
  const page = Number(url.searchParams.get('page') ?? 1);
  const [start, end] = ['start', 'end'].map((name) => Number(url.searchParams.get(name) ?? 0));
  const others = [...url.searchParams].filter(([name]) => name !== 'page').map(String);
  const digest = createHash('sha256').update(`${url.pathname} ${others}`).digest();
  const isTop = url.pathname.split('/').length === 2;
  const total = isTop ? digest.readUInt16BE() % most : digest.readUInt16BE() % 4;
  // Windows overlap in no row.
  const isWindow = url.pathname.startsWith('/windows');
  const [from, count] = isWindow ? [start ?? 0, (end ?? 0) - (start ?? 0)] : [0, total];
  const shown = isWindow ? Math.min(count, 9) : count;
  const items = Array.from({ length: Math.max(0, Math.min(3, shown - 3 * (page - 1))) }, (_, index) => {
    const id = (from ?? 0) + 3 * (page - 1) + index;
    return { id, ids: id % 3 === 1 ? [id] : [id, `also-${id}`], kind: id % 3, of: `${url.pathname} ${others}` };
  });
  return json({ total: count, items });
}
