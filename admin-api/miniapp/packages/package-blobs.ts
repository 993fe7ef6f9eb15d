/**
 * Stores the package files on every node while they are needed, because any node may audit, show or
 * publish a package.
 */

import type { Stats } from 'node:fs';
import { UnavailableError } from '../../../core/base/errors.ts';
import { readChunks } from '../../../core/base/file-pieces.ts';
import { RecentMap } from '../../../core/base/recent-map.ts';
import type { Task } from '../../../core/base/tasks.ts';
import type { BlobSource, BlobStore, OpenBlob } from '../../../core/cluster/blobs/store.ts';
import { neededBlobs } from '../../../core/store/package-reads.ts';
import type { Services } from '../../change/services.ts';

/** Milliseconds between two clean-ups. */
const INTERVAL = 60_000;
/** Milliseconds for which an unreferenced file is kept, because its row may not be applied yet. */
const GRACE = 3_600_000;

/** Files whose content was verified. */
const MAX_VERIFIED = 10_000;
/** Bytes in memory for each client that downloads. */
const SENT_CHUNK = 64 << 10;

/** Changes with the content of a file. */
const identityOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => `${ino} ${size} ${mtimeMs} ${ctimeMs}`;

export class PackageBlobs {
  readonly #task: Task;
  /** By hash, the identity of the file. */
  readonly #verified = new RecentMap<string>(MAX_VERIFIED);
  readonly #verifying = new Map<string, Promise<{ readonly size: number }>>();

  constructor(
    private readonly services: Services,
    private readonly source: BlobSource,
  ) {
    this.#task = services.tasks.add({
      name: 'package-files',
      owner: 'node',
      due: INTERVAL,
      log: services.log,
      messages: ['cannot delete unused packages; retrying', 'unused packages are deleted again'],
      run: () => this.tidy(),
    });
  }

  get store(): BlobStore {
    return this.source.store;
  }

  /** Like BlobSource, but throws UnavailableError `package_unavailable`. */
  async open(hash: string): Promise<OpenBlob> {
    const blob = await this.source.open(hash);
    if (blob !== null) return blob;
    throw new UnavailableError('package_unavailable', 'No reachable node has the package at the moment; retry later.');
  }

  /**
   * The size of a complete and verified file. Remembers the result as long as the file is the same:
   * anybody can download it, and each download would read it twice. Throws the error of `open`.
   */
  async verified(hash: string): Promise<{ readonly size: number }> {
    const running = this.#verifying.get(hash);
    if (running !== undefined) return running;
    const verifying = this.#verify(hash).finally(() => this.#verifying.delete(hash));
    this.#verifying.set(hash, verifying);
    return verifying;
  }

  async #verify(hash: string): Promise<{ readonly size: number }> {
    const here = await this.store.openUnchecked(hash);
    if (here !== null) {
      const isSame = identityOf(await here.file.stat()) === this.#verified.get(hash);
      await here.file.close();
      if (isSame) return { size: here.size };
    }
    const { file, size } = await this.open(hash);
    try {
      this.#verified.set(hash, identityOf(await file.stat()));
      return { size };
    } finally {
      await file.close();
    }
  }

  /** The path of the complete and verified file. Throws the error of `open`. */
  async fetch(hash: string): Promise<string> {
    const { file } = await this.open(hash);
    await file.close();
    return this.store.path(hash);
  }

  /**
   * Reads a fetched or verified file, or a part of it. Opens it on the first read, so that an
   * unread response leaves nothing open.
   */
  async *content(hash: string, from = 0, to?: number): AsyncGenerator<Uint8Array> {
    const { file } = (await this.store.openUnchecked(hash)) ?? (await this.open(hash));
    try {
      yield* readChunks(file, from, to, SENT_CHUNK);
    } finally {
      await file.close();
    }
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Fetches needed files that are missing, and deletes unused ones. `before`: see BlobStore. */
  async tidy(before = Date.now() - GRACE): Promise<void> {
    const needed = await neededBlobs(this.services.reader);
    await this.store.collect((hash) => needed.has(hash), before);
    for (const hash of needed) {
      if (this.#task.isStopped) return;
      if (await this.store.has(hash)) continue;
      await (await this.source.open(hash))?.file.close();
    }
  }
}
