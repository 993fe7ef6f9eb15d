/**
 * Reports changes of a package's folder. Each folder has its own watcher, because recursive
 * watching would include node_modules. Events only trigger a scan: editors save in different
 * ways: in place, by rename, or by a copy of the old file.
 */
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { isSameScan, type Scan, scanFolder } from './scan-folder.ts';

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
