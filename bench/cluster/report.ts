/** The figures as Markdown. */
import { table } from '../dns/report.ts';
import { median } from '../dns/rounds.ts';
import { percentile } from '../writes/statistics.ts';
import type { JoinResult } from './join.ts';
import type { ManyResult } from './many.ts';
import type { Times, WriteResult } from './write.ts';

/** What has to be reached; milliseconds, writes a second, seconds. */
export const GOAL = { median: 25, p99: 100, perSecond: 2000, join: 60, signedMore: 2 } as const;

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const yes = (met: boolean): string => (met ? 'yes' : 'no');

export interface Verdict {
  readonly text: string;
  readonly met: boolean;
}

/** `delay`: milliseconds that every packet of a node was late; the goals are for none. */
export function writeTable(results: readonly { readonly delay: number; readonly result: WriteResult }[]): Verdict {
  const rows: string[][] = [];
  let met = true;
  for (const { delay, result } of results) {
    const add = (what: string, times: readonly number[], verdict = '–'): void => {
      if (times.length === 0) return;
      const figures = [50, 99, 100].map((part) => percentile(times, part).toFixed(1));
      rows.push([delay > 0 ? `${what}, links of ${delay} ms` : what, whole(times.length), ...figures, verdict]);
    };
    const both = (name: string, { answered, served }: Times): void => {
      add(`${name}, asked meanwhile: request to answer`, answered);
      add(`${name}: request until the last of four serves it`, served);
    };
    const { quiet, wrong } = result;
    const reached =
      percentile(quiet.answered, 50) <= GOAL.median && percentile(quiet.answered, 99) <= GOAL.p99 && wrong === 0;
    if (delay === 0) met = reached;
    else met &&= wrong === 0;
    add(
      `Waypost: request to answer, which all four serve (${wrong} not served then)`,
      quiet.answered,
      delay === 0 ? yes(reached) : yes(wrong === 0),
    );
    const more = percentile(result.signed.answered, 50) - percentile(quiet.answered, 50);
    add(
      `the same in a signed zone, p50 ${more.toFixed(1)} ms more`,
      result.signed.answered,
      delay === 0 ? yes(more <= GOAL.signedMore) : '–',
    );
    if (delay === 0) met &&= more <= GOAL.signedMore;
    both('Waypost', result.waypost);
    both('Knot', result.knot);
  }
  const head = ['one write at a time', 'number', 'p50 ms', 'p99 ms', 'max ms', 'reached'];
  return {
    text: `${table(head, rows)}\n\nGoal: p50 ≤ ${GOAL.median} ms, p99 ≤ ${GOAL.p99} ms; in a signed zone p50 ≤ ${GOAL.signedMore} ms more.`,
    met,
  };
}

export function manyTable(rounds: readonly ManyResult[], clients: number): Verdict {
  const middle = (of: (manyResult: ManyResult) => number): number => median(rounds.map(of));
  const refused = rounds.flatMap((round) => [...round.refused].map(([what, count]) => `${count} × ${what}`));
  const perSecond = middle((manyResult) => manyResult.perSecond);
  const met = perSecond >= GOAL.perSecond && refused.length === 0;
  const row = [
    `${clients} clients at four nodes`,
    whole(perSecond),
    rounds.map((round) => whole(round.perSecond)).join(', '),
    ...[50, 99].map((part) => middle((manyResult) => percentile(manyResult.milliseconds, part)).toFixed(1)),
    ...(['nodes', 'etcd', 'generator'] as const).map((who) => whole(middle((manyResult) => manyResult.cpu[who]))),
    refused.join(', ') || 'none',
    yes(met),
  ];
  const head = [
    'many writes',
    'writes/s',
    'rounds',
    'p50 ms',
    'p99 ms',
    'CPU µs of four nodes',
    'of three etcds',
    'of the generator',
    'refused',
    `≥ ${whole(GOAL.perSecond)}/s`,
  ];
  return { text: table(head, [row]), met };
}

export function joinTable({ records, importSeconds, seconds, wrong }: JoinResult): Verdict {
  const met = Math.max(...seconds) <= GOAL.join && wrong === 0;
  const row = [
    `${whole(records)} records`,
    seconds.map((second) => second.toFixed(1)).join(', '),
    String(wrong),
    `${importSeconds.toFixed(1)} s, ${whole(records / importSeconds)}/s`,
    yes(met),
  ];
  const head = ['a node joins', 'seconds until ready', 'not served then', 'the import before', `≤ ${GOAL.join} s`];
  return { text: table(head, [row]), met };
}
