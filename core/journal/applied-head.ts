/**
 * The position of the applied state: sequence and hash of the last applied entry, in the meta
 * table.
 */
import type { Environment } from '../store/environment.ts';
import { NO_HASH } from './entry-codec.ts';

export interface Head {
  readonly sequence: number;
  readonly hash: Buffer;
}

const HEAD = Buffer.from('head');

/** 38 bytes: the sequence as u48, then the hash. */
export function encodeHead({ sequence, hash }: Head): Buffer {
  const value = Buffer.alloc(38);
  value.writeUIntBE(sequence, 0, 6);
  value.set(hash, 6);
  return value;
}

/** Throws Error for a damaged value. */
export function decodeHead(value: Buffer): Head {
  if (value.length !== 38) throw new Error('the head of the journal is damaged');
  return { sequence: value.readUIntBE(0, 6), hash: Buffer.from(value.subarray(6)) };
}

export function readHead(environment: Environment): Head {
  const value = environment.meta.get(HEAD);
  return value === undefined ? { sequence: 0, hash: NO_HASH } : decodeHead(value);
}

/** Inside a write transaction. */
export function writeHead(environment: Environment, head: Head): void {
  environment.meta.put(HEAD, encodeHead(head));
}
