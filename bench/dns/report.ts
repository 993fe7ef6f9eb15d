/** The figures as Markdown, and as rows of bench/results. */
import type { Row as SavedRow } from '../results.ts';
import { FLOOR } from './floor.ts';
import { disturbed, type Figures, median, ratios } from './rounds.ts';
import type { Row } from './rows.ts';
import type { Started } from './servers.ts';

/** The figures of one row; `subject` is the Waypost that ran in it. */
export interface RowResult {
  readonly row: Row;
  readonly subject: string;
  readonly figures: Figures;
}

/** One start of one server on one set of zones. */
export interface StartResult extends Pick<Started, 'seconds' | 'memory'> {
  readonly zones: string;
  readonly server: string;
}

export interface Verdict {
  readonly text: string;
  /**
   * False when a goal is missed, an answer was wrong, or no round is fit to tell; null when there
   * was no peer to compare with.
   */
  readonly met: boolean | null;
}

/** A Markdown table; the columns after the first `left` are aligned to the right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], left = 1): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = header.map((_, i) => (i < left ? '---' : '---:'));
  return [line(header), line(rule), ...rows.map(line)].join('\n');
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const megabytes = (bytes: number) => whole(bytes / 2 ** 20);

export function speedTable(results: readonly RowResult[]): string {
  const rows = results.flatMap(({ row, figures }) =>
    [...figures.batching].map(([name, rounds]) => {
      const perf = figures.dnsperf.get(name);
      return [
        `${row.id}: ${row.text}`,
        name,
        whole(median(rounds.map((round) => round.qps))),
        median(rounds.map(({ cpuMicros }) => cpuMicros)).toFixed(2),
        perf ? whole(perf.qps) : '–',
        perf ? perf.cpuMicros.toFixed(2) : '–',
        whole(rounds.reduce((sum, round) => sum + round.lost, 0)),
        whole(rounds.reduce((sum, round) => sum + round.wrong, 0)),
      ];
    }),
  );
  return table(['load', 'server', 'queries/s', 'CPU µs', 'dnsperf: queries/s', 'CPU µs', 'lost', 'wrong'], rows, 2);
}

/** Each goal of a row with what was reached. */
export function verdicts({ row, subject, figures }: RowResult): Verdict[] {
  return row.goals.map(({ peer, atLeast, aim }) => {
    const bounds = `${atLeast ?? ''} | ${aim ?? ''}`;
    const all = ratios(figures, subject, peer);
    if (all.length === 0) {
      const measured = figures.batching.has(subject) && figures.batching.has(peer);
      const word = measured ? 'no: every round was disturbed' : 'not measured';
      return { text: `| ${row.id} | ${peer} | – | – | ${bounds} | ${word} |`, met: measured ? false : null };
    }
    const ratio = median(all);
    const right = [...(figures.batching.get(subject) ?? [])].every((item) => item.wrong === 0);
    const met = right && ratio >= (atLeast ?? 0);
    let word = atLeast === undefined ? '' : 'yes';
    if (aim !== undefined && ratio >= aim) word = 'yes, aim too';
    if (!met) word = right ? 'no' : 'no: wrong answers';
    const cpu = median(ratios(figures, subject, peer, (item) => item.cpuMicros));
    const spread = `${Math.min(...all).toFixed(2)}–${Math.max(...all).toFixed(2)}, ${all.length}`;
    return {
      text: `| ${row.id} | ${peer} | ${ratio.toFixed(2)} (${spread}) | ${cpu.toFixed(2)} | ${bounds} | ${word} |`,
      met,
    };
  });
}

