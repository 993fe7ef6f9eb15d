/** What a store file is, without changing it. A daemon may use it meanwhile. */
import { existsSync, statSync } from 'node:fs';
import { FORMAT_KEY, openReadOnly } from '../environment.ts';

/** Formats of stores, and the first version of Waypost that reads each. */
export const FORMATS: readonly { readonly format: number; readonly since: string }[] = [
  { format: 1, since: '0.1.0' },
  { format: 2, since: '0.2.0' },
];

export interface StoreInfo {
  readonly format: number;
  /** Of the last change. */
  readonly sequence: number;
  /** Of the last write to the file, in milliseconds since 1970. */
  readonly writtenAt: number;
}

/** Null: there is no store. */
export async function readStoreInfo(path: string): Promise<StoreInfo | null> {
  if (!existsSync(path)) return null;
  const { root, table } = openReadOnly(path);
  try {
    const meta = table('meta');
    // Format 1 had no mark.
    const format = Number(meta?.get(FORMAT_KEY)?.toString() ?? 1);
    const head = meta?.get(Buffer.from('head'));
    return { format, sequence: head?.readUIntBE(0, 6) ?? 0, writtenAt: statSync(path).mtimeMs };
  } finally {
    await root.close();
  }
}

/** The format that a version reads: the newest one that it knows. */
export function formatOf(version: string): number {
  const number = numberOf(version);
  return FORMATS.filter(({ since }) => numberOf(since) <= number).at(-1)?.format ?? 0;
}

/** 0.2.0 is 2000: versions in their order. */
function numberOf(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number);
  return major * 1_000_000 + minor * 1000 + patch;
}
