/**
 * The drawing of a chart, as SVG: bars on each other for counts, lines for rates. The values begin
 * at zero, and steps without data are gaps. Colours are tokens, so a change of the theme needs no
 * new drawing.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { TEXTS } from '../texts.ts';
import { timeTicks, type Unit, valueTicks } from './scale.ts';
import type { ColouredSeries, Steps, Values } from './series.ts';

export interface PlotProps extends Steps {
  readonly kind: 'bars' | 'lines';
  readonly series: readonly ColouredSeries[];
  /** The sum of all series in the period before, drawn as a line. */
  readonly before?: Values;
  readonly unit: Unit;
  readonly format: (value: number) => string;
  /** Now, in seconds since 1970: the step that has not ended is drawn pale. */
  readonly now: number;
  readonly label: string;
  /** Index of the step that is read. Null: none. */
  readonly pointed: number | null;
  readonly onPoint: (step: number | null) => void;
  /** The user chose these steps by dragging, or with Shift and the arrow keys. */
  readonly onSelect?: (first: number, last: number) => void;
}

const HEIGHT = 192;
const TOP = 8;
const BOTTOM = 24;
const RIGHT = 8;
/** Width of a character of a label, and the space beside it. */
const DIGIT = 7;
const LABEL_SPACE = 14;
const TICK_SPACE = 72;
const FIRST_WIDTH = 560;
const DAY = 86_400;
/** Pixels to drag before a range is chosen. */
const MIN_DRAG = 6;

const HOURS = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DAYS = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

export function Plot(props: PlotProps) {
  const { kind, series, before, unit, format, from, step, now, label, pointed, onPoint, onSelect } = props;
  const holder = useRef<HTMLDivElement>(null);
  const width = useSignal(FIRST_WIDTH);
  /** Steps that are being chosen. */
  const chosen = useSignal<readonly [number, number] | null>(null);
  useEffect(() => {
    const parent = holder.current;
    if (parent === null) return;
    const measure = (): void => {
      width.value = Math.max(parent.clientWidth, 160);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(parent);
    return () => observer.disconnect();
  }, []);

  const steps = series[0]?.values.length ?? before?.length ?? 0;
  const greatest = Math.max(...greatestOf(kind, series, steps), ...(before ?? []).map((value) => value ?? 0), 0);
  const ticks = valueTicks(greatest, unit);
  const top = ticks[ticks.length - 1];
  const left = Math.max(...ticks.map((tick) => format(tick).length)) * DIGIT + LABEL_SPACE;
  const stepWidth = (width.value - left - RIGHT) / Math.max(steps, 1);
  const x = (index: number): number => left + index * stepWidth;
  const y = (value: number): number => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - TOP);
  const frame: Frame = { x, y, stepWidth, steps };
  const times = timeTicks(from, from + steps * step, Math.max(2, Math.floor((width.value - left) / TICK_SPACE)));
  const unfinished = Math.floor((now - from) / step);

  const stepAt = (event: PointerEvent): number => {
    const { left: edge } = (holder.current as HTMLElement).getBoundingClientRect();
    return Math.min(steps - 1, Math.max(0, Math.floor((event.clientX - edge - left) / stepWidth)));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -steps, End: steps }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      const last = Math.min(steps - 1, Math.max(0, (pointed ?? steps) + move));
      chosen.value = event.shiftKey && onSelect !== undefined ? [chosen.value?.[0] ?? pointed ?? last, last] : null;
      onPoint(last);
    } else if (event.key === 'Enter' && chosen.value !== null) {
      event.preventDefault();
      select(chosen.value);
    } else if (event.key === 'Escape') {
      chosen.value = null;
      onPoint(null);
    }
  };
  const select = ([a, b]: readonly [number, number]): void => {
    chosen.value = null;
    onPoint(null);
    if (a !== b) onSelect?.(Math.min(a, b), Math.max(a, b));
  };
  const range = chosen.value;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div
      class={onSelect === undefined ? 'plot' : 'plot plot-selectable'}
      ref={holder}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read the steps
      tabIndex={0}
      aria-label={label}
      onKeyDown={onKeyDown}
      onBlur={() => onPoint(null)}
      onPointerDown={(event) => {
        if (onSelect === undefined || event.button !== 0 || event.pointerType === 'touch') return;
        const at = stepAt(event);
        const startX = event.clientX;
        const target = event.currentTarget;
        const onMove = (moved: PointerEvent): void => {
          if (Math.abs(moved.clientX - startX) >= MIN_DRAG) chosen.value = [at, stepAt(moved)];
        };
        target.setPointerCapture(event.pointerId);
        target.addEventListener('pointermove', onMove);
        target.addEventListener(
          'lostpointercapture',
          () => {
            target.removeEventListener('pointermove', onMove);
            if (chosen.value !== null) select(chosen.value);
          },
          { once: true },
        );
      }}
      onPointerMove={(event) => onPoint(stepAt(event))}
      onPointerLeave={() => onPoint(null)}
    >
      <svg width={width.value} height={HEIGHT} aria-hidden="true">
        {ticks.map((tick) => (
          <g key={tick}>
            <line
              class={tick === 0 ? 'plot-base' : 'plot-grid'}
              x1={left}
              x2={width.value - RIGHT}
              y1={crisp(y(tick))}
              y2={crisp(y(tick))}
            />
            <text class="plot-value" x={left - 8} y={y(tick) + 4}>
              {format(tick)}
            </text>
          </g>
        ))}
        {times.times.map((time) => (
          <text
            key={time}
            class="plot-time"
            x={Math.min(Math.max(x((time - from) / step), left + 16), width.value - RIGHT - 20)}
            y={HEIGHT - 6}
          >
            {(times.interval < DAY ? HOURS : DAYS).format(time * 1000)}
          </text>
        ))}
        <Gaps series={series} frame={frame} />
        {range !== null && (
          <rect
            class="plot-chosen"
            x={x(Math.min(...range))}
            width={(Math.abs(range[0] - range[1]) + 1) * stepWidth}
            y={TOP}
            height={HEIGHT - TOP - BOTTOM}
          />
        )}
        {kind === 'bars' && <Bars series={series} frame={frame} unfinished={unfinished} />}
        {kind === 'lines' &&
          series.map(({ name, hue, values }) => (
            <path key={name} class="plot-line" style={{ stroke: `var(--series-${hue})` }} d={linePath(values, frame)} />
          ))}
        {before !== undefined && <path class="plot-line plot-before" d={linePath(before, frame)} />}
        {pointed !== null && (
          <rect
            class="plot-pointed"
            x={x(pointed)}
            width={Math.max(stepWidth, 1)}
            y={TOP}
            height={HEIGHT - TOP - BOTTOM}
          />
        )}
      </svg>
      {steps > 0 && series.every(({ values }) => values.every((value) => value === null)) && (
        <p class="plot-empty hint">{TEXTS.statistics.noData}</p>
      )}
    </div>
  );
}

