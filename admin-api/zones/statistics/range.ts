/** The range of time and the step of a request for statistics. */
import { Type } from '@sinclair/typebox';
import { InvalidError } from '../../../core/base/errors.ts';
import { time } from '../../../core/base/schema.ts';
import { periodStart, TIERS } from '../../../core/observe/statistics/tiers.ts';
import { parameter, type Query } from '../../http/query.ts';
import { nowSeconds, parseTime } from '../../http/time.ts';

/** Steps in seconds. Each is a multiple of a stored period. */
const STEPS = [60, 300, 900, 3600, 21_600, 86_400] as const;

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

export const statisticsQuery = {
  from: parameter(Type.Optional(time('the start of the range; the default is 24 hours before `to`')), readTime),
  to: parameter(Type.Optional(time('the end of the range; the default is now')), readTime),
  step: parameter(
    Type.Optional(
      Type.Integer({
        description: `the length of a step in seconds: one of ${STEPS.join(', ')}; 60 reaches back 3 hours, 300 and 900 two days, the others 31 days`,
      }),
    ),
    readStep,
  ),
};

/** Throws InvalidError. */
export function readRange(query: Query<typeof statisticsQuery>, now = nowSeconds()): StatisticsRange {
  const to = query.to ?? now;
  const from = query.from ?? to - DAY;
  if (from >= to) throw new InvalidError('invalid_range', '"from" must be earlier than "to".', { pointer: '/from' });
  if (to > now + DAY)
    throw new InvalidError('invalid_range', '"to" is in the future; omit it for now.', { pointer: '/to' });
  if (from < now - KEPT_SECONDS)
    throw new InvalidError('invalid_range', `Statistics are kept for ${KEPT_SECONDS / DAY} days; use a later "from".`, {
      pointer: '/from',
    });
  const step = checkStep(query.step, to - from, finestStep(now - from));
  const aligned = { from: periodStart(from, step), to: periodStart(to + step - 1, step), step };
  if ((aligned.to - aligned.from) / step > MAX_POINTS)
    throw new InvalidError(
      'invalid_range',
      `The range has more than ${MAX_POINTS} steps of ${step} seconds; use a longer step or a shorter range.`,
      { pointer: '/step' },
    );
  return aligned;
}

function readTime(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const seconds = parseTime(text);
  if (seconds === undefined)
    throw new InvalidError('invalid_time', `"${name}" must be a time as YYYY-MM-DD HH:MM:SS in UTC.`, {
      pointer: `/${name}`,
    });
  return seconds;
}

function readStep(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const step = STEPS.find((candidate) => String(candidate) === text);
  if (step !== undefined) return step;
  throw new InvalidError('invalid_step', `"step" must be one of ${STEPS.join(', ')} seconds.`, { pointer: '/step' });
}

/** `finest`: the shortest step with stored counts. Throws InvalidError. */
function checkStep(step: number | undefined, range: number, finest: number): number {
  if (step === undefined)
    return (
      STEPS.find((candidate) => candidate >= finest && range / candidate <= DEFAULT_POINTS) ?? STEPS[STEPS.length - 1]
    );
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
