/** What a body is to `JSON.parse`: the word of another parser on what readers and the scanner accept. */

const decoder = new TextDecoder('utf-8', { fatal: true });

export function isJson(body: Uint8Array): boolean {
  try {
    JSON.parse(decoder.decode(body));
    return true;
  } catch {
    return false;
  }
}

/** Whether it is one JSON text a line, blank lines left out. */
export function isRow(body: Uint8Array): boolean {
  try {
    const texts = decoder.decode(body).split('\n');
    for (const text of texts) if (/[^ \t\r]/.test(text)) JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
