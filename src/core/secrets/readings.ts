/** Finds all readings of a text: its escapes, and those that appear once others are read. */
import { addEscapes, isStarter, mayGrow } from './escapes.js';
import { createReader, createReadings, type Readings } from './graph.js';

/** Decodes nested escapes up to `rounds` levels. Linear in the bytes. */
export function readingsOf(bytes: Uint8Array, rounds: number): Readings {
  const readings = createReadings(bytes);
  const reader = createReader(readings);
  let starts = startersIn(bytes);
  // An escape consists of what follows it: going left to right, each round sees only the escapes of earlier rounds.
  for (let round = 0; round < rounds && starts.length > 0; round += 1) {
    for (const at of starts) addEscapes(readings, reader, at);
    starts = starts.filter((at) => mayGrow(readings, at));
  }
  return readings;
}

/** Escapes begin at these bytes only. */
function startersIn(bytes: Uint8Array): readonly number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) if (isStarter(bytes[at] ?? 0)) starts.push(at);
  return starts;
}
