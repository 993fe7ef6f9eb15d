/**
 * Backups in a bucket of an S3-compatible service. A large file is a multipart upload, which is
 * invisible until it is complete. Each part has its MD5, which the service verifies. Requests are
 * retried after an error of the network or the service.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { S3mini as Client, UploadPart } from 's3mini';
import { Agent } from 'undici';
import { StateError } from '../../base/errors.ts';
import { openS3Client, type S3Options, s3Fault, s3Status } from '../../net/delivery/s3-client.ts';
import type { StoredFile, Target } from './target.ts';

interface S3TargetOptions extends Omit<S3Options, 'dispatcher'> {
  readonly prefix: string;
  /** Milliseconds before the first retry of a request. */
  readonly firstRetry?: number;
  /** Bytes of a part, and of a range that is read; S3 requires at least 5 MB. */
  readonly partSize?: number;
}

const MB = 1 << 20;
const PART_BYTES = 8 * MB;
/** S3 allows 10,000 parts. The size is known only approximately in advance. */
const MAX_PARTS = 8000;
const MAX_ATTEMPTS = 5;
const FIRST_RETRY_MS = 500;

export class S3Target implements Target {
  readonly description: string;
  readonly #prefix: string;
  readonly #firstRetry: number;
  readonly #partSize: number;

  static async open(options: S3TargetOptions): Promise<S3Target> {
    const { timeout } = options;
    const dispatcher = new Agent({ connect: { timeout }, headersTimeout: timeout, bodyTimeout: timeout });
    return new S3Target(await openS3Client({ ...options, dispatcher }), options);
  }

  private constructor(
    private readonly client: Client,
    { bucket, prefix, firstRetry = FIRST_RETRY_MS, partSize = PART_BYTES }: S3TargetOptions,
  ) {
    this.#prefix = prefix;
    this.#firstRetry = firstRetry;
    this.#partSize = partSize;
    this.description = `s3://${bucket}/${prefix}`;
  }

