/** The curve of a soak as an SVG image, readable on light and dark pages. */
import type { Sample } from './samples.ts';
import { SETTLED } from './verdict.ts';

interface Panel {
  readonly title: string;
  readonly read: (sampled: Sample) => number;
}

const MB = 1 << 20;
const PANELS: readonly Panel[] = [
  { title: 'resident memory, MB', read: ({ resident }) => resident / MB },
  { title: 'memory of the process itself, MB', read: ({ anonymous }) => anonymous / MB },
  { title: 'descriptors', read: ({ descriptors }) => descriptors },
];
const [WIDTH, HEIGHT, LEFT, TOP, GAP] = [760, 170, 60, 34, 54];
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #333 } .grid { stroke: #ddd } .settled { stroke: #999; stroke-dasharray: 4 4 }
  .a { stroke: #0b62d6 } .b { stroke: #c2410c } .c { stroke: #15803d } polyline { fill: none; stroke-width: 1.5 }
  rect { fill: #fff }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .grid { stroke: #444 } rect { fill: #16181d }
    .a { stroke: #6aa8ff } .b { stroke: #fb923c } .c { stroke: #4ade80 }
  }`;

/** A round number of at most five steps up to `most`. */
function stepOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1) / 5));
  return power * ([1, 2, 5, 10].find((factor) => factor * power * 5 >= most) ?? 10);
}

/** The samples of a node, in parts that each have one process. */
function processesOf(samples: readonly Sample[], node: string): Sample[][] {
  const parts = new Map<number, Sample[]>();
  for (const sampled of samples)
    if (sampled.node === node) parts.set(sampled.pid, [...(parts.get(sampled.pid) ?? []), sampled]);
  return [...parts.values()];
}

function drawPanel({ title, read }: Panel, samples: readonly Sample[], top: number): string {
  const end = Math.max(...samples.map(({ at }) => at), 60);
  const step = stepOf(Math.max(...samples.map(read)) * 1.05);
  const most = step * 5;
  const x = (at: number): number => LEFT + (at / end) * (WIDTH - LEFT - 20);
  const y = (value: number): number => top + HEIGHT - (value / most) * HEIGHT;
  const lines = [`<text x="${LEFT}" y="${top - 10}">${title}</text>`];
  for (let i = 0; i <= 5; i++) {
    const at = y(i * step).toFixed(1);
    lines.push(`<line class="grid" x1="${LEFT}" x2="${WIDTH - 20}" y1="${at}" y2="${at}"/>`);
    lines.push(`<text x="${LEFT - 8}" y="${Number(at) + 4}" text-anchor="end">${i * step}</text>`);
  }
  const minutes = end / 60;
  const every = stepOf(minutes);
  for (let minute = 0; minute <= minutes; minute += every)
    lines.push(
      `<text x="${x(minute * 60).toFixed(1)}" y="${top + HEIGHT + 18}" text-anchor="middle">${minute} min</text>`,
    );
  if (end > SETTLED)
    lines.push(`<line class="settled" x1="${x(SETTLED)}" x2="${x(SETTLED)}" y1="${top}" y2="${top + HEIGHT}"/>`);
  for (const node of ['a', 'b', 'c'])
    for (const part of processesOf(samples, node)) {
      const points = part.map((sampled) => `${x(sampled.at).toFixed(1)},${y(read(sampled)).toFixed(1)}`).join(' ');
      lines.push(`<polyline class="${node}" points="${points}"/>`);
    }
  return lines.join('\n');
}

export function plot(samples: readonly Sample[]): string {
  const height = TOP + PANELS.length * (HEIGHT + GAP);
  const legend = ['a', 'b', 'c'].map(
    (node, i) =>
      `<line class="${node}" stroke-width="3" x1="${WIDTH - 250 + i * 80}" x2="${WIDTH - 230 + i * 80}" y1="14" y2="14"/><text x="${WIDTH - 225 + i * 80}" y="18">node ${node}</text>`,
  );
  const panels = PANELS.map((panel, i) => drawPanel(panel, samples, TOP + 10 + i * (HEIGHT + GAP)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
<style>${STYLE}
</style>
<rect width="${WIDTH}" height="${height}"/>
${[...legend, ...panels].join('\n')}
</svg>
`;
}
