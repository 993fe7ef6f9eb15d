/**
 * A faulty gateway in front of a real gateway of etcd. At random, it loses requests and responses,
 * and repeats, swaps, delays, drops and ends the events of a watch.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Random } from '../../support/random.ts';

export interface FaultyGateway {
  readonly endpoint: string;
  /** Faults per hundred operations; 0: none. */
  faults: number;
  /** Everything is lost. */
  isCut: boolean;
  /** Number of faults so far, by kind. */
  readonly count: Map<string, number>;
  stop(): Promise<void>;
}

const LONGEST_DELAY = 60;

export async function startFaultyGateway(behind: string, random: Random): Promise<FaultyGateway> {
  const server = createServer((from, to) => {
    relay(from, to).catch(() => to.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address() as { port: number };
  const gateway: FaultyGateway = {
    endpoint: `http://127.0.0.1:${address.port}`,
    faults: 0,
    isCut: false,
    count: new Map(),
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  const isFault = (kind: string): boolean => {
    if (random.below(100) >= gateway.faults) return false;
    gateway.count.set(kind, (gateway.count.get(kind) ?? 0) + 1);
    return true;
  };

  async function relay(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of from) chunks.push(chunk as Buffer);
    if (gateway.isCut || isFault('request lost')) return void to.destroy();
    if (isFault('request late')) await sleep(random.below(LONGEST_DELAY));
    const stop = new AbortController();
    to.on('close', () => stop.abort());
    const { statusCode, body } = await request(behind + from.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(chunks),
      signal: stop.signal,
    });
    if (from.url === '/v3/watch') {
      to.writeHead(statusCode);
      await relayWatch(body, to);
      return;
    }
    const answer = await body.text();
    if (gateway.isCut || isFault('answer lost')) return void to.destroy();
    to.writeHead(statusCode, { 'content-type': 'application/json' }).end(answer);
  }

  async function relayWatch(body: AsyncIterable<Buffer>, to: ServerResponse): Promise<void> {
    let rest = '';
    let kept: string | null = null;
    for await (const chunk of body) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() as string;
      for (const line of lines) {
        if (gateway.isCut || isFault('watch ends')) return void to.destroy();
        if (isFault('event lost')) continue;
        if (isFault('event late')) await sleep(random.below(LONGEST_DELAY));
        if (kept === null && isFault('events swapped')) {
          kept = line;
          continue;
        }
        to.write(`${line}\n`);
        if (isFault('event twice')) to.write(`${line}\n`);
        if (kept !== null) to.write(`${kept}\n`);
        kept = null;
      }
    }
    to.end();
  }

  return gateway;
}
