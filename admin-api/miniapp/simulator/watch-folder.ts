/**
 * Reports changes of a package's folder. Each folder has its own watcher, because recursive
 * watching would include node_modules. Events only trigger a scan: editors save in different
 * ways: in place, by rename, or by a copy of the old file.
 */
import { type Dirent, type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Files and folders; the audit reports packages that have more. */
const MOST_ENTRIES = 10_000;
const MOST_FOLDERS = 1000;

/** Milliseconds to batch the events of one save into one change. */
const DEBOUNCE_MS = 25;
/** Poll interval, for file systems without events, such as in some virtual machines. */
const POLL_MS = 2000;

export class FolderWatcher {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #poll: NodeJS.Timeout;
  #scan: Scan;
  #timer: NodeJS.Timeout | undefined;

  /** Throws the system error if the folder cannot be read. */
  constructor(
    private readonly root: string,
    private readonly onChange: (scan: Scan) => void,
  ) {
    this.#scan = scanFolder(root);
    this.#watchFolders();
    this.#poll = setInterval(() => this.#check(), POLL_MS).unref();
  }

  get scan(): Scan {
    return this.#scan;
  }

  close(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#poll);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#check(), DEBOUNCE_MS);
  }

  #check(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    let scan: Scan;
    try {
      scan = scanFolder(this.root);
    } catch {
      // The folder is being replaced, as by a checkout; the next poll finds it.
      return;
    }
    const isSame = isSameScan(this.#scan, scan);
    this.#scan = scan;
    this.#watchFolders();
    if (!isSame) this.onChange(scan);
  }

  #watchFolders(): void {
    for (const [path, watcher] of this.#watchers)
      if (!this.#scan.folders.has(path)) {
        watcher.close();
        this.#watchers.delete(path);
      }
    for (const path of this.#scan.folders) {
      if (this.#watchers.has(path)) continue;
      try {
        const watcher = watch(join(this.root, path), () => this.#schedule());
        // The folder was deleted, or there are too many watchers. Polling continues.
        watcher.on('error', () => {
          watcher.close();
          this.#watchers.delete(path);
        });
        this.#watchers.set(path, watcher);
      } catch {
        // As above.
      }
    }
  }
}

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

const isIgnored = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

/**
 * Lists the files of a package's folder, without the folders of editors and tools. Throws the
 * system error if the folder cannot be read. Skips files deleted meanwhile.
 */
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
