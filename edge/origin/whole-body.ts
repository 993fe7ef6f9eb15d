import type { OriginBody } from './origin.ts';

/** Reads a body. Rejects with an Error, and cancels the body, past `limit` bytes. */
export async function readWhole(body: OriginBody, limit: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let part = await body.read(); part !== null; part = await body.read()) {
    parts.push(part);
    length += part.length;
    if (length <= limit) continue;
    body.cancel();
    throw new Error(`the response exceeds ${limit} bytes`);
  }
  return Buffer.concat(parts);
}
