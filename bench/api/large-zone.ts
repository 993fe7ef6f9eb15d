/**
 * A zone of very many records: how soon a change of one is served, and what it does to the queries
 * meanwhile.
 */
import { fileURLToPath } from 'node:url';
import type { ChangesResult } from './changes.ts';
import { onLoadCore } from './drive.ts';
import type { StreamResult } from './stream.ts';
import { WAYPOST_DNS_PORT, type WaypostApi } from './waypost.ts';

const STREAM = fileURLToPath(new URL('stream.js', import.meta.url));
const CHANGES = fileURLToPath(new URL('changes.js', import.meta.url));
const ZONE = 'large.example';
/** Queries a second. */
export const RATE = 2000;
/**
 * Milliseconds. When more of the queries than one in a hundred leave so late, something else took
 * the generator's core: the measurement is repeated.
 */
const LATE_MS = 0.5;
/** The changes begin before the stream and end after it. */
const LEAD_MS = 700;

export interface LargeZoneResult {
  readonly records: number;
  readonly changes: ChangesResult;
  /** The stream of each round. */
  readonly quiet: readonly StreamResult[];
  readonly changing: readonly StreamResult[];
}

export async function measureLargeZone(
  server: WaypostApi,
  records: number,
  rounds: number,
  seconds: number,
  repeats: number,
  say: (line: string) => void,
): Promise<LargeZoneResult> {
  await server.addZone(ZONE, records);
  const changes: ChangesResult = { create: [], update: [], delete: [] };
  const quiet: StreamResult[] = [];
  const changing: StreamResult[] = [];
  const { daemon, token } = server;
  const position = [daemon.url, token, server.id(ZONE), ZONE, String(WAYPOST_DNS_PORT)];
  const length = String(seconds + 2 * (LEAD_MS / 1000));
  const stream = [String(WAYPOST_DNS_PORT), ZONE, String(records), String(RATE), String(seconds)];

  async function measure(idle: boolean): Promise<{ figure: StreamResult; made: ChangesResult }> {
    const watching = onLoadCore<ChangesResult>(CHANGES, [...position, length, idle ? 'idle' : 'change'], true);
    watching.catch(() => {}); // awaited below
    await new Promise((resolve) => setTimeout(resolve, LEAD_MS));
    const figure = await onLoadCore<StreamResult>(STREAM, stream);
    const made = await watching;
    const what = idle ? 'no changes' : `${made.create.length * 3} changes`;
    const times = `p50 ${figure.p50.toFixed(3)} p99 ${figure.p99.toFixed(3)} p99.9 ${figure.p999.toFixed(3)} max ${figure.max.toFixed(2)} ms`;
    say(
      `large-zone, ${what}: queries ${times}, late ${figure.late.toFixed(3)}, ${figure.lost} lost, ${figure.wrong} wrong`,
    );
    return { figure, made };
  }

  for (let round = 0; round < rounds; round++) {
    for (const idle of round % 2 === 0 ? [true, false] : [false, true]) {
      let { figure, made } = await measure(idle);
      for (let again = 0; again < repeats && figure.late > LATE_MS; again++) ({ figure, made } = await measure(idle));
      for (const kind of ['create', 'update', 'delete'] as const) changes[kind].push(...made[kind]);
      (idle ? quiet : changing).push(figure);
    }
  }
  return { records, changes, quiet, changing };
}
