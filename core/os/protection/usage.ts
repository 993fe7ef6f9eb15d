/** What this process uses of the machine, read from the kernel. */
import { readdirSync, readFileSync, statSync } from 'node:fs';

/**
 * Bytes of memory that only this process can free: anonymous and shared pages, also swapped ones.
 * Pages of the database file are left out, since the system takes them back by itself. Null: not
 * known on this system.
 */
export function ownMemory(): number | null {
  let status: string;
  try {
    status = readFileSync('/proc/self/status', 'latin1');
  } catch {
    return null;
  }
  let kilobytes = 0;
  let isKnown = false;
  for (const name of ['RssAnon', 'RssShmem', 'VmSwap']) {
    const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status);
    if (match === null) continue;
    isKnown ||= name === 'RssAnon';
    kilobytes += Number(match[1]);
  }
  return isKnown ? kilobytes * 1024 : null;
}

/** Open descriptors. Linux 6.2 and later counts them; before, they are listed. Null: not known. */
export function openDescriptors(): number | null {
  try {
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}

/** The limit of open descriptors (RLIMIT_NOFILE). Null: unlimited, or not known. */
export function descriptorLimit(): number | null {
  try {
    const match = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    return match === null ? null : Number(match[1]);
  } catch {
    return null;
  }
}
