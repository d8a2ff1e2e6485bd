// Loaded into the command before anything else: waits of a second and more pass fifty times as fast, lest a run of
// faults be one of waiting. RxJS makes its timers of intervals. The clock stays: deadlines of requests hold by it.
for (const name of ['setTimeout', 'setInterval']) {
  const plain = globalThis[name];
  globalThis[name] = Object.assign(
    (callback, ms = 0, ...rest) => plain(callback, ms >= 1000 ? ms / 50 : ms, ...rest),
    plain,
  );
}
