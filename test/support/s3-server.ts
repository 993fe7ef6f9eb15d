/**
 * An S3 server for tests, based on Amazon's API documentation. It verifies version 4 signatures and
 * Content-MD5, and can inject faults.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export const S3_KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

/**
 * error: status 500; slow-down: status 503; cut: closes the connection in the middle of the
 * response; lost: performs the request but closes the connection without a response; damage:
 * changes a byte of the body; hang: no response; denied: status 403.
 */
export type S3Fault = 'error' | 'slow-down' | 'cut' | 'lost' | 'damage' | 'hang' | 'denied';

export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Incomplete multipart uploads. */
  readonly uploads: ReadonlyMap<string, { readonly key: string }>;
  /** Methods and paths with queries, in order of arrival. */
  readonly requests: readonly string[];
  /** Called for each request before it is performed. */
  fault: (method: string, path: string, count: number) => S3Fault | undefined;
  close(): Promise<void>;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
const escapeXml = (text: string): string => text.replace(/[<&>]/g, (char) => `&#${char.charCodeAt(0)};`);

/** Verifies the Authorization header (Signature Version 4). Undefined: valid. */
function signatureFault(request: IncomingMessage, url: URL, region: string): string | undefined {
  const [, credential, signed, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    ) ?? [];
  if (signature === undefined) return 'AuthorizationHeaderMalformed';
  const [id, day, where, service, end] = credential.split('/');
  if (id !== S3_KEYS.accessKeyId) return 'InvalidAccessKeyId';
  if (where !== region || service !== 's3' || end !== 'aws4_request') return 'AuthorizationHeaderMalformed';
  const names = signed.split(';');
  const mustBeSigned = Object.keys(request.headers).filter(
    (name) => name === 'host' || /^(x-amz-|content-md5)/.test(name),
  );
  if (mustBeSigned.some((name) => !names.includes(name))) return 'AccessDenied';
  const time = String(request.headers['x-amz-date']);
  if (!time.startsWith(day)) return 'RequestTimeTooSkewed';
  const query = [...url.searchParams]
    .map(([cell, value]) => `${encode(cell)}=${encode(value)}`)
    .sort()
    .join('&');
  const headers = names.map((name) => `${name}:${String(request.headers[name]).trim()}\n`).join('');
  const canonical = [
    request.method,
    url.pathname,
    query,
    headers,
    signed,
    request.headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = [day, where, service, end].join('/');
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`;
  const key = [day, where, service, end].reduce<string | Buffer>(hmac, `AWS4${S3_KEYS.secretAccessKey}`);
  const expected = hmac(key, text);
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? undefined : 'SignatureDoesNotMatch';
}

export async function startS3Server({
  bucket = 'backups',
  region = 'test-1',
  pageSize = 1000,
  minPart = 5 << 20,
} = {}): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer>; begun: Date }>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  const fail = (response: ServerResponse, status: number, code: string): void => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
  };
  const answerXml = (response: ServerResponse, body: string): void => {
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0" encoding="UTF-8"?>${body}`);
  };
  const etagOf = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    const method = request.method ?? '';
    requests.push(`${method} ${request.url}`);
    const fault = s3.fault(method, request.url ?? '', requests.length);
    let body: Buffer = await buffer(request);
    if (fault === 'hang') return;
    if (fault === 'error') return fail(response, 500, 'InternalError');
    if (fault === 'slow-down') return fail(response, 503, 'SlowDown');
    if (fault === 'denied') return fail(response, 403, 'AccessDenied');
    const denied = signatureFault(request, url, region);
    if (denied !== undefined) return fail(response, 403, denied);
    if (fault === 'damage' && body.length > 0) {
      body = Buffer.from(body);
      body[body.length >> 1] ^= 1;
    }
    const md5 = request.headers['content-md5'];
    if (md5 !== undefined && createHash('md5').update(body).digest('base64') !== md5)
      return fail(response, 400, 'BadDigest');
    if (fault === 'lost') response.end = (() => response.destroy()) as typeof response.end;
    const [, name, ...rest] = url.pathname.split('/');
    if (name !== bucket) return fail(response, 404, 'NoSuchBucket');
    const key = decodeURIComponent(rest.join('/'));
    const query = url.searchParams;
    if (key === '' && method === 'GET')
      return query.has('uploads') ? listUploads(response, query) : listObjects(response, query);
    if (method === 'POST' && query.has('uploads')) {
      const id = randomBytes(8).toString('hex');
      uploads.set(id, { key, parts: new Map(), begun: new Date() });
      return answerXml(
        response,
        `<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${escapeXml(key)}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (query.has('uploadId')) return ofUpload(method, key, query, body, response);
    const stored = objects.get(key);
    if (method === 'PUT') {
      objects.set(key, body);
      response.writeHead(200, { etag: etagOf(body) });
      return void response.end();
    }
    if (method === 'DELETE') {
      objects.delete(key);
      response.writeHead(204);
      return void response.end();
    }
    if (stored === undefined) return fail(response, 404, 'NoSuchKey');
    const [, from = '0', to = String(stored.length - 1)] =
      /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    let part = stored.subarray(Number(from), Number(to) + 1);
    if (fault === 'damage' && part.length > 0) {
      part = Buffer.from(part);
      part[part.length >> 1] ^= 1;
    }
    response.writeHead(request.headers.range === undefined ? 200 : 206, { 'content-length': part.length });
    if (method === 'HEAD') return void response.end();
    if (fault !== 'cut') return void response.end(part);
    response.write(part.subarray(0, part.length >> 1));
    setTimeout(() => response.destroy(), 5);
  }

  function ofUpload(
    method: string,
    key: string,
    query: URLSearchParams,
    body: Buffer,
    response: ServerResponse,
  ): unknown {
    const id = query.get('uploadId') ?? '';
    const upload = uploads.get(id);
    if (upload?.key !== key) return fail(response, 404, 'NoSuchUpload');
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body);
      response.writeHead(200, { etag: etagOf(body) });
      return void response.end();
    }
    uploads.delete(id);
    if (method === 'DELETE') {
      response.writeHead(204);
      return void response.end();
    }
    const listed = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>\s*<ETag>([^<]+)<\/ETag>/g)];
    const parts = listed.map(([, number]) => upload.parts.get(Number(number)) ?? Buffer.alloc(0));
    const isRight = listed.every(([, , etag], i) => etagOf(parts[i]).includes(etag.replace(/&quot;|"/g, '')));
    if (!isRight || parts.length === 0) return fail(response, 400, 'InvalidPart');
    if (parts.slice(0, -1).some(({ length }) => length < minPart)) return fail(response, 400, 'EntityTooSmall');
    objects.set(key, Buffer.concat(parts));
    return answerXml(
      response,
      `<CompleteMultipartUploadResult><Location>x</Location><Bucket>${bucket}</Bucket><Key>${escapeXml(key)}</Key><ETag>"x-${parts.length}"</ETag></CompleteMultipartUploadResult>`,
    );
  }

  function listObjects(response: ServerResponse, query: URLSearchParams): void {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const all = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const limit = Math.min(pageSize, Number(query.get('max-keys') ?? pageSize));
    const page = all.slice(0, limit);
    const next = all.length > page.length ? page.at(-1) : undefined;
    answerXml(
      response,
      `<ListBucketResult><Name>${bucket}</Name><Prefix>${escapeXml(prefix)}</Prefix><KeyCount>${page.length}</KeyCount><IsTruncated>${next !== undefined}</IsTruncated>${
        next === undefined ? '' : `<NextContinuationToken>${escapeXml(next)}</NextContinuationToken>`
      }${page
        .map(
          (key) =>
            `<Contents><Key>${escapeXml(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"x"</ETag><Size>${objects.get(key)?.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
        )
        .join('')}</ListBucketResult>`,
    );
  }

  function listUploads(response: ServerResponse, query: URLSearchParams): void {
    const listed = [...uploads].filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''));
    answerXml(
      response,
      `<ListMultipartUploadsResult><Bucket>${bucket}</Bucket>${listed
        .map(
          ([id, { key, begun }]) =>
            `<Upload><Key>${escapeXml(key)}</Key><UploadId>${id}</UploadId><Initiated>${begun.toISOString()}</Initiated></Upload>`,
        )
        .join('')}</ListMultipartUploadsResult>`,
    );
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const s3: S3Server = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ bucket, objects, uploads, requests },
    fault: () => undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return s3;
}
