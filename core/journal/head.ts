/** Where the applied state stands: sequence and hash of the last entry, in the meta table. */
import type { Environment } from '../store/environment.ts';
import { NO_HASH } from './changes.ts';

export interface Head {
  readonly sequence: number;
  readonly hash: Buffer;
}

const HEAD = Buffer.from('head');

export function readHead(environment: Environment): Head {
  const value = environment.meta.get(HEAD);
  if (value === undefined) return { sequence: 0, hash: NO_HASH };
  return { sequence: value.readUIntBE(0, 6), hash: Buffer.from(value.subarray(6, 38)) };
}

/** Inside a write transaction. */
export function writeHead(environment: Environment, head: Head): void {
  const value = Buffer.alloc(38);
  value.writeUIntBE(head.sequence, 0, 6);
  value.set(head.hash, 6);
  environment.meta.put(HEAD, value);
}
