/** Finds all readings of a text: the escapes in it, and those that only show once others are read. */
import { addEscapes, isStarter, mayGrow } from './escapes.js';
import { createReader, createReadings, type Readings } from './graph.js';

/** Undoes escapes within one another up to so many rounds. Linear in the bytes. */
export function readingsOf(bytes: Uint8Array, rounds: number): Readings {
  const readings = createReadings(bytes);
  const reader = createReader(readings);
  let starts = startersIn(bytes);
  // An escape is made of what follows it: from left to right each round sees the escapes of the rounds before alone.
  for (let round = 0; round < rounds && starts.length > 0; round += 1) {
    for (const at of starts) addEscapes(readings, reader, at);
    starts = starts.filter((at) => mayGrow(readings, at));
  }
  return readings;
}

/** Escapes begin here, whatever is read of others. */
function startersIn(bytes: Uint8Array): readonly number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) if (isStarter(bytes[at] ?? 0)) starts.push(at);
  return starts;
}
