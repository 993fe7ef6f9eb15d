/** The figures as Markdown. */
import { table } from '../dns/report.ts';
import { median } from '../dns/rounds.ts';
import { percentile } from '../writes/statistics.ts';
import type { AccountResult, Operation } from './account.ts';
import type { Ceiling } from './ceiling.ts';
import { type Compared, EACH, KEPT, ratios, reached } from './compare.ts';
import type { Measured } from './drive.ts';
import { type LargeZoneResult, RATE } from './large-zone.ts';
import type { StreamResult } from './stream.ts';
import type { SyncCount } from './sync.ts';

/** Milliseconds. */
export const SERVED_WITHIN = 50;
/** By so many milliseconds the 99th percentile of queries may rise while records change. */
export const QUERY_DELAY = 1;

const whole = (value: number) => Math.round(value).toLocaleString('en');
const percent = (share: number) => `${Math.round(share * 100)} %`;
const yes = (met: boolean) => (met ? 'yes' : 'no');
const most = (values: readonly number[]) => Math.max(...values);

export function speedTable(results: readonly Compared[]): string {
  const rows = results.flatMap(({ row, series }) =>
    series.map(({ server, how, rounds }) => {
      const middle = (of: (measured: Measured) => number) => median(rounds.map(of));
      return [
        `${row.id}: ${row.text}`,
        `${server}, ${how}`,
        whole(middle((measured) => measured.perSecond)),
        middle((measured) => measured.cpuMicros).toFixed(1),
        middle((measured) => measured.p50).toFixed(2),
        middle((measured) => measured.p99).toFixed(2),
        percent(middle((measured) => measured.serverBusy)),
        percent(middle((measured) => measured.busy)),
        whole(middle((measured) => measured.bytes)),
        whole(rounds.reduce((sum, round) => sum + round.wrong, 0)),
      ];
    }),
  );
  const head = [
    'load',
    'server',
    'req/s',
    'CPU µs',
    'p50 ms',
    'p99 ms',
    'server busy',
    'generator busy',
    'bytes',
    'wrong',
  ];
  return table(head, rows, 2);
}

export function ratioTable(results: readonly Compared[]): string {
  const rows = results.map((compared) => {
    const ratio = (how: string) => {
      const all = ratios(compared, how);
      if (all.length === 0) return '–';
      return `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)}–${most(all).toFixed(2)}, ${all.length})`;
    };
    const cpu = ratios(compared, EACH, (item) => item.cpuMicros);
    const met = reached(compared);
    return [
      compared.row.id,
      ratio(EACH),
      cpu.length === 0 ? '–' : median(cpu).toFixed(2),
      ratio(KEPT),
      String(compared.row.atLeast),
      met === null ? 'not measured' : yes(met),
    ];
  });
  const head = [
    'load',
    'ratio to PowerDNS, median (rounds)',
    'CPU µs ratio',
    'our connections kept',
    'at least',
    'reached',
  ];
  return table(head, rows, 1);
}

export function ceilingTable(all: readonly Ceiling[]): string {
  const rows = all.map(({ clients, how, figure }) => [
    `${clients === 1 ? '1 client' : `${clients} clients`}, ${how}`,
    whole(figure.perSecond),
    percent(figure.busy),
  ]);
  return table(['the generator alone, against a server that does nothing', 'req/s', 'generator busy'], rows, 1);
}

export function syncTable(counts: readonly SyncCount[]): string {
  const rows = counts.map((count) => [count.server, String(count.clients), whole(count.creations), whole(count.syncs)]);
  return table(['server', 'clients', 'creations', 'syncs (strace)'], rows, 1);
}

const operationMet = ({ figure: { p99, wrong }, within }: Operation): boolean => p99 < within && wrong === 0;

export function accountTable({ domains, seconds, operations, search }: AccountResult): string {
  const rows = operations.map((operation) => {
    const { text, clients, figure, within } = operation;
    return [
      text,
      String(clients),
      whole(figure.perSecond),
      figure.p50.toFixed(2),
      figure.p99.toFixed(2),
      figure.max.toFixed(2),
      figure.cpuMicros.toFixed(0),
      whole(figure.wrong),
      `p99 < ${within}`,
      yes(operationMet(operation)),
    ];
  });
  const head = [
    `one account, ${whole(domains)} domains`,
    'at a time',
    'req/s',
    'p50 ms',
    'p99 ms',
    'max ms',
    'CPU µs',
    'wrong',
    'goal, ms',
    'reached',
  ];
  return `${table(head, rows, 1)}

The domains were created by 32 clients in ${seconds.toFixed(1)} s (${whole(domains / seconds)}/s). A search through all of them takes ${search.milliseconds.toFixed(1)} ms, in ${search.pages === 1 ? 'one page' : `${search.pages} pages`}.`;
}

function changeRows({ changes }: LargeZoneResult): { row: string[]; met: boolean }[] {
  return (['create', 'update', 'delete'] as const).map((kind) => {
    const times = changes[kind];
    const met = times.length > 0 && percentile(times, 100) < SERVED_WITHIN;
    const figures = [50, 99, 100].map((part) => percentile(times, part).toFixed(2));
    return { row: [`${kind}: request sent to served`, whole(times.length), ...figures, '0', yes(met)], met };
  });
}

function streamRow(text: string, rounds: readonly StreamResult[], verdict: string): string[] {
  const faults = rounds.reduce((sum, round) => sum + round.lost + round.wrong, 0);
  const middle = (of: (streamResult: StreamResult) => number) => median(rounds.map(of)).toFixed(3);
  const sent = rounds.reduce((sum, round) => sum + round.sent, 0);
  return [
    text,
    whole(sent),
    middle((streamResult) => streamResult.p50),
    middle((streamResult) => streamResult.p99),
    most(rounds.map((round) => round.max)).toFixed(2),
    String(faults),
    verdict,
  ];
}

function queriesMet({ quiet, changing }: LargeZoneResult): boolean {
  const p99 = (rounds: readonly StreamResult[]) => median(rounds.map((round) => round.p99));
  return (
    p99(changing) - p99(quiet) < QUERY_DELAY &&
    [...quiet, ...changing].every((streamResult) => streamResult.lost + streamResult.wrong === 0)
  );
}

export function largeZoneTable(result: LargeZoneResult): string {
  const queries = `UDP queries, ${whole(RATE)}/s`;
  const rows = [
    ...changeRows(result).map(({ row }) => row),
    streamRow(`${queries}, no changes`, result.quiet, '–'),
    streamRow(`${queries}, during changes`, result.changing, yes(queriesMet(result))),
  ];
  const head = [
    `a zone of ${whole(result.records)} records`,
    'number',
    'p50 ms',
    'p99 ms',
    'max ms',
    'lost or wrong',
    'reached',
  ];
  return `${table(head, rows, 1)}

Goals: every change served within ${SERVED_WITHIN} ms; the 99th percentile of the queries rises by less than ${QUERY_DELAY} ms.`;
}

/** Whether a goal of these was missed. */
export function missed(
  results: readonly Compared[],
  account: AccountResult | null,
  zone: LargeZoneResult | null,
): boolean {
  return (
    results.some((result) => reached(result) === false) ||
    (account?.operations.some((operation) => !operationMet(operation)) ?? false) ||
    (zone !== null && !(queriesMet(zone) && changeRows(zone).every(({ met }) => met)))
  );
}
