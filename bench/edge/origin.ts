/**
 * `node origin.js PORT`: what fills the caches of nginx and HAProxy. It is asked once for each
 * path.
 */
import { createServer } from 'node:http';
import { BODIES, type Path } from './requests.ts';

createServer((request, response) => {
  const length = BODIES[(request.url ?? '') as Path];
  if (length === undefined) response.writeHead(404).end();
  else
    response
      .writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'public, max-age=86400',
        'content-length': length,
      })
      .end(Buffer.alloc(length, 'x'));
}).listen(Number(process.argv[2]), '127.0.0.1');
