/**
 * A directory in front of another: it hands on what it is asked, and a test may look at that,
 * answer itself, or change what comes back.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import type { Directory } from '../../../system/peers/pebble.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  /** Payload of the JWS (RFC 7515), not verified; undefined: none. */
  readonly payload: Record<string, unknown> | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Front {
  readonly url: string;
  readonly authority: string;
  /** All that was asked, the oldest first. */
  readonly request: Asked[];
  /** Answers in the place of the directory; undefined: that one is asked. */
  instead: (request: Asked) => Reply | undefined;
  /** Changes what the directory has answered. */
  change: (request: Asked, reply: Reply) => Reply;
  /** Forgets the requests, and hands everything on again. */
  reset(): void;
  stop(): Promise<void>;
}

/**
 * Listens on loopback, its URLs in the place of the directory's: that one makes them of Host, which
 * is kept.
 */
export async function startFront(behind: Directory): Promise<Front> {
  const folder = temporaryFolder('front');
  const issuer = { name: 'authority.front.test', key: ecKey() };
  const key = ecKey();
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, certificate({ ...issuer, ca: true }));
  const agent = new Agent({ connect: { ca: readFileSync(behind.authority) } });
  const base = new URL(behind.url).origin;

  const hand = async (method: string, path: string, headers: IncomingHttpHeaders, body: string): Promise<Reply> => {
    const { 'content-type': type = 'text/plain', host = '' } = headers;
    const answer = await request(`${base}${path}`, {
      dispatcher: agent,
      method: method as 'GET',
      headers: { host, 'content-type': type },
      body: body === '' ? null : body,
    });
    const kept = ['content-type', 'location', 'replay-nonce', 'link', 'retry-after'];
    const received = Object.entries(answer.headers).filter(([name]) => kept.includes(name)) as [string, string][];
    return { status: answer.statusCode, headers: Object.fromEntries(received), body: await answer.body.text() };
  };

  const server = createServer(
    { key: pemOfKey(key), cert: certificate({ name: 'localhost', key, issuer, dnsNames: ['localhost'] }) },
    async (incoming, response) => {
      let body = '';
      for await (const part of incoming) body += part;
      const { method = 'GET', url: path = '/', headers } = incoming;
      const question: Asked = { method, path, payload: payloadOf(body) };
      front.request.push(question);
      try {
        const reply = front.instead(question) ?? front.change(question, await hand(method, path, headers, body));
        response.writeHead(reply.status, reply.headers).end(reply.body);
      } catch {
        response.destroy();
      }
    },
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const front: Front = {
    url: `https://localhost:${(server.address() as AddressInfo).port}${new URL(behind.url).pathname}`,
    authority,
    request: [],
    instead: () => undefined,
    change: (_asked, reply) => reply,
    reset() {
      front.request.length = 0;
      front.instead = () => undefined;
      front.change = (_asked, reply) => reply;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await agent.destroy();
    },
  };
  return front;
}

function payloadOf(body: string): Record<string, unknown> | undefined {
  if (!body.startsWith('{')) return undefined;
  const { payload = '' } = JSON.parse(body) as { payload?: string };
  return payload === '' ? undefined : (JSON.parse(Buffer.from(payload, 'base64url').toString()) as never);
}

/** With what changes the JSON of a reply. */
export const withJson = (reply: Reply, work: (value: Record<string, unknown>) => object): Reply => ({
  ...reply,
  body: JSON.stringify(work(JSON.parse(reply.body) as Record<string, unknown>)),
});
