/**
 * Runs one row: all servers alternate in the same run, each round in another order, and only one
 * may take CPU at a time.
 */
import { driveBatching, driveDnsperf, type Measured, type Way } from './drivers.ts';
import type { QuerySet } from './queries.ts';
import type { Started } from './servers.ts';

/** What each server reached, by name: one figure a round, and one by dnsperf. */
export interface Figures {
  readonly batching: ReadonlyMap<string, Measured[]>;
  readonly dnsperf: ReadonlyMap<string, Measured>;
}

export interface Plan {
  readonly rounds: number;
  /** Seconds of each measurement. */
  readonly seconds: number;
  /** Queries out at a time. */
  readonly window: number;
  /**
   * How often at most a measurement is repeated in which server or generator had to share its core.
   */
  readonly repeats: number;
}

/** Share of its core that server and generator must have had, else the measurement is repeated. */
export const UNDISTURBED = 0.94;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * What `of` says of `subject` over what it says of `peer`, round by round: a machine that drifts
 * drifts for both. Rounds in which one of them was disturbed are left out.
 */
export function ratios(
  figures: Figures,
  subject: string,
  peer: string,
  of = (measured: Measured) => measured.qps,
): number[] {
  const ours = figures.batching.get(subject) ?? [];
  const theirs = figures.batching.get(peer) ?? [];
  return ours.flatMap((own, round) => {
    const other = theirs[round];
    return other === undefined || disturbed(own) || disturbed(other) ? [] : [of(own) / of(other)];
  });
}

/**
 * The servers come paused and are left paused; over TLS those that don't have it are left out.
 * `say` gets a line for each measurement.
 */
export async function runRounds(
  all: readonly Started[],
  queries: QuerySet,
  way: Way,
  plan: Plan,
  say: (line: string) => void,
): Promise<Figures> {
  const servers = way === 'dot' ? all.filter(({ server }) => server.tlsPort !== null) : all;
  const batching = new Map<string, Measured[]>(servers.map(({ server }) => [server.name, []]));
  const dnsperf = new Map<string, Measured>();
  for (let round = 0; round < plan.rounds; round++) {
    for (let i = 0; i < servers.length; i++) {
      const on = servers[(i + round) % servers.length];
      on.process.resume();
      let figure = await driveBatching(on, queries, plan.seconds, plan.window, way);
      for (let again = 0; again < plan.repeats && disturbed(figure); again++) {
        say(`again    ${describe(on, figure)}`);
        figure = await driveBatching(on, queries, plan.seconds, plan.window, way);
      }
      on.process.pause();
      batching.get(on.server.name)!.push(figure);
      say(`round ${round + 1}  ${describe(on, figure)}`);
    }
  }
  for (const on of way === 'dot' ? [] : servers) {
    on.process.resume();
    const figure = await driveDnsperf(on, queries, plan.seconds, plan.window, way);
    on.process.pause();
    if (figure === null) {
      say('dnsperf is not installed, or does not do this: its columns stay empty.');
      break;
    }
    dnsperf.set(on.server.name, figure);
    say(`dnsperf  ${describe(on, figure)}`);
  }
  return { batching, dnsperf };
}

/** Whether server or generator had to share its core. */
export function disturbed(figure: Measured): boolean {
  const { serverBusy, loadBusy, either } = figure;
  if (either) return Math.max(serverBusy, loadBusy ?? 0) < UNDISTURBED;
  return serverBusy < UNDISTURBED || (loadBusy ?? 1) < UNDISTURBED;
}

function describe({ server }: Started, figure: Measured): string {
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  let line = `${server.name.padEnd(16)} ${figure.qps.toLocaleString('en').padStart(8)} q/s  ${figure.cpuMicros.toFixed(2)} µs`;
  line += `  server busy ${percent(figure.serverBusy)}`;
  if (figure.loadBusy !== null) line += `, generator ${percent(figure.loadBusy)}`;
  if (figure.lost > 0) line += `  lost ${figure.lost}`;
  if (figure.wrong > 0) line += `  WRONG ${figure.wrong}, first ${figure.wrongAnswer}`;
  return line;
}
