/** Where events of OpenLineage go: a server, by HTTP, or the end of a file. */
import { appendFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createHttpAgent } from '../../../sinks/servers/http-agent.js';
import { ExtractError } from '../../core/errors/errors.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import { usageError } from '../../core/util/check-value.js';
import { makeFolderSync } from '../../core/util/make-folder.js';
import type { RunEvent } from './lineage-events.js';

type SendEvent = (event: RunEvent) => Promise<void>;

/** Throws ERR_USAGE for an address that is none, and for a folder that cannot be made. */
export function openTarget(address: string, apiKey?: string): SendEvent {
  if (address.startsWith('file:')) return toFile(address.slice('file:'.length));
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError('lineage goes to an address such as http://localhost:5000, or to file:lineage.ndjson');
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError('the address for lineage has a password: give a token in OPENLINEAGE_API_KEY instead');
  }
  if (url.pathname === '/') url.pathname = '/api/v1/lineage';
  return toServer(url, apiKey === undefined || apiKey === '' ? undefined : apiKey);
}

function toFile(path: string): SendEvent {
  if (path === '') throw usageError('lineage goes to a file such as file:lineage.ndjson');
  try {
    makeFolderSync(dirname(path));
  } catch (thrown) {
    throw usageError(`lineage cannot be written to ${path}: ${describeSystemError(thrown)}`);
  }
  return (event) => appendFile(path, `${JSON.stringify(event)}\n`);
}

const attempts = 2;
const pauseMs = 1000;
const mostMs = 5000;

function toServer(url: URL, apiKey: string | undefined): SendEvent {
  const headers = {
    'content-type': 'application/json',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  const post = async (event: RunEvent): Promise<string | undefined> => {
    const connections = createHttpAgent(undefined, 'lineage');
    try {
      const agent = await connections.open();
      const signal = AbortSignal.timeout(mostMs);
      const { origin, pathname, search } = url;
      const { statusCode, body } = await agent.request({
        origin,
        path: `${pathname}${search}`,
        method: 'POST',
        headers,
        body: JSON.stringify(event),
        signal,
      });
      await body.dump();
      return statusCode < 300 ? undefined : `status ${statusCode}`;
    } catch (thrown) {
      return describeSystemError(thrown);
    } finally {
      connections.close();
    }
  };
  return async (event) => {
    let why = await post(event);
    for (let attempt = 1; attempt < attempts && why !== undefined; attempt += 1) {
      await setTimeout(pauseMs);
      why = await post(event);
    }
    if (why === undefined) return;
    throw new ExtractError('ERR_TRANSPORT', `the event ${event.eventType} was not sent to ${url.origin}: ${why}`);
  };
}
