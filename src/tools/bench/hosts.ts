/** Finds the hosts that a configuration names, other than this machine: a bench asks before it sends them much. */
import { type Exact, isArray, isObject } from '../../core/json/exact.js';
import { isLoopback } from '../../core/url/private-addresses.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** An address that only a run can compute. */
const computed = 'a computed address';

/** Returns each remote host once, in order. The value of a variable is a secret: it is not shown. */
export const remoteHosts = (content: Exact, env: Environment): readonly string[] => [
  ...new Set(addressesIn(content, env)),
];

function* addressesIn(value: Exact, env: Environment): Iterable<string> {
  if (typeof value === 'string') yield* hostOf(value);
  if (isArray(value)) for (const each of value) yield* addressesIn(each, env);
  if (!isObject(value)) return;
  const name = value.get('env');
  if (value.size === 1 && typeof name === 'string') {
    if (hostOf(env[name] ?? '').length > 0) yield 'an address of the environment';
    return;
  }
  for (const [key, each] of value) {
    if (key === 'sshProxy') yield 'the network of an SSH server';
    if (key === 'baseUrl' && isObject(each) && each.get('env') === undefined) yield computed;
    yield* addressesIn(each, env);
  }
}

/** The host of a text that is a URL, unless it is this machine. */
function hostOf(text: string): readonly string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return [];
  if (!URL.canParse(text)) return [computed];
  const { hostname } = new URL(text);
  return isLoopback(hostname) ? [] : [hostname];
}
