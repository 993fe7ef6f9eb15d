/**
 * Sends the store of this node to a node that is too far behind to follow the log. The store is
 * copied to a file next to it, sent, checked, and installed at the next start of the receiver. An
 * interrupted transfer resumes while the sender still has the same copy.
 */
import { createHash } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from 'undici';
import { parseRangeStart, readChunks, writeAt } from '../base/file-pieces.ts';
import { STORE_FORMAT } from '../store/environment.ts';
import type { Member } from './members.ts';
import { peerAgent } from './peer-agent.ts';
import type { PeerTls } from './peer-tls.ts';
import { PART, READY } from './received-snapshot.ts';

/** Milliseconds for which a copy without readers is kept, for other nodes and resumed transfers. */
const KEEP_MS = 120_000;
const FRESH_MS = 5000;
const SILENCE_MS = 30_000;
const MAX_ATTEMPTS = 10;
const RETRY_MS = 1000;
/** Response header field with the format of the store. */
const FORMAT_FIELD = 'waypost-store-format';
const COPY = 'snapshot.mdb';

/** An unlinked open file: closing it, even by a crash, frees its disk space. */
interface Copy {
  readonly file: FileHandle;
  readonly size: number;
  /** SHA-256, in hexadecimal. */
  readonly hash: string;
  /** When the copy was started, by performance.now(). */
  readonly began: number;
  readers: number;
}

/** Creates copies of the store of this node, and sends them. */
export class SnapshotSender {
  readonly #fresh: number;
  /** The latest copy. Readers of an older copy read it to its end. */
  #copy: Copy | null = null;
  #pendingCopy: Promise<Copy> | null = null;
  #timer: NodeJS.Timeout | undefined;

  /**
   * `backup` writes a consistent copy of the store to a path. `fresh`: milliseconds for which a
   * copy is offered to new readers. The log may no longer reach back to an older copy, so its
   * reader would have to fetch again.
   */
  constructor(
    private readonly folder: string,
    private readonly backup: (path: string) => Promise<void>,
    fresh = FRESH_MS,
  ) {
    this.#fresh = fresh;
    rmSync(join(folder, COPY), { force: true });
  }

  /**
   * Answers a GET. Rejects if the copy cannot be created, or the peer has closed the connection;
   * the peer may request the rest later.
   */
  async answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { 'if-range': ifRange, range } = message.headers;
    const isResumed = this.#copy !== null && ifRange === etagOf(this.#copy);
    const copy = isResumed ? (this.#copy as Copy) : await this.#freshCopy();
    copy.readers++;
    clearTimeout(this.#timer);
    try {
      const { file, size } = copy;
      const from = ifRange === etagOf(copy) ? parseRangeStart(range, size) : 0;
      response.writeHead(from > 0 ? 206 : 200, {
        'content-type': 'application/octet-stream',
        'content-length': size - from,
        etag: etagOf(copy),
        [FORMAT_FIELD]: STORE_FORMAT.toString(),
        ...(from > 0 && { 'content-range': `bytes ${from}-${size - 1}/${size}` }),
      });
      await pipeline(readChunks(file, from), response);
    } finally {
      copy.readers--;
      if (copy !== this.#copy) closeUnread(copy);
      else if (copy.readers === 0) this.#timer = setTimeout(() => this.#releaseCopy(), KEEP_MS).unref();
    }
  }

  /** Resolves when no copy is being created. */
  async close(): Promise<void> {
    await this.#pendingCopy?.catch(() => {});
    this.#releaseCopy();
  }

  /** Releases the copy. */
  #releaseCopy(): void {
    clearTimeout(this.#timer);
    const copy = this.#copy;
    this.#copy = null;
    if (copy !== null) closeUnread(copy);
  }

  #freshCopy(): Promise<Copy> {
    if (this.#copy !== null && performance.now() - this.#copy.began < this.#fresh) return Promise.resolve(this.#copy);
    this.#pendingCopy ??= this.#createCopy().finally(() => {
      this.#pendingCopy = null;
    });
    return this.#pendingCopy;
  }

