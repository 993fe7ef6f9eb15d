/**
 * The rows in which PowerDNS is the peer: both servers alternate, each round in another order, and
 * only one may take CPU at a time.
 */
import { median } from '../dns/rounds.ts';
import type { Call, Contender } from './contender.ts';
import { drive, type Measured } from './drive.ts';

export interface Row {
  readonly id: string;
  readonly text: string;
  readonly clients: number;
  /**
   * The server always has a request and never waits for the disk: when neither it nor the generator
   * has had its core whole, something else ran there.
   */
  readonly saturates: boolean;
  /** Waypost's requests a second over PowerDNS's. */
  readonly atLeast: number;
  /** The requests of a round; `fresh` makes zones that have no records yet. */
  calls(server: Contender, round: number): Promise<readonly Call[]>;
}

export interface Options {
  readonly rounds: number;
  readonly seconds: number;
  /** How often at most a disturbed measurement is repeated. */
  readonly repeats: number;
  readonly work: string;
  say(line: string): void;
}

/** Share of its core that server or generator must have had in a row that saturates. */
const UNDISTURBED = 0.94;

export function disturbed(row: Row, figure: Measured): boolean {
  return row.saturates && Math.max(figure.serverBusy, figure.busy) < UNDISTURBED;
}

/**
 * How a server was asked, by the text that stands in the table. PowerDNS keeps no connection, so
 * there is one way only to ask it.
 */
export const EACH = 'a connection each';
export const KEPT = 'connections kept';

export interface Series {
  readonly server: string;
  readonly how: string;
  readonly rounds: Measured[];
}

export interface Compared {
  readonly row: Row;
  readonly series: readonly Series[];
}

/** The servers come paused and are left paused. */
export async function compare(row: Row, servers: readonly Contender[], options: Options): Promise<Compared> {
  const turns = servers.flatMap((server) =>
    server.name === 'PowerDNS'
      ? [{ server, how: EACH, keepAlive: false }]
      : [
          { server, how: EACH, keepAlive: false },
          { server, how: KEPT, keepAlive: true },
        ],
  );
  const series: Series[] = turns.map(({ server, how }) => ({ server: server.name, how, rounds: [] }));
  for (let round = 0; round < options.rounds; round++) {
    for (let i = 0; i < turns.length; i++) {
      const at = (i + round) % turns.length;
      const { server, how, keepAlive } = turns[at];
      server.process.resume();
      const calls = await row.calls(server, round * turns.length + at);
      const shape = { order: 'rotate', clients: row.clients, keepAlive, seconds: options.seconds } as const;
      let figure = await drive(server, calls, shape, options.work);
      for (let again = 0; again < options.repeats && disturbed(row, figure); again++) {
        options.say(`${row.id} again  ${describe(server.name, how, figure)}`);
        figure = await drive(server, calls, shape, options.work);
      }
      server.process.pause();
      series[at].rounds.push(figure);
      options.say(`${row.id} ${round + 1}  ${describe(server.name, how, figure)}`);
    }
  }
  return { row, series };
}

/**
 * Round by round, since a machine that drifts drifts for both. Rounds in which one of them was
 * disturbed are left out.
 */
export function ratios(
  { row, series }: Compared,
  how: string,
  of = (measured: Measured) => measured.perSecond,
): number[] {
  const ours = series.find((candidate) => candidate.server === 'Waypost' && candidate.how === how)?.rounds ?? [];
  const theirs = series.find((candidate) => candidate.server === 'PowerDNS')?.rounds ?? [];
  return ours.flatMap((own, round) => {
    const other = theirs[round];
    return other === undefined || disturbed(row, own) || disturbed(row, other) ? [] : [of(own) / of(other)];
  });
}

/**
 * Whether the goal is reached, which wrong answers prevent, and so does a row in which every round
 * was disturbed; null when there was no peer.
 */
export function reached(compared: Compared): boolean | null {
  if (!compared.series.some(({ server }) => server === 'PowerDNS')) return null;
  const all = ratios(compared, EACH);
  if (all.length === 0) return false;
  return (
    median(all) >= compared.row.atLeast &&
    compared.series.every(({ rounds }) => rounds.every((round) => round.wrong === 0))
  );
}

/** Measurements that had to share a core, though they were repeated. */
export function disturbedCount(all: readonly Compared[]): string {
  const figures = all.flatMap(({ row, series }) =>
    series.flatMap(({ rounds }) => rounds.map((round) => disturbed(row, round))),
  );
  return `${figures.filter(Boolean).length} of ${figures.length}`;
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

export function describe(server: string, how: string, figure: Measured): string {
  let line = `${server.padEnd(9)} ${how.padEnd(17)} ${Math.round(figure.perSecond).toLocaleString('en').padStart(7)} req/s`;
  line += `  ${figure.cpuMicros.toFixed(1).padStart(6)} µs  p50 ${figure.p50.toFixed(2)} p99 ${figure.p99.toFixed(2)} ms`;
  line += `  server ${percent(figure.serverBusy)}, generator ${percent(figure.busy)}`;
  if (figure.wrong > 0) line += `  WRONG ${figure.wrong}, first: ${figure.firstWrong}`;
  return line;
}
