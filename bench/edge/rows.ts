/** The loads, and what is to be reached in each. */
import type { Contender } from './contender.ts';
import { driveH2load, type Shape } from './h2load.ts';
import { driveHandshakes } from './handshakes.ts';
import type { Measured } from './measured.ts';

/**
 * Waypost's requests a second over a peer's; where they count by CPU, the peer's CPU for a request
 * over Waypost's.
 */
export interface Goal {
  readonly peer: string;
  readonly atLeast: number;
  readonly aim?: number;
}

export interface Row {
  readonly id: string;
  readonly text: string;
  readonly goals: readonly Goal[];
  /**
   * By what the goals count: missing, by requests a second. By CPU where neither the server nor the
   * generator is the limit, as the origin next to the generator takes the most of their core.
   */
  readonly by?: 'cpu';
  drive(server: Contender, seconds: number): Promise<Measured>;
}

function h2load(id: string, text: string, atLeast: number, aim: number, shape: Shape): Row {
  return {
    id,
    text,
    goals: [{ peer: 'nginx', atLeast, aim }],
    drive: (server, seconds) => driveH2load(server, shape, seconds),
  };
}

const handshakeGoals = (atLeast: number): readonly Goal[] => [{ peer: 'nginx', atLeast, aim: 1 }];

export const ROWS: readonly Row[] = [
  h2load('ready', '2,000 bytes, 16 connections × 16 streams', 1.5, 3, {
    connections: 16,
    streams: 16,
    path: '/small',
  }),
  h2load('ready-64', '2,000 bytes, 64 × 1', 1, 1.2, { connections: 64, streams: 1, path: '/small' }),
  h2load('large', '100 KB, 16 × 4', 0.9, 1, { connections: 16, streams: 4, path: '/large' }),
  {
    id: 'handshake',
    text: 'a new TLS connection for each request; goals by CPU',
    goals: handshakeGoals(0.7),
    by: 'cpu',
    drive: (server, seconds) => driveHandshakes(server, 'new', seconds),
  },
  {
    id: 'resumed',
    text: 'a resumed TLS session for each request; goals by CPU',
    goals: handshakeGoals(0.95),
    by: 'cpu',
    drive: (server, seconds) => driveHandshakes(server, 'resume', seconds),
  },
];

/** The row of idle connections has no speed. */
export const IDLE_ROW = 'idle';
export const IDLE_CONNECTIONS = 10_000;
/**
 * HAProxy needs two descriptors for each connection, more than a shell allows as a rule; node:http2
 * is no measure.
 */
export const IDLE_SERVERS: readonly string[] = ['Waypost', 'nginx'];