interface Frame {
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
  readonly stepWidth: number;
  readonly steps: number;
}

/** The middle of a pixel, so that a line of one pixel is sharp. */
const crisp = (at: number): number => Math.round(at) + 0.5;
const short = (at: number): string => at.toFixed(1);

function greatestOf(kind: PlotProps['kind'], series: readonly ColouredSeries[], steps: number): number[] {
  return Array.from({ length: steps }, (_, i) => {
    const values = series.map(({ values: all }) => all[i] ?? 0);
    return kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
}

/** Marks the steps without data, so that they do not look like zero. */
function Gaps({
  series,
  frame: { x, stepWidth, steps },
}: {
  readonly series: readonly ColouredSeries[];
  readonly frame: Frame;
}) {
  const isGap = (i: number): boolean => series.length > 0 && series.every(({ values }) => values[i] === null);
  const gaps: [number, number][] = [];
  for (let i = 0; i < steps; i++) {
    if (!isGap(i)) continue;
    const last = gaps.at(-1);
    if (last !== undefined && last[1] === i) last[1] = i + 1;
    else gaps.push([i, i + 1]);
  }
  return (
    <>
      {gaps.map(([start, end]) => (
        <rect
          key={start}
          class="plot-gap"
          x={x(start)}
          width={(end - start) * stepWidth}
          y={TOP}
          height={HEIGHT - TOP - BOTTOM}
        />
      ))}
    </>
  );
}

interface BarsProps {
  readonly series: readonly ColouredSeries[];
  readonly frame: Frame;
  readonly unfinished: number;
}

/** One path for each series, so that many steps stay few elements. */
function Bars({ series, frame: { x, y, stepWidth, steps }, unfinished }: BarsProps) {
  const space = stepWidth > 4 ? 1 : 0;
  const bottoms = new Array<number>(steps).fill(0);
  return (
    <>
      {series.map(({ name, hue, values }) => {
        let ended = '';
        let pale = '';
        for (const [i, value] of values.entries()) {
          if (value === null || value === 0) continue;
          const bottom = bottoms[i];
          bottoms[i] = bottom + value;
          const width = Math.max(stepWidth - space, 0.5);
          const bar = `M${short(x(i))} ${short(y(bottom))}V${short(y(bottom + value))}h${short(width)}V${short(y(bottom))}z`;
          if (i === unfinished) pale += bar;
          else ended += bar;
        }
        return (
          <g key={name} style={{ fill: `var(--series-${hue})` }}>
            <path d={ended} />
            <path class="plot-unfinished" d={pale} />
          </g>
        );
      })}
    </>
  );
}

/** Through the middle of each step. A value between two gaps is a short dash. */
function linePath(values: Values, { x, y }: Frame): string {
  let path = '';
  let isOpen = false;
  for (const [i, value] of values.entries()) {
    if (value !== null) path += `${isOpen ? 'L' : 'M'}${short(x(i + 0.5))} ${short(y(value))}`;
    if (value !== null && !isOpen && (values[i + 1] ?? null) === null) path += 'h0.1';
    isOpen = value !== null;
  }
  return path;
}
