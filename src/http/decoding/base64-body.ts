/** Decodes base64 in chunks: of both alphabets, with or without padding, white space ignored. RFC 4648. */
import { ExtractError } from '../../core/errors/errors.js';
import type { ByteSource } from '../../core/util/byte-source.js';

/** Four characters are three bytes. */
const GROUP = 4;

export function fromBase64(body: ByteSource): ByteSource {
  return {
    async read(take) {
      let carry = '';
      let before = 0;
      await body.read((chunk) => {
        const text = carry + lettersOf(chunk, before);
        before += chunk.length;
        // The last group may be padded, and padding may only be the end.
        const whole = Math.max(0, text.length - GROUP);
        const length = whole - (whole % GROUP);
        carry = text.slice(length);
        const padding = text.indexOf('=');
        if (padding >= 0 && padding < length) throw notBase64(before);
        return length === 0 ? undefined : take(Buffer.from(text.slice(0, length), 'base64'));
      });
      if (!/^[^=]*={0,2}$/.test(carry) || carry.replace(/=+$/, '').length % GROUP === 1) throw notBase64(before);
      const waiting = carry === '' ? undefined : take(Buffer.from(carry, 'base64'));
      if (waiting !== undefined) await waiting;
    },
  };
}

function lettersOf(chunk: Uint8Array, before: number): string {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    .toString('latin1')
    .replace(/[ \t\r\n]+/g, '');
  if (/^[A-Za-z\d+/_=-]*$/.test(text)) return text;
  throw notBase64(before);
}

const notBase64 = (offset: number): ExtractError =>
  new ExtractError('ERR_DECODE', `the body is not base64 near byte ${offset}`, { offset });
