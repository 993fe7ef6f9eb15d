/**
 * The log of purges on disk, which keeps older entries void after a restart. A line is JSON after
 * its CRC-32 in hexadecimal. The first line identifies the cache. The next lines are the ids of
 * purges and the state of each domain at the last rewrite. Later purges follow in order. A damaged
 * log is not used. Without a log, any entry on disk may have been purged, so all are ignored.
 */
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { appendFileSync, replaceFileSync } from '../../../core/base/write-file.ts';
import type { CachePurge } from './cache-store.ts';
import type { DomainState, Purges } from './purges.ts';

/** The content of the first line. */
export interface LogHead {
  /** The key of the checksums of entries. */
  readonly secret: number;
  /** Number of earlier processes that have opened the cache. */
  readonly session: number;
  /** Entries with a smaller mark are void. */
  readonly floor: number;
}

interface PurgeLine {
  readonly sequence: number;
  readonly id: string | undefined;
  readonly purge: CachePurge;
}

type Line =
  | { readonly head: LogHead }
  | { readonly ids: readonly string[] }
  | { readonly domain: DomainState }
  | PurgeLine;

interface ReadLog {
  readonly head: LogHead;
  /** Ids of recent purges, to ignore a purge that arrives again. */
  readonly ids: readonly string[];
}

const pathOf = (folder: string): string => join(folder, 'purges.log');

function lineOf(line: Line): string {
  const text = JSON.stringify(line);
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`;
}

/** Fills `purges`. Undefined: no log, or a damaged one. */
export function readPurgeLog(folder: string, purges: Purges): ReadLog | undefined {
  try {
    const lines = readFileSync(pathOf(folder), 'utf8').split('\n');
    // The last line is incomplete if the process died while writing it; that purge was never
    // acknowledged.
    lines.pop();
    let head: LogHead | undefined;
    const ids: string[] = [];
    for (const text of lines) {
      if (crc32(text.slice(9)) !== Number.parseInt(text.slice(0, 8), 16)) return undefined;
      const line = JSON.parse(text.slice(9)) as Line;
      if ('head' in line) head = line.head;
      else if ('ids' in line) ids.push(...line.ids);
      else if ('domain' in line) purges.restore(line.domain);
      else {
        purges.add(line.purge, line.sequence);
        if (line.id !== undefined) ids.push(line.id);
      }
    }
    if (head !== undefined) purges.raiseFloor(head.floor);
    return head && { head, ids };
  } catch {
    return undefined;
  }
}

/** Rewrites the log from the current state. Returns its length. Throws when the disk fails. */
export function writePurgeLog(folder: string, head: LogHead, purges: Purges, ids: readonly string[]): number {
  const lines = [lineOf({ head: { ...head, floor: Math.max(head.floor, purges.floor) } })];
  lines.push(lineOf({ ids }));
  for (const domain of purges.states()) lines.push(lineOf({ domain }));
  const text = lines.join('');
  replaceFileSync(pathOf(folder), text, { mode: 0o600, flush: true });
  return text.length;
}

/** Returns the number of appended bytes. Throws when the disk fails. */
export function appendPurge(folder: string, sequence: number, purge: CachePurge, id: string | undefined): number {
  const line = lineOf({ sequence, id, purge });
  appendFileSync(pathOf(folder), line);
  return line.length;
}

/** Resolves when appended purges survive a power failure. */
export async function syncPurgeLog(folder: string): Promise<void> {
  const file = await open(pathOf(folder), 'r');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
