/** The figures as Markdown, ready for RESULTS.md. */
import { table } from '../dns/report.ts';
import { median } from '../dns/rounds.ts';
import type { IdleMemory } from './handshakes.ts';
import { isDisturbed, type Measured } from './measured.ts';
import { isGoalReached, type RowResult, ratios } from './rounds.ts';

const percent = (share: number) => `${Math.round(share * 100)} %`;

export function speedTable(results: readonly RowResult[]): string {
  const rows = results.flatMap(({ row, figures }) =>
    [...figures].map(([server, rounds]) => {
      const middle = (of: (one: Measured) => number) => median(rounds.map(of));
      return [
        `${row.id}: ${row.text}`,
        server,
        Math.round(middle((one) => one.perSecond)).toLocaleString('en'),
        middle((one) => one.cpuMicros).toFixed(1),
        percent(middle((one) => one.serverBusy)),
        percent(middle((one) => one.loadBusy)),
        String(rounds.reduce((sum, one) => sum + one.wrong, 0)),
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
        const all = ratios(result, peer);
        const cpu = ratios(result, peer, (one) => one.cpuMicros);
        const goal = result.row.goals.find((one) => one.peer === peer);
        return [
          result.row.id,
          peer,
          all.length === 0
            ? '–'
            : `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)}–${Math.max(...all).toFixed(2)}, ${all.length})`,
          cpu.length === 0 ? '–' : median(cpu).toFixed(2),
          goal === undefined ? '' : [goal.atLeast, goal.aim].filter((one) => one !== undefined).join(', '),
          goal === undefined ? '' : isGoalReached(result, goal) ? 'yes' : 'no',
        ];
      }),
  );
  return table(['load', 'peer', 'req/s: Waypost over peer', 'CPU µs', 'at least, aim', 'reached'], rows, 2);
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
  const all = results.flatMap(({ figures }) => [...figures.values()].flat());
  return `${all.filter(isDisturbed).length} of ${all.length}`;
}
