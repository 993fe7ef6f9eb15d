/** Reads the whole response of a node:http2 stream. */
import { once } from 'node:events';
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';

export interface Http2Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders & { readonly ':status'?: number };
  readonly body: Buffer;
}

/** Call it when the request is sent: Node 24 drops unread data when the stream closes. */
export async function wholeResponse(stream: ClientHttp2Stream): Promise<Http2Response> {
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  const [[headers]] = (await Promise.all([once(stream, 'response'), once(stream, 'end')])) as [
    [Http2Response['headers']],
    unknown,
  ];
  return { status: Number(headers[':status']), headers, body: Buffer.concat(parts) };
}
