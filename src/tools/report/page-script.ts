/** The program inside a report: draws the plots with uPlot. A text, because it runs in a browser. */

/** Reads the data of the page from the element `data`. */
export const reportScript = `
const data = JSON.parse(document.getElementById('data').textContent);
const dark = matchMedia('(prefers-color-scheme: dark)');
const narrow = () => innerWidth < 600;
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const short = (value) => {
  const size = Math.abs(value);
  if (size >= 1e9) return +(value / 1e9).toPrecision(3) + ' G';
  if (size >= 1e6) return +(value / 1e6).toPrecision(3) + ' M';
  if (size >= 1e3) return +(value / 1e3).toPrecision(3) + ' k';
  return String(+value.toPrecision(3));
};
const isDecade = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-6;
const ms = (value) => (value >= 1000 ? +(value / 1000).toPrecision(3) + ' s' : +value.toPrecision(3) + ' ms');

function axis(label, values, more) {
  return {
    stroke: color('soft'), grid: { stroke: color('line'), width: 1 }, ticks: { stroke: color('line'), width: 1 },
    font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif', labelSize: 20, label,
    values: values && ((_, splits) => splits.map((split) => (split == null ? '' : values(split)))), ...more,
  };
}
const line = (label, name, values, more) => ({
  label, stroke: color(name), width: 2, points: { show: false },
  value: (_, value) => (value == null ? '-' : values(value)), ...more,
});

const plots = {
  latency(place) {
    const series = data.latency.series;
    const stepped = uPlot.paths.stepped({ align: -1 });
    return {
      data: [data.latency.ms, ...series.map(({ counts }) => counts)],
      scales: { x: { time: false, distr: 3, log: 10 }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.05)] } },
      axes: [
        axis('time', ms, { filter: (plot, splits) => splits.map((split) => (isDecade(split) ? split : null)) }),
        axis('requests', short, { size: 56 }),
      ],
      series: [{ label: 'up to', value: (_, value) => (value == null ? '-' : ms(value)) },
        ...series.map(({ label, color: name }, at) => line(label, name, short, { width: at === 0 ? 5 : 2, paths: stepped, fill: color(name) + '22' }))],
    };
  },
  progress() {
    return {
      data: data.progress.columns,
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.05)] } },
      axes: [axis('seconds since the start of the run', short), axis('items/s', short, { size: 62 })],
      series: [{ label: 'second', value: (_, value) => (value == null ? '-' : value.toFixed(2)) },
        ...data.progress.names.map((name, index) => line(name, 'c' + ((index % 6) + 1), short, { spanGaps: true, width: 1.5 }))],
    };
  },
  memory() {
    return {
      data: data.memory.columns,
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.05)] } },
      axes: [axis('seconds since the start of the run', short), axis('bytes', short, { size: 62 })],
      series: [{ label: 'second', value: (_, value) => (value == null ? '-' : value.toFixed(2)) },
        line('resident memory', 'c1', short), line('heap of JavaScript', 'c2', short)],
    };
  },
};
for (const [option, sweep] of Object.entries(data.sweeps ?? {})) {
  plots['sweep-' + option] = () => ({
    data: [sweep.values.map((_, index) => index), sweep.upper, sweep.lower, sweep.median, sweep.given],
    scales: { x: { time: false, range: [-0.5, sweep.values.length - 0.5] }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [axis('--' + option, (at) => sweep.values[at] ?? '', { splits: () => sweep.values.map((_, index) => index), grid: { show: false } }),
      axis('items/s', short, { size: 62 })],
    series: [{ label: option, value: (_, at) => sweep.values[at] ?? '-' },
      line('upper quartile', 'c1', short, { class: 'quartile', width: 1, dash: [4, 4] }),
      line('lower quartile', 'c1', short, { class: 'quartile', width: 1, dash: [4, 4] }),
      line('median', 'c1', short, { class: 'median', points: { show: true, size: 8, fill: color('c1') } }),
      line('as given', 'c6', short, { class: 'given', width: 1.5, dash: [2, 4] })],
    bands: [{ series: [1, 2], fill: color('c1') + '22' }],
  });
}

let drawn = [];
function draw() {
  for (const plot of drawn) plot.destroy();
  drawn = Object.entries(plots).flatMap(([name, create]) => {
    const place = document.getElementById('plot-' + name);
    if (place === null) return [];
    const { data: columns, ...options } = create(place);
    const size = { width: place.clientWidth, height: narrow() ? 240 : 300 };
    return [new uPlot({ ...size, cursor: { y: false, drag: { x: true, y: false } }, ...options }, columns, place)];
  });
}
draw();
dark.addEventListener('change', draw);
let late;
let width = innerWidth;
addEventListener('resize', () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(late);
  late = setTimeout(draw, 100);
});
`;
