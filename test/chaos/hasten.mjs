// Preloaded into the command: waits of a second and more pass fifty times as fast, so that a run of faults does not
// just wait. RxJS builds its timers from intervals. The clock is unchanged: deadlines of requests depend on it.
for (const name of ['setTimeout', 'setInterval']) {
  const plain = globalThis[name];
  globalThis[name] = Object.assign(
    (callback, ms = 0, ...rest) => plain(callback, ms >= 1000 ? ms / 50 : ms, ...rest),
    plain,
  );
}
