// Loaded into the command before anything else: waits of a second and more pass fifty times as fast, lest a run of faults be one of waiting.
const plain = globalThis.setTimeout;

globalThis.setTimeout = Object.assign(
  (callback, ms = 0, ...rest) => plain(callback, ms >= 1000 ? ms / 50 : ms, ...rest),
  plain,
);
