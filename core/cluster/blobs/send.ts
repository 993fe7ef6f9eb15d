/** Sends a blob to a peer, from the requested offset. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { parseRangeStart, readChunks } from '../../base/file-pieces.ts';
import type { BlobStore } from './store.ts';

/** Answers a GET. Rejects if the blob cannot be read, or the peer has closed the connection. */
export async function sendBlob(
  store: BlobStore,
  hash: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // The peer verifies the hash.
  const blob = await store.openUnchecked(hash);
  if (blob === null) {
    response.writeHead(404).end();
    return;
  }
  try {
    const { file, size } = blob;
    const from = parseRangeStart(request.headers.range, size);
    response.writeHead(from > 0 ? 206 : 200, {
      'content-type': 'application/octet-stream',
      'content-length': size - from,
      ...(from > 0 && { 'content-range': `bytes ${from}-${size - 1}/${size}` }),
    });
    await pipeline(readChunks(file, from), response);
  } finally {
    await blob.file.close();
  }
}
