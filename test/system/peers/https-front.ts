/**
 * What stands before the admin API's plain HTTP so that DNS clients can speak to it: TLS and
 * HTTP/2, which all of them insist on (RFC 8484 5.2).
 */
import { once } from 'node:events';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

export interface HttpsFront {
  readonly port: number;
  /** Requests so far, as `POST /dns-query`, without the query. */
  readonly seen: readonly string[];
  close(): Promise<void>;
}

/** On 127.0.0.1. `target`: port of the HTTP server behind, on the same address. */
export async function startHttpsFront(target: number): Promise<HttpsFront> {
  const key = ecKey();
  const cert = certificate({ name: 'waypost.test', key, dnsNames: ['waypost.test'] });
  const server = createSecureServer({ key: pemOfKey(key), cert });
  const seen: string[] = [];
  const pass = async (stream: ServerHttp2Stream, method: string, path: string, type: unknown): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const response = await fetch(`http://127.0.0.1:${target}${path}`, {
      method,
      headers: typeof type === 'string' ? { 'content-type': type } : {},
      body: chunks.length === 0 ? undefined : Buffer.concat(chunks),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const passed = Object.fromEntries(
      ['content-type', 'cache-control'].flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value]];
      }),
    );
    const body = Buffer.from(await response.arrayBuffer());
    // dig takes no answer whose length is not told.
    stream.respond({ ':status': response.status, ...passed, 'content-length': body.length });
    stream.end(body);
  };
  server.on('stream', (stream, headers) => {
    const method = String(headers[':method']);
    const path = String(headers[':path']);
    seen.push(`${method} ${path.split('?', 1)[0]}`);
    stream.on('error', () => {});
    pass(stream, method, path, headers['content-type']).catch(() => stream.close());
  });
  server.on('sessionError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    port,
    seen,
    async close() {
      server.close();
      // Who keeps a session open is not waited for.
      server.unref();
    },
  };
}
