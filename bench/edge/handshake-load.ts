/**
 * `node handshake-load.js PORT new|resume SECONDS CONNECTIONS [SITES random|zipf|turn]`: a
 * connection, a handshake and a request each, so many at a time; with "resume" each but the first
 * of its line offers the session of the one before. With SITES each is to one of so many sites
 * (many-sites-names.ts), and ends without a request as soon as the server has begun its session:
 * drawn at random; by Zipf's law, the first twice as often as the second and three times as often
 * as the third; or each in its turn, once. Prints `{requests, wrong, resumed}`. BENCH_GROUPS: the
 * key exchange groups to offer.
 */
import { endianness } from 'node:os';
import { apexOf } from './many-sites-names.ts';
import { beginBytes, ResponseReader, requestBytes } from './one-request.ts';
import * as openssl from './openssl.ts';
import { HOST } from './requests.ts';

const [port, kind, seconds, count, sites, draw] = process.argv.slice(2);
const POLLIN = 1;
/** struct pollfd: descriptor, events, reported events. */
const POLLFD = 8;
const WAIT_MS = 1000;

const context = openssl.clientContext(process.env.BENCH_GROUPS);
const isBare = sites !== undefined;
const request = isBare ? beginBytes() : requestBytes('/small');
let turn = 0;
const nextSite = (): number => {
  if (draw === 'turn') return turn++ % Number(sites);
  return Math.floor(draw === 'zipf' ? Number(sites) ** Math.random() - 1 : Math.random() * Number(sites));
};
const nextHost = (): string => (isBare ? `www.${apexOf(nextSite())}` : HOST);
const buffer = Buffer.alloc(16_384);
const fds = Buffer.alloc(Number(count) * POLLFD);
if (endianness() !== 'LE') throw new Error('poll is written for little-endian machines');
const totals = { requests: 0, wrong: 0, resumed: 0 };

/** One connection after the other. */
class Line {
  readonly #place: number;
  #fd = -1;
  #ssl: openssl.Pointer = 0n;
  #session: openssl.Pointer | null = null;
  #isConnected = false;
  #reader = new ResponseReader();

  constructor(position: number) {
    this.#place = position;
    this.#open();
  }

  /** Something came. */
  step(): void {
    if (!this.#isConnected && !this.#handshake()) return;
    for (;;) {
      const length = openssl.read(this.#ssl, buffer, buffer.length);
      if (length <= 0) {
        if (openssl.errorOf(this.#ssl, length) !== openssl.SSL_ERROR_WANT_READ) this.#next(false);
        return;
      }
      if (isBare) {
        this.#next(true);
        return;
      }
      this.#reader.take(buffer.subarray(0, length));
      if (this.#reader.isWhole) {
        this.#next(this.#reader.isRight);
        return;
      }
    }
  }

  #open(): void {
    this.#fd = openssl.connectSocket(Number(port));
    openssl.dontBlock(this.#fd);
    this.#ssl = openssl.openSsl(context, this.#fd, nextHost());
    if (this.#session !== null) openssl.setSession(this.#ssl, this.#session);
    this.#isConnected = false;
    this.#reader = new ResponseReader();
    fds.writeInt32LE(this.#fd, this.#place * POLLFD);
    fds.writeInt16LE(POLLIN, this.#place * POLLFD + 4);
    this.#handshake();
  }

  #handshake(): boolean {
    const result = openssl.connectTls(this.#ssl);
    if (result !== 1) {
      if (openssl.errorOf(this.#ssl, result) !== openssl.SSL_ERROR_WANT_READ) this.#next(false);
      return false;
    }
    this.#isConnected = true;
    totals.resumed += openssl.isReused(this.#ssl);
    openssl.write(this.#ssl, request, request.length);
    return true;
  }

  #next(isRight: boolean): void {
    totals.requests++;
    if (!isRight) totals.wrong++;
    if (kind === 'resume' && isRight) {
      if (this.#session !== null) openssl.freeSession(this.#session);
      this.#session = openssl.takeSession(this.#ssl);
    }
    openssl.shutdown(this.#ssl);
    openssl.freeSsl(this.#ssl);
    openssl.closeFd(this.#fd);
    this.#open();
  }
}

const lines = Array.from({ length: Number(count) }, (_, position) => new Line(position));
const end = performance.now() + Number(seconds) * 1000;
const isOver = (): boolean => performance.now() >= end || (draw === 'turn' && totals.requests >= Number(sites));
while (!isOver()) {
  if (openssl.poll(fds, lines.length, WAIT_MS) === 0) continue;
  for (let position = 0; position < lines.length; position++)
    if (fds.readInt16LE(position * POLLFD + 6) !== 0) lines[position].step();
}
process.stdout.write(`${JSON.stringify(totals)}\n`);
