/** What the timers of the platform can hold: beyond that they overflow and fire at once. Alone, as the configuration and connections both keep to it. */

/** In ms: 24 days and 20 hours. */
export const longestTimer = 2 ** 31 - 1;
