/** What connections of a flooded site leave of each turn of the loop for those of another one. */
import { once } from 'node:events';
import { connect } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange, Handler } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import type { ConnectionGate } from '../../../../edge/http/server/application.ts';
import { costOfBytes } from '../../../../edge/http/transport/flusher.ts';
import { QUANTUM, SiteShare, ThreadTurns } from '../../../../edge/policy/fairness/thread-turns.ts';
import { until } from '../../../support/until.ts';
import { dialTls, HOST, OTHER_HOST, type Rig, withServer } from './rig.ts';

const CONNECTIONS = 30;
const LARGE = Buffer.alloc(512 << 10, 'x');
/** What one event of a connection may cost beyond a share: it writes 64 KB. */
const EVENT = costOfBytes(65_536) + costOfBytes(65_536);
const requestOf = (host: string, path = '/'): string => `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
const answersIn = (text: string): number => text.split('HTTP/1.1 200').length - 1;

/** The shares of two sites, as the gateway makes and charges them. */
class TwoSites {
  #shares: { readonly [host: string]: SiteShare } = {};
  /** Cost of the flooded site. */
  spent = 0;
  readonly requests: string[] = [];
  onOther: () => void = () => {};
  /** Called when the flooded site spends. */
  onSpend: () => void = () => {};

  /** Of requests that wait for a share, as in the gateway; null: all begin at once. */
  queue: Exchange[] | null = null;

  readonly handler: Handler = (exchange) => {
    const { queue } = this;
    if (queue !== null && (queue.length > 0 || this.#shares[exchange.client.serverName].isSpent)) queue.push(exchange);
    else this.#begin(exchange);
  };

  #begin(exchange: Exchange): void {
    const { serverName } = exchange.client;
    this.#shares[serverName].spend(1);
    this.requests.push(serverName);
    if (serverName === OTHER_HOST) this.onOther();
    exchange.answer(new ReadyAnswer(200, [], exchange.path === '/large' ? LARGE : Buffer.from('hello')));
  }

  #beginWaiting(flooded: SiteShare): void {
    while (this.queue !== null && this.queue.length > 0 && !flooded.isSpent) this.#begin(this.queue.shift()!);
  }

  readonly gateFor = (name: string): ConnectionGate => ({
    ...{ site: name, policy: null, http1: null, http2: null, share: this.#shares[name] },
    isPressed: false,
    enter: () => true,
    leave() {},
  });

  /** Serves both, of which the flooded one has `CONNECTIONS`. */
  run(
    tls: 'auto' | 'node',
    use: (flood: readonly TLSSocket[], other: TLSSocket, rig: Rig) => Promise<void>,
  ): Promise<void> {
    return withServer(
      async (rig) => {
        const flood: TLSSocket[] = [];
        for (let i = 0; i < CONNECTIONS; i++) flood.push(await dialTls(rig.tlsPort));
        const other = await dialTls(rig.tlsPort, { servername: OTHER_HOST });
        await use(flood, other, rig);
        for (const socket of [...flood, other]) socket.destroy();
      },
      {
        ...{ tls, handler: this.handler, gateFor: this.gateFor },
        onLoop: (loop) => {
          const turns = new ThreadTurns(loop);
          turns.isContended = true;
          const flooded = new SiteShare(turns);
          const spend = flooded.spend.bind(flooded);
          flooded.spend = (cost) => {
            this.spent += cost;
            spend(cost);
            this.onSpend();
          };
          turns.onTurn = () => this.#beginWaiting(flooded);
          this.#shares = { [HOST]: flooded, [OTHER_HOST]: new SiteShare(turns) };
        },
      },
    );
  }
}

for (const tls of ['auto', 'node'] as const) {
  const test = suite(`shares of turns, tls: ${tls}`);

  test('pipelined requests begin within the share, in order, and all are answered', async () => {
    const sites = new TwoSites();
    await sites.run(tls, async (flood, other) => {
      const each = 60;
      let answered = 0;
      for (const socket of flood) {
        let text = '';
        socket.setEncoding('latin1').on('data', (part: string) => {
          text += part;
          if (text.endsWith('hello') && answersIn(text) === each) answered++;
        });
      }
      for (const socket of flood) socket.write(requestOf(HOST).repeat(each));
      other.write(requestOf(OTHER_HOST));
      await until(() => answered === CONNECTIONS, 'all are answered');
      const before = sites.requests.indexOf(OTHER_HOST);
      assert.ok(before >= 0 && before <= 2 * QUANTUM, `${before} requests began before the other site's`);
    });
  });

  test('a client that half-closes behind its requests gets all responses', async () => {
    const sites = new TwoSites();
    await sites.run(tls, async ([socket]) => {
      let text = '';
      socket.setEncoding('latin1').on('data', (part: string) => {
        text += part;
      });
      socket.end(requestOf(HOST).repeat(100));
      await once(socket, 'end');
      assert.is(answersIn(text), 100);
    });
  });

  if (tls === 'auto') {
    test('responses of HTTP/2 are sent before other connections of the site are read', async () => {
      const sites = new TwoSites();
      sites.queue = [];
      await sites.run(tls, async (_, other, { tlsPort }) => {
        const streams = 64;
        const sessions = Array.from({ length: CONNECTIONS }, () =>
          connect(`https://127.0.0.1:${tlsPort}`, { servername: HOST, rejectUnauthorized: false }),
        );
        await Promise.all(sessions.map((session) => once(session, 'remoteSettings')));
        let answered = 0;
        /** Requests that have begun and are not answered: the most of them at any answer. */
        let most = 0;
        for (const session of sessions)
          for (let i = 0; i < streams; i++)
            session
              .request({ ':path': '/', ':authority': HOST })
              .on('response', () => {
                most = Math.max(most, sites.requests.length - answered++);
              })
              .resume();
        await until(() => answered === CONNECTIONS * streams, 'all are answered');
        for (const session of sessions) session.destroy();
        other.end();
        assert.ok(most <= 6 * streams, `${most} answers waited`);
      });
    });

    test('large responses are sent within the share', async () => {
      const sites = new TwoSites();
      await sites.run(tls, async (flood, other) => {
        for (const socket of flood) socket.resume();
        for (const socket of flood) socket.write(requestOf(HOST, '/large').repeat(60));
        let received = 0;
        flood[0].on('data', (part: Buffer) => {
          received += part.length;
        });
        await until(() => received > 65_536, 'the answers are on their way');
        for (let i = 0; i < 20; i++) {
          let [before, during] = [0, -1];
          // In the middle of a turn, of which the request waits for the rest.
          sites.onSpend = () => {
            sites.onSpend = () => {};
            before = sites.spent;
            other.write(requestOf(OTHER_HOST));
          };
          sites.onOther = () => {
            during = sites.spent - before;
          };
          await once(other, 'data');
          assert.ok(during >= 0 && during <= 2 * QUANTUM + 2 * EVENT, `a cost of ${during} before the other site's`);
        }
      });
    });
  }
  test.run();
}
