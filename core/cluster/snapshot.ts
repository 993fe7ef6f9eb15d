/**
 * The whole store of one node, for another that can't follow from where it is: copied into a file beside the store, which is sent as it is, checked, and put in the place of the store
 * at the next start. A transfer that breaks off goes on where it was while the file is the same.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Member } from './membership.ts';
import type { PeerTls } from './peer-server.ts';

/** Milliseconds for which a copy is kept for others, and for who comes back. */
const KEPT = 120_000;
const SILENCE = 30_000;
const TRIES = 10;
const PAUSE = 1000;
const STORE = 'waypost.mdb';
const COPY = 'snapshot.mdb';
const PART = 'snapshot.part';
const READY = 'snapshot.ready';
/** The store that was replaced last: should it have held what nobody else had, it is not gone. */
const BEFORE = 'waypost.mdb.replaced';

interface Copy {
  readonly size: number;
  /** SHA-256, in hexadecimal. */
  readonly hash: string;
}

/** Makes copies of the store of this node, and sends them. */
export class SnapshotSender {
  readonly #folder: string;
  readonly #backup: (path: string) => Promise<void>;
  #copy: Promise<Copy> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #readers = 0;

  /** `backup` writes a copy of the store, as it is at one moment, to a path. */
  constructor(folder: string, backup: (path: string) => Promise<void>) {
    this.#folder = folder;
    this.#backup = backup;
    rmSync(join(folder, COPY), { force: true });
  }

  /** Answers a GET. Rejects when the copy can't be made, or the peer has gone. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#readers++;
    clearTimeout(this.#timer);
    try {
      this.#copy ??= this.#make();
      const { size, hash } = await this.#copy;
      const etag = `"${hash}"`;
      const from = request.headers['if-range'] === etag ? startOf(request.headers.range, size) : 0;
      response.writeHead(from > 0 ? 206 : 200, {
        'content-type': 'application/octet-stream',
        'content-length': size - from,
        etag,
        ...(from > 0 && { 'content-range': `bytes ${from}-${size - 1}/${size}` }),
      });
      await pipeline(createReadStream(join(this.#folder, COPY), { start: from }), response);
    } catch (error) {
      if (this.#readers === 1) this.close();
      throw error;
    } finally {
      this.#readers--;
      if (this.#readers === 0) this.#timer = setTimeout(() => this.close(), KEPT).unref();
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#copy = null;
    rmSync(join(this.#folder, COPY), { force: true });
  }

  async #make(): Promise<Copy> {
    const path = join(this.#folder, COPY);
    rmSync(path, { force: true });
    try {
      await this.#backup(path);
      return { size: statSync(path).size, hash: await hashOf(path) };
    } catch (error) {
      this.#copy = null;
      throw error;
    }
  }
}

/** Of a range to the end (RFC 9110 section 14.1.2), which is all that a peer asks for; 0: the whole. */
function startOf(range: string | undefined, size: number): number {
  const from = Number(/^bytes=(\d{1,15})-$/.exec(range ?? '')?.[1] ?? 0);
  return from < size ? from : 0;
}

export interface FetchOptions {
  readonly member: Member;
  readonly tls: PeerTls;
  /** Of the data. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, size: number) => void;
}

/** Fetches the store of a peer, for `installSnapshot`. Rejects when that fails again and again, or what came is damaged. */
export async function fetchSnapshot(options: FetchOptions): Promise<void> {
  const { member, tls, folder, signal } = options;
  const agent = new Agent({
    connect: { ca: tls.ca, cert: tls.certificate, key: tls.key, servername: member.name, timeout: SILENCE },
    headersTimeout: 10 * SILENCE,
    bodyTimeout: SILENCE,
  });
  const part = join(folder, PART);
  const file = await open(part, 'w', 0o600);
  try {
    let have = { etag: '', done: 0 };
    for (let attempt = 1; ; attempt++) {
      const before = have.done;
      try {
        await receive(agent, options, file, have);
        break;
      } catch (error) {
        signal.throwIfAborted();
        // As long as something comes, it is worth going on.
        if (have.done > before) attempt = 0;
        if (attempt >= TRIES) throw error;
        if (have.etag === '') have = { etag: '', done: 0 };
        await sleep(PAUSE, undefined, { signal });
      }
    }
    await file.sync();
    const hash = await hashOf(part);
    if (`"${hash}"` !== have.etag) throw new Error(`the snapshot of ${member.name} came damaged`);
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
  const answer = await request(`https://${member.address}/v1/snapshot`, { dispatcher, signal, headers });
  if (answer.statusCode !== 200 && answer.statusCode !== 206)
    throw new Error(`${member.name} gave no snapshot: status ${answer.statusCode}`);
  if (answer.statusCode === 200) {
    have.done = 0;
    await file.truncate(0);
  }
  have.etag = String(answer.headers.etag);
  const size = have.done + Number(answer.headers['content-length']);
  for await (const chunk of answer.body) {
    const { bytesWritten } = await file.write(chunk as Buffer, 0, (chunk as Buffer).length, have.done);
    have.done += bytesWritten;
    onProgress(have.done, size);
  }
  if (have.done !== size) throw new Error('the connection ended');
}

/** Puts a snapshot that was fetched in the place of the store, which must not be open, and is kept beside it. False: there was none. */
export function installSnapshot(folder: string): boolean {
  const ready = join(folder, READY);
  if (!existsSync(ready)) return false;
  if (existsSync(join(folder, STORE))) renameSync(join(folder, STORE), join(folder, BEFORE));
  // LMDB's table of readers is that of the old one.
  rmSync(join(folder, `${STORE}-lock`), { force: true });
  renameSync(ready, join(folder, STORE));
  return true;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
