/** What hides the secrets that a configuration contains or refers to. */
import { parseDocument } from '../../config/document.js';
import { withoutSecrets } from '../../config/secret-sources.js';
import { extract } from '../../run/extract.js';

/** Reads no file and runs no command. Of a configuration that is not valid, it hides nothing. */
export function maskOf(text: string, env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  try {
    const content = withoutSecrets(parseDocument(text, ''));
    const { mask } = extract(content, { env, notify: () => {} });
    return (shown) => mask(shown);
  } catch {
    return (shown) => shown;
  }
}
