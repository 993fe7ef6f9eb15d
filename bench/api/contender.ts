/**
 * What is measured: a nameserver whose zones can be read and changed over HTTP, on its own loopback
 * port.
 */
import type { ServerProcess } from '../dns/process.ts';
import type { Plan } from './plan.ts';

/** A request with what a right answer to it looks like. */
export interface Call extends Pick<Plan, 'status' | 'contains'> {
  readonly text: string;
}

export interface Contender {
  readonly name: string;
  readonly process: ServerProcess;
  readonly port: number;
  /** What the header X-API-Key has. */
  readonly key: string;
  /** Makes a zone with `hosts` A records, `h0` to the last, next to what every zone has here. */
  addZone(zone: string, hosts: number): Promise<void>;
  /** All records of a zone. */
  list(zone: string): Call;
  /** What there is to say of a zone without its records. */
  read(zone: string): Call;
  /** A new A record at a name that the generator makes. */
  create(zone: string): Call;
}

/** Records of the zones that are listed, those that a server adds by itself included. */
export const LISTED = 100;

/** Of host i, below 131,072: in 198.18.0.0/15, which is for benchmarks (RFC 2544). */
export const hostAddress = (i: number): string => `198.${18 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`;
