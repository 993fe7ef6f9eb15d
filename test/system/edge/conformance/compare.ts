/**
 * The table against other servers, to see that its rows ask what others do, too: `node
 * dist/test/system/edge/conformance/compare.js node` or `… nghttpd` (Debian: nghttp2-server). What
 * is permitted is as good as what is expected; the rest is printed, for somebody to decide who is
 * right.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawClient } from '../../../edge/conformance/client.ts';
import type { Need } from '../../../edge/conformance/row.ts';
import { INDEX, LARGE_BYTES } from '../../../edge/conformance/site.ts';
import { ROWS, runRows, titleOf } from '../../../edge/conformance/table.ts';
import { startChild } from '../../../support/child.ts';
import { freePort } from '../../../support/ports.ts';

interface Peer {
  readonly port: number;
  readonly has: readonly Need[];
  stop(): Promise<unknown> | unknown;
}

const LARGE = Buffer.alloc(LARGE_BYTES, 'x');

async function startNode(): Promise<Peer> {
  const server = createServer({ settings: { maxConcurrentStreams: 100, enableConnectProtocol: true } });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    stream.respond({ ':status': 200 });
    if (headers[':path'] === '/echo') stream.pipe(stream);
    else stream.end(headers[':path'] === '/large' ? LARGE : INDEX);
  });
  server.on('sessionError', () => {});
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return { port, has: ['limited'], stop: () => server.close() };
}

async function startNghttpd(): Promise<Peer> {
  const root = mkdtempSync(join(tmpdir(), 'conformance-'));
  writeFileSync(join(root, 'index.html'), INDEX);
  writeFileSync(join(root, 'large'), LARGE);
  const port = await freePort();
  const child = startChild('nghttpd', ['--no-tls', '--echo-upload', '-a', '127.0.0.1', '-d', root, String(port)]);
  for (let attempt = 0; ; attempt++) {
    try {
      (await RawClient.connect({ port, isTls: false })).destroy();
      break;
    } catch (error) {
      if (attempt === 100 || child.exited())
        throw new Error(`nghttpd does not listen. ${child.output()}`, { cause: error });
      await sleep(50);
    }
  }
  const stop = async (): Promise<void> => {
    await child.stop();
    rmSync(root, { recursive: true });
  };
  return { port, has: ['limited'], stop };
}

const [name] = process.argv.slice(2);
if (name !== 'node' && name !== 'nghttpd') throw new Error('Which server: node or nghttpd?');
const peer = await (name === 'node' ? startNode() : startNghttpd());
const rows = ROWS.filter(({ needs }) => needs.every((need) => peer.has.includes(need)));
const target = { address: { port: peer.port, isTls: false } };
const verdicts = await Promise.all(runRows(rows, target, true));
let failed = 0;
verdicts.forEach((verdict, i) => {
  if (verdict === undefined) return;
  failed++;
  console.log(`${titleOf(rows[i])}\n    ${verdict.message}`);
});
console.log(
  `${name}: ${rows.length - failed} of ${rows.length} rows; ${ROWS.length - rows.length} need more than it has.`,
);
await peer.stop();
process.exit();
