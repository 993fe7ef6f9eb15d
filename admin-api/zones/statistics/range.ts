/** The range of time and the step of a request for statistics. */
import { InvalidError } from '../../../core/base/errors.ts';
import { periodStart, TIERS } from '../../../core/observe/statistics/tiers.ts';
import { nowSeconds, parseTime } from '../../http/time.ts';

/** Steps in seconds. Each is a multiple of a stored period. */
export const STEPS = [60, 300, 900, 3600, 21_600, 86_400] as const;

const MINUTE = 60;
const DAY = 86_400;
const MAX_POINTS = 1500;
/** Maximum number of points with the default step. */
const DEFAULT_POINTS = 360;
const KEPT_SECONDS = (TIERS.at(-1)?.kept ?? 0) * MINUTE;

/** All in seconds; `from` and `to` are multiples of `step`. */
export interface StatisticsRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** Throws InvalidError. */
export function readRange(query: URLSearchParams, now = nowSeconds()): StatisticsRange {
  const to = readTime(query, 'to') ?? now;
  const from = readTime(query, 'from') ?? to - DAY;
  if (from >= to) throw new InvalidError('invalid_range', '"from" must be earlier than "to".', { pointer: '/from' });
  if (to > now + DAY)
    throw new InvalidError('invalid_range', '"to" is in the future; omit it for now.', { pointer: '/to' });
  if (from < now - KEPT_SECONDS)
    throw new InvalidError('invalid_range', `Statistics are kept for ${KEPT_SECONDS / DAY} days; use a later "from".`, {
      pointer: '/from',
    });
  const step = readStep(query, to - from, finestStep(now - from));
  const aligned = { from: periodStart(from, step), to: periodStart(to + step - 1, step), step };
  if ((aligned.to - aligned.from) / step > MAX_POINTS)
    throw new InvalidError(
      'invalid_range',
      `The range has more than ${MAX_POINTS} steps of ${step} seconds; use a longer step or a shorter range.`,
      { pointer: '/step' },
    );
  return aligned;
}

function readTime(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const seconds = parseTime(text);
  if (seconds === undefined)
    throw new InvalidError('invalid_time', `"${name}" must be a time as YYYY-MM-DD HH:MM:SS in UTC.`, {
      pointer: `/${name}`,
    });
  return seconds;
}

/** `finest`: the shortest step with stored counts. Throws InvalidError. */
function readStep(query: URLSearchParams, range: number, finest: number): number {
  const text = query.get('step');
  if (text === null)
    return (
      STEPS.find((candidate) => candidate >= finest && range / candidate <= DEFAULT_POINTS) ?? STEPS[STEPS.length - 1]
    );
  const step = STEPS.find((candidate) => String(candidate) === text);
  if (step === undefined)
    throw new InvalidError('invalid_step', `"step" must be one of ${STEPS.join(', ')} seconds.`, { pointer: '/step' });
  if (step < finest)
    throw new InvalidError(
      'invalid_step',
      `For this "from", counts are kept in steps of ${finest} seconds; use ${finest} or more.`,
      { pointer: '/step' },
    );
  return step;
}

function finestStep(age: number): number {
  const tier = TIERS.find(({ kept }) => age <= kept * MINUTE) ?? TIERS[TIERS.length - 1];
  return tier.period * MINUTE;
}
