/** Totals of a time range as tiles: each with its course, and compared with the range before. */

import { hueOf, type Values } from '../charts/series.ts';
import { Sparkline } from '../charts/sparkline.tsx';
import { TEXTS } from '../texts.ts';
import { changeOf } from './range.ts';

interface FigureProps {
  readonly name: string;
  readonly value: string;
  /** Of the colour table. */
  readonly series: string;
  readonly values: Values;
  /** The totals of the range before and of this one. Omitted: they are not compared. */
  readonly compared?: readonly [before: number, now: number];
}

export function Figure({ name, value, series, values, compared }: FigureProps) {
  const texts = TEXTS.statistics;
  const change = compared === undefined ? null : changeOf(...compared);
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span class="figure-value">{value}</span>
        <span class="hint figure-change">{change === null ? '' : texts.change(change)}</span>
        <Sparkline values={values} hue={hueOf(series)} />
      </dd>
    </div>
  );
}
