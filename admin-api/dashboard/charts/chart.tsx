/** A chart with a legend that hides series, and a table of the same figures. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Time } from '../parts/time.tsx';
import { TEXTS } from '../texts.ts';
import { toCsv } from './csv.ts';
import { Plot, type PlotProps } from './plot.tsx';
import type { Unit } from './scale.ts';
import {
  type ColouredSeries,
  colourSeries,
  type Series,
  type Steps,
  sumSeries,
  totalOf,
  type Values,
} from './series.ts';

interface ChartProps extends Steps {
  readonly title: string;
  readonly kind: PlotProps['kind'];
  readonly series: readonly Series[];
  /** Texts of names in the legend, where a name is not one. */
  readonly names?: Readonly<Record<string, string>>;
  /** The sums of the period before. */
  readonly before?: Values;
  readonly unit: Unit;
  readonly format: (value: number) => string;
  /** Seconds since 1970. */
  readonly now: number;
  readonly onSelect?: (first: number, last: number) => void;
}

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function Chart(props: ChartProps) {
  const { title, kind, series: all, names = {}, before, from, step, format } = props;
  const texts = TEXTS.statistics;
  const series = useMemo(() => colourSeries(all, texts.others), [all]);
  const pointed = useSignal<number | null>(null);
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const isOpen = useSignal(false);
  const shown = series.filter(({ name }) => !hidden.value.has(name));
  const at = pointed.value === null ? null : from + pointed.value * step;
  const textOf = (name: string): string => names[name] ?? name;
  const valueText = (one: { readonly values: Values }): string => {
    const value = pointed.value === null ? summaryOf(kind, one.values) : (one.values[pointed.value] ?? null);
    return value === null ? TEXTS.none : format(value);
  };
  const toggle = (name: string): void => {
    const next = new Set(hidden.value);
    if (!next.delete(name)) next.add(name);
    hidden.value = next;
  };
  const when = at === null ? '' : texts.at(LOCAL.format(at * 1000), utcOf(at).slice(11, 16));
  return (
    <section class="chart" aria-label={title}>
      <div class="chart-head">
        <h2>{title}</h2>
        <p class="hint">{at === null ? texts.per(step, kind === 'lines') : when}</p>
      </div>
      <Plot
        {...{ ...props, series: shown, pointed: pointed.value }}
        label={texts.chart(title, props.onSelect !== undefined)}
        onPoint={(index) => {
          pointed.value = index;
        }}
      />
      <ul class="legend">
        {series.map((one) => (
          <li key={one.name}>
            <button type="button" aria-pressed={!hidden.value.has(one.name)} onClick={() => toggle(one.name)}>
              <span class="swatch" style={{ background: `var(--series-${one.hue})` }} />
              {textOf(one.name)} <b>{valueText(one)}</b>
            </button>
          </li>
        ))}
        {before !== undefined && (
          <li>
            <span class="swatch swatch-before" />
            {texts.periodBefore} <b>{valueText({ values: before })}</b>
          </li>
        )}
      </ul>
      {/* What the arrow keys read, for screen readers. */}
      <p class="hidden" role="status">
        {at !== null && `${when}: ${shown.map((one) => `${textOf(one.name)} ${valueText(one)}`).join(', ')}`}
      </p>
      <details
        onToggle={(event) => {
          isOpen.value = event.currentTarget.open;
        }}
      >
        <summary>{texts.table}</summary>
        {isOpen.value && (
          <>
            <Table {...{ title, kind, series, textOf, from, step, format }} />
            <div class="actions">
              <button
                type="button"
                class="button"
                onClick={() => download(`${title}.csv`, toCsv(series, { from, step }, textOf))}
              >
                {texts.csv}
              </button>
            </div>
          </>
        )}
      </details>
    </section>
  );
}

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The sum of counts, or the mean of rates. Null: no data. */
function summaryOf(kind: PlotProps['kind'], values: Values): number | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  return kind === 'bars' ? totalOf({ values }) : totalOf({ values }) / known.length;
}

interface TableProps extends Steps {
  readonly title: string;
  readonly kind: PlotProps['kind'];
  readonly series: readonly ColouredSeries[];
  readonly textOf: (name: string) => string;
  readonly format: (value: number) => string;
}

function Table({ title, kind, series, textOf, from, step, format }: TableProps) {
  const texts = TEXTS.statistics;
  const steps = series[0]?.values.length ?? 0;
  const isKnown = sumSeries(series);
  const cell = (value: number | null): string => (value === null ? TEXTS.none : format(value));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
    <section class="scroller" tabIndex={0} aria-label={title}>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{texts.time}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {textOf(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{kind === 'bars' ? texts.total : texts.mean}</th>
            {series.map(({ name, values }) => (
              <td key={name}>{cell(summaryOf(kind, values))}</td>
            ))}
          </tr>
          {Array.from({ length: steps }, (_, i) => steps - 1 - i)
            .filter((i) => isKnown[i] !== null)
            .map((i) => (
              <tr key={i}>
                <th scope="row">
                  <Time value={utcOf(from + i * step)} />
                </th>
                {series.map(({ name, values }) => (
                  <td key={name}>{cell(values[i])}</td>
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
