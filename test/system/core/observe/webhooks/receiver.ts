/** A receiver of webhooks on loopback, whose answers a test scripts. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrived {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `hang`: no response. */
export type Behaviour = number | 'hang';

export interface Receiver {
  readonly url: string;
  readonly arrived: Arrived[];
  /** Answers by path; 200 is the default. */
  readonly behaviours: Map<string, Behaviour>;
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const arrived: Arrived[] = [];
  const behaviours = new Map<string, Behaviour>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    arrived.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() });
    const behaviour = behaviours.get(path) ?? 200;
    if (behaviour !== 'hang') response.writeHead(behaviour, { location: '/redirected' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    behaviours,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** As a receiver verifies a message. */
export function isSigned(secret: string, { headers, body }: Arrived): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}
