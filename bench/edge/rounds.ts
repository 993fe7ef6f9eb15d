/**
 * Runs a row: all servers alternate, each round in another order, and only one may take CPU at a
 * time.
 */
import { median } from '../dns/rounds.ts';
import type { Contender } from './contender.ts';
import { isDisturbed, type Measured } from './measured.ts';
import type { Goal, Row } from './rows.ts';

export interface RowResult {
  readonly row: Row;
  /** By server: a figure for each round. */
  readonly figures: ReadonlyMap<string, readonly Measured[]>;
}

export interface Plan {
  readonly rounds: number;
  readonly seconds: number;
  /** How often at most a disturbed measurement is repeated. */
  readonly repeats: number;
}

/**
 * So that code is compiled and caches are warm when it counts. V8 compiles for longer where origin
 * or generator are the limit, and there are fewer requests: gRPC took a third more CPU after 3 s.
 */
const WARM_UP_SECONDS = 12;

/** The servers come paused and are left paused. `say` gets a line for each measurement. */
export async function runRow(
  row: Row,
  servers: readonly Contender[],
  plan: Plan,
  say: (line: string) => void,
): Promise<RowResult> {
  const figures = new Map<string, Measured[]>(servers.map(({ name }) => [name, []]));
  for (let round = 0; round < plan.rounds; round++) {
    for (let i = 0; i < servers.length; i++) {
      const server = servers[(i + round) % servers.length];
      server.process.resume();
      if (round === 0) await row.drive(server, WARM_UP_SECONDS);
      let figure = await row.drive(server, plan.seconds);
      for (let again = 0; again < plan.repeats && !isCounted(row, figure); again++) {
        say(`${row.id} again  ${describe(server, figure)}`);
        figure = await row.drive(server, plan.seconds);
      }
      server.process.pause();
      figures.get(server.name)?.push(figure);
      say(`${row.id} ${round + 1}  ${describe(server, figure)}`);
    }
  }
  return { row, figures };
}

/** Who shares a core is slower, but takes as much CPU for a request. */
export const isCounted = ({ by }: Row, figure: Measured): boolean => by === 'cpu' || !isDisturbed(figure);

/**
 * Waypost's requests a second over those of `peer`, round by round; rounds in which one of them
 * does not count are left out.
 */
export function ratios(result: RowResult, peer: string): number[] {
  return pairs(result, peer).map(([measured, other]) => measured.perSecond / other.perSecond);
}

/** The CPU that `peer` took for a request over Waypost's, of the same rounds. */
export function cpuRatios(result: RowResult, peer: string): number[] {
  return pairs(result, peer).map(([measured, other]) => other.cpuMicros / measured.cpuMicros);
}

function pairs({ row, figures }: RowResult, peer: string): [Measured, Measured][] {
  const theirs = figures.get(peer) ?? [];
  return (figures.get('Waypost') ?? []).flatMap((measured, round) => {
    const other = theirs[round];
    return other === undefined || !isCounted(row, measured) || !isCounted(row, other) ? [] : [[measured, other]];
  });
}

/** Null when no peer was there that something is to be reached against. */
export function isReached(result: RowResult): boolean | null {
  const goals = result.row.goals.filter(({ peer }) => result.figures.has(peer));
  return goals.length === 0 ? null : goals.every((goal) => isGoalReached(result, goal));
}

export function isGoalReached(result: RowResult, { peer, atLeast }: Goal): boolean {
  const all = result.row.by === 'cpu' ? cpuRatios(result, peer) : ratios(result, peer);
  const isRight = result.figures.get('Waypost')?.every(({ wrong }) => wrong === 0) === true;
  return isRight && all.length > 0 && median(all) >= atLeast;
}

function describe({ name }: Contender, figure: Measured): string {
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  let line = `${name.padEnd(10)} ${Math.round(figure.perSecond).toLocaleString('en').padStart(8)} req/s`;
  line += `  ${figure.cpuMicros.toFixed(2).padStart(7)} µs  server ${percent(figure.serverBusy)}, generator ${percent(figure.loadBusy)}`;
  if (figure.wrong > 0) line += `  WRONG ${figure.wrong}`;
  return line;
}
