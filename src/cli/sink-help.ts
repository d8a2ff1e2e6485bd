/** The sinks as `rxtract run --help` shows them, from their registry. */
import { table } from './table.js';

/** Loads the registry, which is small: no sink opens anything before it is used. */
export async function sinkHelp(): Promise<string> {
  const { sinks } = await import('../../sinks/registry.js');
  const rows = Object.values(sinks).map(({ uri, summary }) => [`  ${uri}`, summary]);
  return ['Sinks', ...table(rows, new Set()), ''].join('\n');
}
