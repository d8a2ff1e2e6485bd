/** Names of environment variables for values that have another name: of a header, a parameter, a security scheme. */

/** `X-Api-Key` as `X_API_KEY`. A name of one word gets `API_` before it, so that it is none of the system, as PATH. */
export function variableFor(name: string): string {
  const words = wordsOf(name);
  const joined = words.join('_');
  if (joined === '') return 'API_VALUE';
  if (joined === 'COOKIE') return joined;
  return words.length > 1 && !ofSystem.test(joined) ? joined : `API_${joined}`;
}

/**
 * `bearerAuth` as `API_BEARER_AUTH`: always with `API_` before it, since a name of somebody else, who names the host
 * too, must not choose a variable such as `GITHUB_TOKEN`.
 */
export function variableOfOthers(name: string): string {
  const joined = wordsOf(name).join('_');
  if (joined === '') return 'API_VALUE';
  return joined.startsWith('API_') ? joined : `API_${joined}`;
}

const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z\d]+/)
    .filter((word) => word !== '');

/** Variables that a system or Node reads, and names that begin with a digit. */
const ofSystem = /^(?:\d|NODE_|NPM_|LD_|LC_|DYLD_|SSL_|SSH_|XDG_|GIT_|(?:HTTPS?|ALL|NO)_PROXY$)/;
