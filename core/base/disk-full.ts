/** Detects a full disk from errors of the system and of LMDB, and creates the client's error. */
import { constants } from 'node:os';
import { UnavailableError } from './errors.ts';

const CODE = 'disk_full';
/** Codes of Node.js (names) and of LMDB (numbers). An exceeded quota counts as a full disk. */
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