  async #createCopy(): Promise<Copy> {
    const began = performance.now();
    const path = join(this.folder, COPY);
    let file: FileHandle | undefined;
    try {
      await this.backup(path);
      file = await open(path, 'r');
      const { size } = await file.stat();
      const hash = await hashOf(file);
      this.#releaseCopy();
      this.#copy = { file, size, hash, began, readers: 0 };
      return this.#copy;
    } catch (error) {
      await file?.close();
      throw error;
    } finally {
      rmSync(path, { force: true });
    }
  }
}

const etagOf = ({ hash }: Copy): string => `"${hash}"`;

function closeUnread(copy: Copy): void {
  if (copy.readers === 0) copy.file.close().catch(() => {});
}

interface FetchOptions {
  readonly member: Member;
  readonly tls: PeerTls;
  /** The data folder. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, size: number) => void;
}

/**
 * Fetches the store of a peer for `installSnapshot`. Rejects if every retry fails, or the file is
 * damaged.
 */
export async function fetchSnapshot(options: FetchOptions): Promise<void> {
  const { member, tls, folder, signal } = options;
  const agent = peerAgent(member, tls, { connect: SILENCE_MS, headers: 10 * SILENCE_MS, body: SILENCE_MS });
  const part = join(folder, PART);
  const file = await open(part, 'w+', 0o600);
  try {
    let progress = { etag: '', done: 0 };
    for (let attempt = 1; ; attempt++) {
      const before = progress.done;
      try {
        await receive(agent, options, file, progress);
        break;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof OtherFormat) throw error;
        // Retries are unlimited while the transfer makes progress.
        if (progress.done > before) attempt = 0;
        if (attempt >= MAX_ATTEMPTS) throw error;
        if (progress.etag === '') progress = { etag: '', done: 0 };
        await sleep(RETRY_MS, undefined, { signal });
      }
    }
    await file.sync();
    const hash = await hashOf(file);
    if (`"${hash}"` !== progress.etag) throw new Error(`the snapshot from ${member.name} is damaged`);
    renameSync(part, join(folder, READY));
  } finally {
    await file.close();
    rmSync(part, { force: true });
    await agent.destroy();
  }
}

async function receive(
  dispatcher: Agent,
  { member, signal, onProgress }: FetchOptions,
  file: FileHandle,
  progress: { etag: string; done: number },
): Promise<void> {
  const headers = progress.done > 0 ? { range: `bytes=${progress.done}-`, 'if-range': progress.etag } : {};
  const answer = await dispatcher.request({
    origin: `https://${member.address}`,
    path: '/v1/snapshot',
    method: 'GET',
    signal,
    headers,
  });
  if (answer.statusCode !== 200 && answer.statusCode !== 206)
    throw new Error(`${member.name} returned no snapshot: status ${answer.statusCode}`);
  checkFormat(member, answer.headers[FORMAT_FIELD]);
  if (answer.statusCode === 200) {
    progress.done = 0;
    await file.truncate(0);
  }
  progress.etag = String(answer.headers.etag);
  const size = progress.done + Number(answer.headers['content-length']);
  for await (const chunk of answer.body) {
    await writeAt(file, chunk as Buffer, progress.done);
    progress.done += (chunk as Buffer).length;
    onProgress(progress.done, size);
  }
  if (progress.done !== size) throw new Error('the connection closed early');
}

/**
 * A store of an earlier format is converted when it is opened; a later format is not readable.
 * Versions that do not report the format have format 2 or less. Throws OtherFormat.
 */
function checkFormat({ name, version }: Member, field: string | string[] | undefined): void {
  const own = Number(STORE_FORMAT.toString());
  const format = field === undefined ? own : Number(field);
  if (format <= own) return;
  throw new OtherFormat(
    `the store of ${name} has format ${field}, of version ${version}; this version reads format ${own}. Install the version of that node.`,
  );
}

/** The store of the peer is not readable by this version; a retry would not help. */
class OtherFormat extends Error {}

async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of readChunks(file, 0)) hash.update(piece);
  return hash.digest('hex');
}
