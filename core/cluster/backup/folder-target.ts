/** Backups in a folder: a file is written under another name, synced, then renamed. */
import { existsSync, readdirSync } from 'node:fs';
import { open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StateError } from '../../base/errors.ts';
import { readChunks, writeAt } from '../../base/file-pieces.ts';
import { syncFolder } from '../../base/private-file.ts';
import { makeFolder } from '../../store/folder.ts';
import type { StoredFile, Target } from './target.ts';

/** Suffix of files that are being written. */
const PART = '.part';
/** Age in milliseconds at which such a file is abandoned. */
const ABANDONED_MS = 24 * 3_600_000;

export class FolderTarget implements Target {
  readonly description: string;

  constructor(private readonly folder: string) {
    this.description = folder;
  }

  /** Path of a file. */
  path(name: string): string {
    return join(this.folder, name);
  }

  async list(prefix: string): Promise<StoredFile[]> {
    const slash = prefix.lastIndexOf('/') + 1;
    const folder = join(this.folder, prefix.slice(0, slash));
    if (!existsSync(folder)) return [];
    const files: StoredFile[] = [];
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const name = `${prefix.slice(0, slash)}${entry.name}`;
      if (!entry.isFile() || !name.startsWith(prefix) || name.endsWith(PART)) continue;
      const found = await stat(join(this.folder, name)).catch(() => null);
      if (found !== null) files.push({ name, size: found.size });
    }
    return files.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async write(name: string, source: AsyncIterable<Uint8Array>): Promise<number> {
    const path = this.path(name);
    const part = `${path}.${process.pid}${PART}`;
    makeFolder(dirname(path));
    const file = await open(part, 'w', 0o600);
    try {
      let size = 0;
      for await (const piece of source) {
        await writeAt(file, piece, size);
        size += piece.length;
      }
      await file.sync();
      await rename(part, path);
      syncFolder(dirname(path));
      return size;
    } finally {
      await file.close();
      await rm(part, { force: true });
    }
  }

  async *read(name: string): AsyncGenerator<Uint8Array> {
    const file = await open(this.path(name), 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new StateError('backup_missing', `${this.path(name)} does not exist.`);
    });
    try {
      yield* readChunks(file, 0);
    } finally {
      await file.close();
    }
  }

  async delete(name: string): Promise<void> {
    await rm(this.path(name), { force: true });
  }

  async cleanUp(): Promise<void> {
    for (const folder of [this.folder, join(this.folder, 'journal')])
      for (const name of await readdir(folder).catch(() => [])) {
        if (!name.endsWith(PART)) continue;
        const { mtimeMs } = await stat(join(folder, name));
        if (Date.now() - mtimeMs > ABANDONED_MS) await rm(join(folder, name), { force: true });
      }
  }

  async freeBytes(): Promise<number | null> {
    makeFolder(this.folder);
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize;
  }
}
