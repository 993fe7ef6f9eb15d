/**
 * Reads format and position of a store file without changing it. A daemon may use it at the same
 * time.
 */
import { existsSync, statSync } from 'node:fs';
import { FORMAT_KEY, openReadOnly } from '../environment.ts';
import { FIRST_LEVEL, readStoreLevel } from '../level.ts';

/** Store formats, and the first version of Waypost that uses each. */
export const FORMATS: readonly { readonly format: number; readonly since: string }[] = [
  { format: 1, since: '0.1.0' },
  { format: 2, since: '0.2.0' },
];

export interface StoreInfo {
  readonly format: number;
  /** The highest feature level of its rows (core/store/level.ts). */
  readonly level: number;
  /** Sequence of the last change. */
  readonly sequence: number;
  /** Time of the last write to the file, in milliseconds since 1970. */
  readonly writtenAt: number;
}

/** Null: there is no store. */
export async function readStoreInfo(path: string): Promise<StoreInfo | null> {
  if (!existsSync(path)) return null;
  const { root, table } = openReadOnly(path);
  try {
    const meta = table('meta');
    // Format 1 had no format key.
    const format = Number(meta?.get(FORMAT_KEY)?.toString() ?? 1);
    const head = meta?.get(Buffer.from('head'));
    const level = meta === undefined ? FIRST_LEVEL : readStoreLevel(meta);
    return { format, level, sequence: head?.readUIntBE(0, 6) ?? 0, writtenAt: statSync(path).mtimeMs };
  } finally {
    await root.close();
  }
}

/** The format that a version uses: the newest one it supports. */
export function formatOf(version: string): number {
  const number = versionNumber(version);
  return FORMATS.filter(({ since }) => versionNumber(since) <= number).at(-1)?.format ?? 0;
}

/** Maps versions to ordered numbers: 0.2.0 is 2000. */
export function versionNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number);
  return major * 1_000_000 + minor * 1000 + patch;
}
