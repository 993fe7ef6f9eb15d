/**
 * The row `flood`: random sub-domains of one zone from one address, as fast as the generator makes
 * them up to 200,000 a second, and a client at another address that asks 1,000 a second for names
 * that exist. What counts is what becomes of the client.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FloodResult } from './flood-load.ts';
import type { QuerySet } from './queries.ts';
import { table } from './report.ts';
import { median, type Plan, UNDISTURBED } from './rounds.ts';
import { LOAD_CORE, type Started } from './servers.ts';

const run = promisify(execFile);
const GENERATOR = fileURLToPath(new URL('flood-load.js', import.meta.url));

/** Random sub-domains a second. */
const FLOOD_RATE = 200_000;
/**
 * Of the client: share of its queries without an answer, and milliseconds of the 99th percentile.
 */
const MOST_LOST = 0.01;
const MOST_P99 = 10;

export const FLOOD_ROW = 'flood';
export const FLOOD_TEXT = `${FLOOD_RATE.toLocaleString('en')} random sub-domains/s of one zone, and a client that asks 1,000/s`;

export interface FloodFigures {
  readonly server: string;
  readonly rounds: readonly FloodResult[];
  /** Whether it has to keep to the goals. */
  readonly isSubject: boolean;
}

/**
 * The servers come paused and are left paused. `subjects`: names of those that have to keep to the
 * goals. `say` gets a line for each measurement.
 */
export async function runFlood(
  servers: readonly Started[],
  subjects: readonly string[],
  queries: QuerySet,
  zone: string,
  { rounds, seconds, repeats }: Pick<Plan, 'rounds' | 'seconds' | 'repeats'>,
  say: (line: string) => void,
): Promise<FloodFigures[]> {
  const figures = servers.map(() => [] as FloodResult[]);
  for (let round = 0; round < rounds; round++)
    for (const [i, { server, process: daemon }] of servers.entries()) {
      daemon.resume();
      let result = await drive(server.port, queries, zone, seconds);
      for (let again = 0; again < repeats && result.busy < UNDISTURBED; again++) {
        say(`again    ${server.name.padEnd(16)} ${cellsOf(result).join('  ')}`);
        result = await drive(server.port, queries, zone, seconds);
      }
      daemon.pause();
      figures[i].push(result);
      say(`round ${round + 1}  ${server.name.padEnd(16)} ${cellsOf(result).join('  ')}`);
    }
  return servers.map(({ server: { name } }, i) => ({
    server: name,
    rounds: figures[i],
    isSubject: subjects.includes(name),
  }));
}

async function drive(port: number, queries: QuerySet, zone: string, seconds: number): Promise<FloodResult> {
  const { stdout } = await run('taskset', [
    ...['-c', String(LOAD_CORE), process.execPath, GENERATOR, '--port', String(port)],
    ...['--queries', queries.packed, '--zone', zone, '--flood', String(FLOOD_RATE), '--seconds', String(seconds)],
  ]);
  return JSON.parse(stdout) as FloodResult;
}

/** Median of the rounds of what `of` says. */
const middle = (rounds: readonly FloodResult[], of: (floodResult: FloodResult) => number): number =>
  median(rounds.map(of));

export function floodMet({ rounds }: FloodFigures): boolean {
  return (
    middle(rounds, ({ lost, sent }) => lost / sent) < MOST_LOST &&
    middle(rounds, ({ p99 }) => p99) < MOST_P99 &&
    rounds.every(({ wrong }) => wrong === 0)
  );
}

function cellsOf(floodResult: FloodResult): string[] {
  const whole = (value: number): string => Math.round(value).toLocaleString('en');
  return [
    whole(floodResult.floodRate),
    whole(floodResult.floodAnswered),
    whole(floodResult.floodTruncated),
    `${((floodResult.lost * 100) / floodResult.sent).toFixed(2)} %`,
    String(floodResult.wrong),
    floodResult.p50.toFixed(3),
    floodResult.p99.toFixed(3),
    floodResult.max.toFixed(2),
    `${Math.round(floodResult.busy * 100)} %`,
  ];
}

export function floodTable(all: readonly FloodFigures[]): string {
  const rows = all.map((figures) => {
    const of = (key: keyof FloodResult): number => middle(figures.rounds, (floodResult) => floodResult[key]);
    const typical: FloodResult = {
      floodRate: of('floodRate'),
      floodAnswered: of('floodAnswered'),
      floodTruncated: of('floodTruncated'),
      sent: of('sent'),
      lost: of('lost'),
      wrong: of('wrong'),
      p50: of('p50'),
      p99: of('p99'),
      max: of('max'),
      busy: of('busy'),
    };
    return [figures.server, ...cellsOf(typical), figures.isSubject ? (floodMet(figures) ? 'yes' : 'no') : '–'];
  });
  return table(
    [
      'server',
      'flood/s',
      'answered/s',
      'with TC/s',
      'client: lost',
      'wrong',
      'p50 ms',
      'p99 ms',
      'max ms',
      'generator busy',
      'reached',
    ],
    rows,
  );
}
