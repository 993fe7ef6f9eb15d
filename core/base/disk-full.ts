/** A full disk: how errors of the system and of LMDB show it, and the error for clients. */
import { constants } from 'node:os';
import { UnavailableError } from './errors.ts';

const CODE = 'disk_full';
/** Of Node, by name, and of LMDB, by number. A quota is a disk of its own. */
const SYSTEM_CODES: ReadonlySet<unknown> = new Set([
  'ENOSPC',
  'EDQUOT',
  constants.errno.ENOSPC,
  constants.errno.EDQUOT,
]);

export const diskFull = (cause?: unknown): UnavailableError =>
  new UnavailableError(
    CODE,
    'The disk of this node is full, or almost, so it accepts no writes; use another node, or retry when the operators have freed space.',
    { cause },
  );

export const isDiskFull = (error: unknown): boolean => {
  const code = (error as { code?: unknown } | null)?.code;
  return code === CODE || SYSTEM_CODES.has(code);
};
