/** Random texts of the forms that columns can have as a type, and texts that are nearly such. */
import { mulberry32 } from '../../support/mulberry32.js';

const padded = (value: number, length = 2) => String(value).padStart(length, '0');

/** Makes texts of one form, which the seed chooses. */
export function typedTexts(seed: number): () => string {
  const next = mulberry32(seed);
  const below = (most: number) => next() % most;
  const day = () => `${padded(1 + below(9999), 4)}-${padded(1 + below(12))}-${padded(1 + below(28))}`;
  const hex = (length: number) => Array.from({ length }, () => below(16).toString(16)).join('');
  const id = () => [8, 4, 4, 4, 12].map(hex).join('-');
  const kind = below(8);
  if (kind === 0) return day;
  if (kind === 1) return id;
  if (kind === 2) return () => (below(4) === 0 ? '00000000-0000-0000-0000-000000000000' : id().toUpperCase());
  const separator = below(3) === 0 ? ' ' : 'T';
  const offset = ['', 'Z', '+00:00', '+0000', '+00'][below(5)];
  const digits = below(8);
  const fraction = () => {
    const all = padded(below(1_000_000), 6);
    if (digits === 7) return `.${all}`.replace(/\.?0*$/, '');
    return digits === 0 ? '' : `.${all.slice(0, digits)}`;
  };
  return () =>
    `${day()}${separator}${padded(below(24))}:${padded(below(60))}:${padded(below(60))}${fraction()}${offset}`;
}

/** Texts that a type would not give back, or that are none. */
export const nearlyTyped: readonly string[] = [
  '',
  '2024-01-0',
  '2024-1-01',
  '0000-01-01',
  '2024-00-01',
  '2024-13-01',
  '2024-01-00',
  '2024-02-30',
  '2023-02-29',
  '1900-02-29',
  '2024-04-31',
  '2024/01/01',
  '20240101',
  '2024-01-01T',
  '2024-01-01T00:00',
  '2024-01-01T00:00Z',
  '2024-01-01T00:00:0Z',
  '2024-01-01T24:00:00Z',
  '2024-01-01T00:60:00Z',
  '2024-01-01T23:59:60Z',
  '2024-01-01t00:00:00Z',
  '2024-01-01T00:00:00z',
  '2024-01-01T00:00:00.Z',
  '2024-01-01T00:00:00,5Z',
  '2024-01-01T00:00:00.1234567Z',
  '2024-01-01T00:00:00.123456789Z',
  '2024-01-01T00:00:00+02:00',
  '2024-01-01T00:00:00-00:00',
  '2024-01-01T00:00:00+00:0',
  '2024-01-01T00:00:00+0',
  '2024-01-01T00:00:00 UTC',
  '2024-01-01T00:00:00ZZ',
  '2024-01-01  00:00:00',
  '+2024-01-01',
  '-024-01-01',
  '12:30:00',
  '00000000000000000000000000000000',
  '{00000000-0000-0000-0000-00000000}',
  '00000000-0000-0000-0000-00000000000',
  '00000000-0000-0000-0000-00000000000g',
  '0000000-00000-0000-0000-000000000000',
  'aaaaaaaa-0000-0000-0000-00000000000A',
];
