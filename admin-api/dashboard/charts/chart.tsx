/** A chart with its legend and a table of the same figures. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { isDark } from '../../ui/theme.ts';
import { Time } from '../parts/time.tsx';
import { TEXTS } from '../texts.ts';
import { type Line, limitLines, stackLines, totalOf } from './stack.ts';

interface ChartProps {
  readonly title: string;
  readonly lines: readonly Line[];
  /** `from`: start of the first step, seconds since 1970. `step`: length of a step in seconds. */
  readonly from: number;
  readonly step: number;
  readonly format: (count: number) => string;
}

/** Maximum number of lines, which is the number of colours in style/tokens.css. */
const MAX_LINES = 8;
const HEIGHT = 192;
const AXIS_WIDTH = 64;
const DAY = 86_400;
const FONT = '12px system-ui, sans-serif';

const HOURS = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DAYS = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function Chart({ title, lines: all, from, step, format }: ChartProps) {
  const texts = TEXTS.statistics;
  const lines = useMemo(() => limitLines(all, MAX_LINES, texts.others), [all]);
  /** Index of the step under the pointer. Null: none. */
  const pointed = useSignal<number | null>(null);
  const isOpen = useSignal(false);
  const at = pointed.value === null ? null : from + pointed.value * step;
  const shownCount = (line: Line): number =>
    pointed.value === null ? totalOf(line) : (line.counts[pointed.value] ?? 0);
  return (
    <section class="chart" aria-label={title}>
      <div class="chart-head">
        <h2>{title}</h2>
        <p class="hint">{at === null ? texts.per(step) : texts.at(LOCAL.format(at * 1000), utcOf(at).slice(11, 16))}</p>
      </div>
      <Plot
        {...{ title, lines, from, step, format }}
        onPoint={(index) => {
          pointed.value = index;
        }}
      />
      <ul class="legend">
        {lines.map((line, i) => (
          <li key={line.name}>
            <span class="swatch" style={{ background: `var(--chart-${i + 1})` }} />
            {line.name}: {format(shownCount(line))}
          </li>
        ))}
      </ul>
      <details
        onToggle={(event) => {
          isOpen.value = event.currentTarget.open;
        }}
      >
        <summary>{texts.table}</summary>
        {isOpen.value && <Table {...{ title, lines, from, step, format }} />}
      </details>
    </section>
  );
}

interface PlotProps extends ChartProps {
  readonly onPoint: (step: number | null) => void;
}

function Plot({ title, lines, from, step, format, onPoint }: PlotProps) {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = holder.current;
    if (parent === null) return;
    const times = (lines[0]?.counts ?? []).map((_, i) => from + i * step);
    // Draws the tallest area first, and the others on top.
    const data = [times, ...stackLines(lines).reverse()] as UPlot.AlignedData;
    const plot = new UPlot(
      optionsOf(lines.length, parent.clientWidth, { range: times.length * step, format, onPoint }),
      data,
      parent,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT }));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [lines, from, step, isDark.value]);
  return <div class="plot" ref={holder} role="img" aria-label={TEXTS.statistics.chart(title)} />;
}

interface Drawing {
  /** Length of all steps in seconds. */
  readonly range: number;
  readonly format: (count: number) => string;
  readonly onPoint: (step: number | null) => void;
}

function optionsOf(lines: number, width: number, { range, format, onPoint }: Drawing): UPlot.Options {
  const styles = getComputedStyle(document.documentElement);
  const colour = (name: string): string => styles.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--text-quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
    font: FONT,
  };
  const times = range > 2 * DAY ? DAYS : HOURS;
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    scales: { y: { range: (_, _least, greatest) => [0, Math.max(1, greatest * 1.05)] } },
    axes: [
      { ...axis, space: 72, values: (_, splits) => splits.map((second) => times.format(second * 1000)) },
      {
        ...axis,
        size: AXIS_WIDTH,
        values: (_, splits) => splits.map((count) => (count % 1 === 0 ? format(count) : '')),
      },
    ],
    series: [
      {},
      ...Array.from({ length: lines }, (_, i) => {
        const area = colour(`--chart-${lines - i}`);
        return { stroke: area, fill: area, width: 1, points: { show: false } };
      }),
    ],
  };
}

function Table({ title, lines, from, step, format }: ChartProps) {
  const texts = TEXTS.statistics;
  const steps = lines[0]?.counts.length ?? 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
    <section class="scroller" tabIndex={0} aria-label={title}>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{texts.time}</th>
            {lines.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{texts.total}</th>
            {lines.map((line) => (
              <td key={line.name}>{format(totalOf(line))}</td>
            ))}
          </tr>
          {Array.from({ length: steps }, (_, i) => steps - 1 - i).map((i) => (
            <tr key={i}>
              <th scope="row">
                <Time value={utcOf(from + i * step)} />
              </th>
              {lines.map(({ name, counts }) => (
                <td key={name}>{format(counts[i])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Formats a time as the API does. */
const utcOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
