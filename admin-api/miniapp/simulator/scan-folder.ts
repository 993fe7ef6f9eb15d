/** Lists the files of a package's folder, without the folders of editors and tools. */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

interface ScannedFile {
  readonly size: number;
  /** Changes whenever the file does. */
  readonly stamp: string;
}

export interface Scan {
  /** By path in the package. */
  readonly files: ReadonlyMap<string, ScannedFile>;
  /** Paths in the package; `''` is the package. */
  readonly folders: ReadonlySet<string>;
}

/** Files and folders; the audit reports packages that have more. */
const MOST_ENTRIES = 10_000;
const MOST_FOLDERS = 1000;
const isIgnored = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

/** Throws the system error if the folder cannot be read. Skips files deleted meanwhile. */
export function scanFolder(root: string): Scan {
  const files = new Map<string, ScannedFile>();
  const folders = new Set<string>();
  const waiting = [''];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    const entries = below === '' ? readdirSync(root, { withFileTypes: true }) : readIfThere(join(root, below));
    folders.add(below);
    for (const entry of entries) {
      if (isIgnored(entry.name) || files.size + folders.size >= MOST_ENTRIES) continue;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && folders.size + waiting.length < MOST_FOLDERS) waiting.push(path);
      const stat = entry.isFile() ? statSync(join(root, path), { throwIfNoEntry: false }) : undefined;
      if (stat?.isFile()) files.set(path, { size: stat.size, stamp: `${stat.mtimeMs} ${stat.size} ${stat.ino}` });
    }
  }
  return { files, folders };
}

function readIfThere(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

export function isSameScan(before: Scan, after: Scan): boolean {
  if (before.files.size !== after.files.size) return false;
  for (const [path, { stamp }] of after.files) if (before.files.get(path)?.stamp !== stamp) return false;
  return true;
}
