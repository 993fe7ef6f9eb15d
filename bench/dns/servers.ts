/**
 * What is measured: a nameserver that can be started on a set of zones, on its own loopback port.
 */
import { execFileSync } from 'node:child_process';
import { Probe } from './probe.ts';
import { type Memory, ServerProcess } from './process.ts';
import type { ZoneSet } from './zones.ts';

/** The core that servers are measured on; the generator has the other one. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** Milliseconds for a server to load its zones, and maybe to sign them. */
const READY_LIMIT = 1_800_000;
/** Zones asked before a server counts as ready: as many, evenly spread, and the last one. */
const READY_PROBES = 64;

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** Its whole environment; left out: the benchmark's own. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface Server {
  readonly name: string;
  readonly port: number;
  /** Where it speaks DNS over TLS; null: it does not. */
  readonly tlsPort: number | null;
  /**
   * False: it answers without any records, so that any answer means that it is ready, and none can
   * be right.
   */
  readonly answers: boolean;
  /** Its zones are neither signed nor steered, though those of the others are. */
  readonly isUnsigned?: boolean;
  /** Its version as it says it itself, or null when it cannot be started here. */
  version(): string | null;
  /**
   * Makes what it needs before it can start on these zones (configuration, import) in `work`. Not
   * part of the start time.
   */
  prepare(set: ZoneSet, zoneFolder: string, work: string): Promise<Command>;
}

/** A started server, with what its start took. */
export interface Started {
  readonly server: Server;
  readonly process: ServerProcess;
  /** Seconds from start to the right answer for the last of the probed zones; on all cores. */
  readonly seconds: number;
  /** Memory right after that. */
  readonly memory: Memory;
}

/** First line of what a command prints, both streams; null when it cannot be run. */
export function firstLine(command: string, args: readonly string[]): string | null {
  try {
    return execFileSync('sh', ['-c', '"$0" "$@" 2>&1', command, ...args], { encoding: 'utf8' }).split('\n')[0];
  } catch {
    return null;
  }
}

/** Names that are asked to know whether all zones are loaded. */
function readinessNames(set: ZoneSet): string[] {
  const step = Math.max(1, Math.floor(set.zones / READY_PROBES));
  const names = [set.probeName(set.zones - 1)];
  for (let i = 0; i < set.zones; i += step) names.push(set.probeName(i));
  return names;
}

/** Starts a server with nothing else running, waits until it is ready, and pins it to its core. */
export async function start(server: Server, set: ZoneSet, zoneFolder: string, work: string): Promise<Started> {
  const { command, args, env } = await server.prepare(set, zoneFolder, work);
  const begin = performance.now();
  const process = new ServerProcess(command, args, `${work}/${server.name.toLowerCase()}.log`, env);
  const probe = new Probe(server.port);
  try {
    await probe.untilAll(readinessNames(set), READY_LIMIT, server.answers, () => process.assertAlive());
  } catch (error) {
    await process.stop();
    throw error;
  } finally {
    probe.close();
  }
  const seconds = (performance.now() - begin) / 1000;
  const memory = process.memory();
  process.pin(SERVER_CORE);
  return { server, process, seconds, memory };
}
