// Preloaded into a measured process: writes its resource usage at its end, and the CPU seconds used when the requests
// with the numbers in BENCH_MARKS were sent.
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';

const marks = new Set((process.env.BENCH_MARKS || '0').split(',').map(Number));
const cpuAt = {};
let requests = 0;

if (!marks.has(0)) {
  subscribe('undici:client:sendHeaders', () => {
    requests += 1;
    if (!marks.has(requests)) return;
    const { user, system } = process.cpuUsage();
    cpuAt[requests] = (user + system) / 1e6;
  });
}

process.on('exit', () => writeFileSync(process.env.BENCH_USAGE, JSON.stringify({ ...process.resourceUsage(), cpuAt })));
