/**
 * The origin of `flood.ts`, in a process of its own: prints its port, and ends with its standard
 * input. `/page` and `/large` may be cached, `/fresh` and `/slow` may not; `/slow` takes 200 ms.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const SLOW_MS = 200;
const PAGE = Buffer.alloc(2048, 'x');
const LARGE = Buffer.alloc(8 << 20, 'x');

const origin = createServer((request, response) => {
  const { url } = request;
  request.resume();
  const body = url === '/large' ? LARGE : PAGE;
  const isCached = url === '/page' || url === '/large';
  const answer = (): void => {
    response.writeHead(200, {
      'cache-control': isCached ? 'max-age=86400' : 'no-store',
      'content-length': body.length,
    });
    response.end(body);
  };
  if (url === '/slow') setTimeout(answer, SLOW_MS);
  else answer();
});
origin.keepAliveTimeout = 60_000;
origin.listen(0, '127.0.0.1', () => process.stdout.write(`${(origin.address() as AddressInfo).port}\n`));
process.stdin.resume();
process.stdin.once('end', () => process.exit());
