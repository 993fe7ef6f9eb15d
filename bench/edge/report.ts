/** The figures as Markdown, and as rows of bench/results. */
import { rounded, savedRatio, table } from '../dns/report.ts';
import { median } from '../dns/rounds.ts';
import type { Row as SavedRow } from '../results.ts';
import type { IdleMemory } from './handshakes.ts';
import type { Measured } from './measured.ts';
import { cpuRatios, isCounted, isGoalReached, type RowResult, ratios } from './rounds.ts';

const percent = (share: number) => `${Math.round(share * 100)} %`;

export function speedTable(results: readonly RowResult[]): string {
  const rows = results.flatMap(({ row, figures }) =>
    [...figures].map(([server, rounds]) => {
      const middle = (of: (measured: Measured) => number) => median(rounds.map(of));
      return [
        `${row.id}: ${row.text}`,
        server,
        Math.round(middle((measured) => measured.perSecond)).toLocaleString('en'),
        middle((measured) => measured.cpuMicros).toFixed(1),
        percent(middle((measured) => measured.serverBusy)),
        percent(middle((measured) => measured.loadBusy)),
        String(rounds.reduce((sum, round) => sum + round.wrong, 0)),
      ];
    }),
  );
  return table(['load', 'server', 'req/s', 'CPU µs', 'server busy', 'generator busy', 'wrong'], rows, 2);
}

export function ratioTable(results: readonly RowResult[]): string {
  const rows = results.flatMap((result) =>
    [...result.figures.keys()]
      .filter((name) => name !== 'Waypost')
      .map((peer) => {
        const goal = result.row.goals.find((aim) => aim.peer === peer);
        return [
          result.row.id,
          peer,
          range(ratios(result, peer)),
          range(cpuRatios(result, peer)),
          goal === undefined
            ? ''
            : `${[goal.atLeast, goal.aim].filter((figure) => figure !== undefined).join(', ')}${result.row.by === 'cpu' ? ' of CPU' : ''}`,
          goal === undefined ? '' : isGoalReached(result, goal) ? 'yes' : 'no',
        ];
      }),
  );
  return table(
    ['load', 'peer', 'req/s: Waypost over peer', 'CPU: peer over Waypost', 'at least, aim', 'reached'],
    rows,
    2,
  );
}

/** A row for each peer. */
export function savedRows(result: RowResult): SavedRow[] {
  const { row, figures } = result;
  const middle = (server: string, of: (measured: Measured) => number): number =>
    median((figures.get(server) ?? []).map(of));
  return [...figures.keys()]
    .filter((name) => name !== 'Waypost')
    .map((peer) => ({
      name: row.id,
      unit: 'requests/s',
      ours: Math.round(middle('Waypost', ({ perSecond }) => perSecond)),
      cpu: rounded(middle('Waypost', ({ cpuMicros }) => cpuMicros)),
      peer,
      theirs: Math.round(middle(peer, ({ perSecond }) => perSecond)),
      peerCpu: rounded(middle(peer, ({ cpuMicros }) => cpuMicros)),
      ...(row.by === 'cpu' && { by: row.by }),
      ...savedRatio(
        row.by === 'cpu' ? cpuRatios(result, peer) : ratios(result, peer),
        row.goals.find((goal) => goal.peer === peer)?.atLeast,
      ),
    }));
}

function range(all: readonly number[]): string {
  if (all.length === 0) return '–';
  return `${median([...all]).toFixed(2)} (${Math.min(...all).toFixed(2)}–${Math.max(...all).toFixed(2)}, ${all.length})`;
}

export function idleTable(memory: ReadonlyMap<string, IdleMemory>): string {
  const rows = [...memory].map(([server, { perConnection, connections }]) => [
    server,
    connections.toLocaleString('en'),
    (perConnection / 1024).toFixed(1),
  ]);
  return table(['server', 'idle connections', 'KB for each'], rows, 1);
}

export function disturbedCount(results: readonly RowResult[]): string {
  const all = results.flatMap(({ row, figures }) =>
    [...figures.values()].flat().map((measured) => isCounted(row, measured)),
  );
  return `${all.filter((counts) => !counts).length} of ${all.length}`;
}
