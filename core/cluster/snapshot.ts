/**
 * The whole store of one node, for another that cannot follow from where it is: copied into a file
 * next to the store, which is sent as it is, checked, and put in the place of the store at the next
 * start. A transfer that breaks off goes on where it was while the file is the same.
 */
import { createHash } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
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

/** Milliseconds for which a copy is kept for others, and for who comes back. */
const KEPT = 120_000;
const FRESH = 5000;
const SILENCE = 30_000;
const TRIES = 10;
const PAUSE = 1000;
export const STORE = 'waypost.mdb';
/** Of the response: the format of the store. */
const FORMAT_FIELD = 'waypost-store-format';
const COPY = 'snapshot.mdb';
export const PART = 'snapshot.part';
export const READY = 'snapshot.ready';
/** The store that was replaced last: should it have held what nobody else had, it is not gone. */
const BEFORE = 'waypost.mdb.replaced';

/**
 * A file that has no name any more, so that nothing of it is left when it is closed, however that
 * comes about.
 */
interface Copy {
  readonly file: FileHandle;
  readonly size: number;
  /** SHA-256, in hexadecimal. */
  readonly hash: string;
  /** When it was begun, in the time of performance.now(). */
  readonly began: number;
  readers: number;
}

/** Makes copies of the store of this node, and sends them. */
export class SnapshotSender {
  readonly #folder: string;
  readonly #backup: (path: string) => Promise<void>;
  readonly #fresh: number;
  /** The last; who reads an older one reads it to its end. */
  #copy: Copy | null = null;
  #making: Promise<Copy> | null = null;
  #timer: NodeJS.Timeout | undefined;

  /**
   * `backup` writes a copy of the store, as it is at one moment, to a path. `fresh`: milliseconds
   * for which a copy is given to who begins to read: a node with an older one might find that the
   * log does not reach back to it, and would come again for the same.
   */
  constructor(folder: string, backup: (path: string) => Promise<void>, fresh = FRESH) {
    this.#folder = folder;
    this.#backup = backup;
    this.#fresh = fresh;
    rmSync(join(folder, COPY), { force: true });
  }

  /**
   * Answers a GET. Rejects when the copy cannot be made, or the peer has gone; it may come back for
   * the rest.
   */
  async answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { 'if-range': wanted, range } = message.headers;
    const isRest = this.#copy !== null && wanted === etagOf(this.#copy);
    const copy = isRest ? (this.#copy as Copy) : await this.#freshCopy();
    copy.readers++;
    clearTimeout(this.#timer);
    try {
      const { file, size } = copy;
      const from = wanted === etagOf(copy) ? parseRangeStart(range, size) : 0;
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
      else if (copy.readers === 0) this.#timer = setTimeout(() => this.#let(), KEPT).unref();
    }
  }

  /** Resolves when no copy is being made any more. */
  async close(): Promise<void> {
    await this.#making?.catch(() => {});
    this.#let();
  }

  /** Lets the copy go. */
  #let(): void {
    clearTimeout(this.#timer);
    const copy = this.#copy;
    this.#copy = null;
    if (copy !== null) closeUnread(copy);
  }

  #freshCopy(): Promise<Copy> {
    if (this.#copy !== null && performance.now() - this.#copy.began < this.#fresh) return Promise.resolve(this.#copy);
    this.#making ??= this.#make().finally(() => {
      this.#making = null;
    });
    return this.#making;
  }

  async #make(): Promise<Copy> {
    const began = performance.now();
    const path = join(this.#folder, COPY);
    let file: FileHandle | undefined;
    try {
      await this.#backup(path);
      file = await open(path, 'r');
      const { size } = await file.stat();
      const hash = await hashOf(file);
      this.#let();
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
  /** Of the data. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, size: number) => void;
}

/**
 * Fetches the store of a peer, for `installSnapshot`. Rejects when that fails repeatedly, or the
 * file is damaged.
 */
export async function fetchSnapshot(options: FetchOptions): Promise<void> {
  const { member, tls, folder, signal } = options;
  const agent = peerAgent(member, tls, { connect: SILENCE, headers: 10 * SILENCE, body: SILENCE });
  const part = join(folder, PART);
  const file = await open(part, 'w+', 0o600);
  try {
    let have = { etag: '', done: 0 };
    for (let attempt = 1; ; attempt++) {
      const before = have.done;
      try {
        await receive(agent, options, file, have);
        break;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof OtherFormat) throw error;
        // As long as something comes, it is worth going on.
        if (have.done > before) attempt = 0;
        if (attempt >= TRIES) throw error;
        if (have.etag === '') have = { etag: '', done: 0 };
        await sleep(PAUSE, undefined, { signal });
      }
    }
    await file.sync();
    const hash = await hashOf(file);
    if (`"${hash}"` !== have.etag) throw new Error(`the snapshot from ${member.name} is damaged`);
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
  have: { etag: string; done: number },
): Promise<void> {
  const headers = have.done > 0 ? { range: `bytes=${have.done}-`, 'if-range': have.etag } : {};
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
    have.done = 0;
    await file.truncate(0);
  }
  have.etag = String(answer.headers.etag);
  const size = have.done + Number(answer.headers['content-length']);
  for await (const chunk of answer.body) {
    await writeAt(file, chunk as Buffer, have.done);
    have.done += (chunk as Buffer).length;
    onProgress(have.done, size);
  }
  if (have.done !== size) throw new Error('the connection closed early');
}

/**
 * A store of an earlier format is converted when it is opened; one of a later format could not be.
 * Versions that do not report it have format 2 or less. Throws OtherFormat.
 */
function checkFormat({ name, version }: Member, field: string | string[] | undefined): void {
  const own = Number(STORE_FORMAT.toString());
  const format = field === undefined ? own : Number(field);
  if (format <= own) return;
  throw new OtherFormat(
    `the store of ${name} has format ${field}, of version ${version}; this version reads format ${own}. Install the version of that node.`,
  );
}

/** The store of the peer is of no use here, however often it is fetched. */
class OtherFormat extends Error {}

/**
 * Puts a snapshot that is there whole in the place of the store, which must not be open, and is
 * kept next to it as `before`. False: there was none.
 */
export function installSnapshot(folder: string, before = BEFORE): boolean {
  const ready = join(folder, READY);
  // Of a transfer that was killed: the next one starts from the first byte.
  rmSync(join(folder, PART), { force: true });
  if (!existsSync(ready)) return false;
  if (existsSync(join(folder, STORE))) renameSync(join(folder, STORE), join(folder, before));
  // LMDB's table of readers is that of the old one.
  rmSync(join(folder, `${STORE}-lock`), { force: true });
  renameSync(ready, join(folder, STORE));
  return true;
}

async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of readChunks(file, 0)) hash.update(piece);
  return hash.digest('hex');
}