/** A row for each server next to `subject`. */
export function savedRows({ row, subject, figures }: RowResult): SavedRow[] {
  const middle = (server: string, of: (round: { qps: number; cpuMicros: number }) => number): number =>
    median((figures.batching.get(server) ?? []).map(of));
  return [...figures.batching.keys()]
    .filter((name) => name !== subject && name !== FLOOR)
    .map((peer) => {
      const all = ratios(figures, subject, peer);
      const atLeast = row.goals.find((goal) => goal.peer === peer)?.atLeast;
      return {
        name: row.id,
        unit: 'queries/s',
        ours: Math.round(middle(subject, ({ qps }) => qps)),
        cpu: rounded(middle(subject, ({ cpuMicros }) => cpuMicros)),
        peer,
        theirs: Math.round(middle(peer, ({ qps }) => qps)),
        peerCpu: rounded(middle(peer, ({ cpuMicros }) => cpuMicros)),
        ...savedRatio(all, atLeast),
      };
    });
}

export const rounded = (value: number): number => Number(value.toFixed(2));

export function savedRatio(
  all: readonly number[],
  atLeast: number | undefined,
): Pick<SavedRow, 'ratio' | 'goal' | 'reached'> {
  if (all.length === 0) return {};
  const ratio = [median([...all]), Math.min(...all), Math.max(...all)].map(rounded);
  return atLeast === undefined ? { ratio } : { ratio, goal: `≥ ${atLeast}`, reached: ratio[0] >= atLeast };
}

export function ratioTable(results: readonly RowResult[]): string {
  const head = table(
    ['load', 'against', 'ratio, median (rounds)', 'CPU µs ratio', 'at least', 'aim', 'reached'],
    [],
    2,
  );
  return [head, ...results.flatMap(verdicts).map(({ text }) => text)].join('\n');
}

/**
 * Own CPU time of a server in each round: what it takes beyond the floor of the same round; see
 * FLOOR.
 */
function ownMicros(figures: Figures, server: string): number[] {
  const rounds = figures.batching.get(server) ?? [];
  const floor = figures.batching.get(FLOOR) ?? [];
  return rounds.flatMap((measured, round) =>
    floor[round] === undefined || disturbed(measured) || disturbed(floor[round])
      ? []
      : [measured.cpuMicros - floor[round].cpuMicros],
  );
}

/**
 * Own CPU time a query: what a server takes beyond the floor. The kernel's part of a query differs
 * by machine and is the same for all servers.
 */
export function ownVerdicts({ row, subject, figures }: RowResult): Verdict[] {
  const floor = median((figures.batching.get(FLOOR) ?? []).map(({ cpuMicros }) => cpuMicros));
  if (Number.isNaN(floor)) return [];
  const ours = median(ownMicros(figures, subject));
  return [...figures.batching.keys()].flatMap((name) => {
    if (name === FLOOR) return [];
    const own = median(ownMicros(figures, name));
    const atMost = row.goals.find(({ peer }) => peer === name)?.ownAtMost;
    const met = atMost === undefined ? null : ours / own <= atMost;
    const ratio = name === subject ? '' : (ours / own).toFixed(2);
    const reached = met === null ? '' : met ? 'yes' : Number.isNaN(ours / own) ? 'no: every round was disturbed' : 'no';
    const cells = [row.id, floor.toFixed(2), name, own.toFixed(2), ratio, atMost ?? '', reached];
    return [{ text: `| ${cells.join(' | ')} |`, met }];
  });
}

export function ownTable(results: readonly RowResult[]): string {
  const header = ['load', 'floor, CPU µs', 'server', 'own CPU µs', 'Waypost over it', 'at most', 'reached'];
  return [table(header, [], 1), ...results.flatMap(ownVerdicts).map(({ text }) => text)].join('\n');
}

/** How many of the rounds' measurements had to share a core, though they were repeated. */
export function disturbedCount(results: readonly RowResult[]): string {
  const all = results.flatMap(({ figures }) => [...figures.batching.values()].flat());
  return `${all.filter(disturbed).length} of ${all.length}`;
}

export function startTable(starts: readonly StartResult[]): string {
  const rows = starts.map(({ zones, server, seconds, memory }) => [
    zones,
    server,
    seconds.toFixed(2),
    megabytes(memory.rss),
    megabytes(memory.pss),
  ]);
  return table(['zones', 'server', 'start to ready, s', 'resident, MB', 'proportional, MB'], rows, 2);
}