  async list(prefix: string): Promise<StoredFile[]> {
    const objects = await this.#retry('list objects', () => this.client.listObjects('/', this.#prefix + prefix));
    if (objects === null) throw new StateError('no_bucket', `The bucket of ${this.description} does not exist.`);
    const depth = prefix.split('/').length;
    return objects
      .map(({ Key, Size }) => ({ name: Key.slice(this.#prefix.length), size: Number(Size) }))
      .filter(({ name }) => name.split('/').length === depth)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async write(name: string, source: AsyncIterable<Uint8Array>, size: number): Promise<number> {
    const parts = partsOf(source, Math.max(this.#partSize, Math.ceil(size / MAX_PARTS)))[Symbol.asyncIterator]();
    const first = await parts.next();
    const second = first.done ? first : await parts.next();
    const key = this.#prefix + name;
    const body = first.done ? Buffer.alloc(0) : first.value;
    if (second.done) {
      await this.#retry(`write ${name}`, () => this.client.putObject(key, body, TYPE, undefined, withMd5(body)));
      return this.#checkSize(name, body.length);
    }
    const upload = await this.#retry(`begin ${name}`, () => this.client.getMultipartUploadId(key, TYPE));
    try {
      const done: UploadPart[] = [];
      let total = 0;
      const send = async (part: Buffer): Promise<void> => {
        const number = done.length + 1;
        const what = `write part ${number} of ${name}`;
        done.push(
          await this.#retry(what, () =>
            this.client.uploadPart(key, upload, part, number, {}, undefined, withMd5(part)),
          ),
        );
        total += part.length;
      };
      await send(body);
      await send(second.value);
      for (let next = await parts.next(); !next.done; next = await parts.next()) await send(next.value);
      await this.#complete(name, key, upload, done, total);
      return total;
    } catch (error) {
      await this.client.abortMultipartUpload(key, upload).catch(() => {});
      throw error;
    }
  }

  /** If the response was lost, the object exists and the upload does not. */
  async #complete(name: string, key: string, upload: string, parts: UploadPart[], size: number): Promise<void> {
    await this.#retry(`complete ${name}`, async () => {
      try {
        await this.client.completeMultipartUpload(key, upload, parts);
      } catch (error) {
        if (!/NoSuchUpload|404/.test(String(error))) throw error;
      }
      await this.#checkSize(name, size);
    });
  }

  /** Rejects if the stored object has a different size. */
  async #checkSize(name: string, size: number): Promise<number> {
    const found = await this.#retry(`check ${name}`, () => this.client.getContentLength(this.#prefix + name));
    if (found !== size) throw new Error(`${this.description}${name} has ${found} of ${size} bytes after the upload`);
    return size;
  }

  /**
   * Reads in ranges, so that a failed request is retried alone. Fetches the next range in advance.
   */
  async *read(name: string, size: number): AsyncGenerator<Uint8Array> {
    const fetchFrom = (from: number): Promise<Buffer> => {
      const to = Math.min(size, from + this.#partSize);
      const fetched = this.#retry(`read ${name}`, async () => {
        const response = await this.client.getObjectRaw(this.#prefix + name, false, from, to);
        const bytes = Buffer.from(await response.arrayBuffer());
        if (bytes.length !== to - from)
          throw new TruncatedResponse(`the response has ${bytes.length} of ${to - from} bytes`);
        return bytes;
      });
      fetched.catch(() => {});
      return fetched;
    };
    let next: Promise<Buffer> | null = size > 0 ? fetchFrom(0) : null;
    for (let at = 0; next !== null; ) {
      const bytes = await next;
      at += bytes.length;
      next = at < size ? fetchFrom(at) : null;
      yield bytes;
    }
  }

  async delete(name: string): Promise<void> {
    await this.#retry(`delete ${name}`, async () => {
      try {
        await this.client.deleteObject(this.#prefix + name);
      } catch (error) {
        if (s3Status(error) !== 404) throw error;
      }
    });
  }

  /**
   * The service keeps the parts of interrupted uploads, and charges for them, until they are
   * aborted. s3mini returns only a part of their list, so a lifecycle rule of the bucket is the
   * safety net.
   */
  async cleanUp(): Promise<void> {
    const found: unknown = await this.client
      .listMultipartUploads('/', this.#prefix, 'GET', { prefix: this.#prefix })
      .catch(() => null);
    const result = Object.values((found ?? {}) as Record<string, { upload?: unknown; Upload?: unknown }>)[0];
    const uploads = [result?.Upload ?? result?.upload ?? []].flat() as Record<string, unknown>[];
    for (const upload of uploads) {
      const [key, id] = [upload.Key ?? upload.key, upload.UploadId ?? upload.uploadId];
      const begun = Date.parse(String(upload.Initiated ?? upload.initiated));
      if (typeof key !== 'string' || typeof id !== 'string' || !(Date.now() - begun > ABANDONED_MS)) continue;
      await this.client.abortMultipartUpload(key, id).catch(() => {});
    }
  }

  freeBytes(): Promise<null> {
    return Promise.resolve(null);
  }

  /** Retries after an error of the network or the service, with back-off. */
  async #retry<T>(what: string, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++)
      try {
        return await work();
      } catch (error) {
        if (error instanceof StateError) throw error;
        const status = s3Status(error);
        const isFinal = status !== undefined && status < 500 && ![408, 409, 429].includes(status) && !isDamaged(error);
        if (isFinal || attempt === MAX_ATTEMPTS)
          throw new StateError('s3_failed', `Cannot ${what} in ${this.description}: ${s3Fault(error)}`, {
            cause: error,
          });
        await sleep(this.#firstRetry * 2 ** (attempt - 1) * (0.5 + Math.random()));
      }
  }
}

const TYPE = 'application/octet-stream';
/** Age in milliseconds at which an upload is abandoned. */
const ABANDONED_MS = 24 * 3_600_000;

class TruncatedResponse extends Error {}

/** s3mini signs any header; its type accepts only the headers of Amazon. */
const withMd5 = (bytes: Uint8Array): Record<`x-amz-${string}`, string> =>
  ({ 'content-md5': createHash('md5').update(bytes).digest('base64') }) as Record<`x-amz-${string}`, string>;

/** The bytes were damaged in transit (RFC 1864), or arrived too slowly. */
const isDamaged = (error: unknown): boolean =>
  /BadDigest|InvalidDigest|RequestTimeout|IncompleteBody/.test(String(error));

/** Splits the source into parts of exactly `size` bytes, except the last. */
async function* partsOf(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source)
    for (let at = 0; at < piece.length; ) {
      const taken = piece.subarray(at, at + size - length);
      // Copies the bytes, since the source may reuse its buffer.
      pieces.push(Buffer.from(taken));
      length += taken.length;
      at += taken.length;
      if (length < size) continue;
      yield Buffer.concat(pieces);
      pieces = [];
      length = 0;
    }
  if (length > 0) yield Buffer.concat(pieces);
}
