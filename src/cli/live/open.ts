/** The display on a terminal: the one file to load for it, once there is a terminal to draw on. */
import { createDisplay, type Display } from './display.js';
import { createTerminal, type Tty } from './terminal.js';

/** See `createDisplay`. Nothing is drawn before `show`. */
export const openDisplay = (stream: Tty, clean: (name: string) => string): Display =>
  createDisplay(createTerminal(stream), clean);
