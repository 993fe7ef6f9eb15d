/**
 * The purges on disk: entries that lie there from before stay void after a restart. Lines of JSON, each behind its CRC-32 in hexadecimal digits. The first says to which cache it belongs,
 * then come, as they stood when the log was last made anew, the domains and the ids of their purges, then purges as they came. A log with any damage is no log, and without one nothing
 * that lies on the disk can be trusted not to have been purged.
 */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { CachePurge } from './cache-store.ts';
import type { DomainState, Purges } from './purges.ts';

/** What the first line says. */
export interface LogHead {
  /** Of the checksums of entries. */
  readonly secret: number;
  /** Processes that have opened it. */
  readonly session: number;
  /** Everything with a smaller mark is void. */
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

export interface ReadLog {
  readonly head: LogHead;
  /** Of purges that may be told again. */
  readonly ids: readonly string[];
}

const pathOf = (folder: string): string => join(folder, 'purges.log');

function lineOf(line: Line): string {
  const text = JSON.stringify(line);
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`;
}

/** Fills `purges`. Undefined: there is none, or it is damaged. */
export function readPurgeLog(folder: string, purges: Purges): ReadLog | undefined {
  try {
    const lines = readFileSync(pathOf(folder), 'utf8').split('\n');
    // What was being written when the process ended had been reported to nobody.
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

/** Makes the log anew, of what stands. Returns its bytes. Throws where the disk fails. */
export function writePurgeLog(folder: string, head: LogHead, purges: Purges, ids: readonly string[]): number {
  const lines = [lineOf({ head: { ...head, floor: Math.max(head.floor, purges.floor) } })];
  lines.push(lineOf({ ids }));
  for (const domain of purges.states()) lines.push(lineOf({ domain }));
  const text = lines.join('');
  writeFileSync(`${pathOf(folder)}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${pathOf(folder)}.new`, pathOf(folder));
  return text.length;
}

/** Returns the bytes that came to it. Throws where the disk fails. */
export function appendPurge(folder: string, sequence: number, purge: CachePurge, id: string | undefined): number {
  const line = lineOf({ sequence, id, purge });
  appendFileSync(pathOf(folder), line);
  return line.length;
}

/** What was appended is there after a loss of power. */
export async function syncPurgeLog(folder: string): Promise<void> {
  const file = await open(pathOf(folder), 'r');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
