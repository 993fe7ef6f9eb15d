/**
 * Stands in for the recursive resolver, over UDP and TCP, with answers from the test. Uses
 * dns-packet, so that a fault in Waypost's own encoder is found.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type Answer, decode, encode, type Packet } from 'dns-packet';
import { freePort } from './ports.ts';

export interface Says {
  /** CNAME chain, followed by the addresses of its last target. */
  readonly cname?: readonly (readonly [target: string, ttl: number])[];
  readonly addresses?: readonly string[];
  /** TTL of the addresses, in seconds. */
  readonly ttl?: number;
  /** TTL of negative answers, in seconds. */
  readonly negativeTtl?: number;
  readonly rcode?: number;
  readonly silent?: boolean;
  /** Sets TC over UDP. */
  readonly truncated?: boolean;
  /** Responds with FORMERR to queries with OPT. */
  readonly noEdns?: boolean;
  /**
   * Sends invalid packets first: one with a wrong id, one with a wrong question, and one of a
   * single byte.
   */
  readonly strayFirst?: boolean;
  /** Returns the question in lower case. */
  readonly losesCase?: boolean;
  /** Closes TCP connections without a reply. */
  readonly noTcp?: boolean;
  /**
   * Over UDP, first sends a forged answer with these addresses. The attacker guessed the id and
   * port, but not the case of the name.
   */
  readonly forged?: readonly string[];
}

const RA = 0x80;
const TC = 0x200;

export class TargetServer {
  readonly port: number;
  /** Number of queries by `name TYPE`. */
  readonly request = new Map<string, number>();
  readonly #seen = new Set<string>();
  readonly overTcp: string[] = [];
  /** Queries whose name has a letter in upper case. */
  inMixedCase = 0;
  readonly #says = new Map<string, Says>();
  readonly #stopAll: () => Promise<void>;

  private constructor(port: number, stop: () => Promise<void>) {
    this.port = port;
    this.#stopAll = stop;
  }

  static async start(): Promise<TargetServer> {
    const port = await freePort();
    const udp = createSocket('udp4');
    udp.bind(port, '127.0.0.1');
    await once(udp, 'listening');
    const sockets = new Set<Socket>();
    const tcp = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        const query = chunk.subarray(2);
        const replies = server.#replies(query, true);
        if (replies === null) socket.destroy();
        for (const reply of replies ?? []) {
          const length = Buffer.alloc(2);
          length.writeUInt16BE(reply.length);
          socket.write(Buffer.concat([length, reply]));
        }
      });
    });
    tcp.listen(port, '127.0.0.1');
    await once(tcp, 'listening');
    const server = new TargetServer(port, async () => {
      udp.close();
      for (const socket of sockets) socket.destroy();
      tcp.close();
      await once(tcp, 'close');
    });
    udp.on('message', (query, { port: to, address }) => {
      for (const reply of server.#replies(query, false) ?? []) udp.send(reply, to, address);
    });
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Sets the answers for A and AAAA of a name; undefined: NXDOMAIN. */
  set(name: string, a: Says | undefined, aaaa: Says = { rcode: a === undefined ? 3 : 0 }): void {
    this.#says.set(`${name} A`, a ?? { rcode: 3 });
    this.#says.set(`${name} AAAA`, aaaa);
  }

  count(name: string, type: 'A' | 'AAAA' = 'A'): number {
    return this.request.get(`${name} ${type}`) ?? 0;
  }

  close(): Promise<void> {
    return this.#stopAll();
  }

  /** Null: close the connection. */
  #replies(message: Buffer, overTcp: boolean): Buffer[] | null {
    const query = decode(message);
    const question = query.questions?.[0];
    if (question === undefined) return [];
    // Names are case-insensitive.
    const name = question.name.toLowerCase();
    if (name !== question.name) this.inMixedCase++;
    const key = `${name} ${question.type}`;
    // On a slow machine, a resolver sends a question again.
    const sent = `${overTcp ? 'TCP' : 'UDP'} ${message.toString('latin1')}`;
    if (!this.#seen.has(sent)) this.request.set(key, (this.request.get(key) ?? 0) + 1);
    this.#seen.add(sent);
    if (overTcp) this.overTcp.push(key);
    const says = this.#says.get(key) ?? { rcode: 3 };
    if (says.silent === true) return [];
    if (says.noTcp === true && overTcp) return null;
    const hasEdns = (query.additionals ?? []).some(({ type: kind }) => kind === 'OPT');
    const inLower = [{ ...question, name }];
    const questions = says.losesCase === true ? inLower : query.questions;
    const answer = (content: Packet, flags: number): Buffer =>
      encode({ type: 'response', id: query.id, questions, ...content, flags: RA | flags });
    if (says.noEdns === true && hasEdns) return [answer({}, 1)];
    if (says.truncated === true && !overTcp) return [answer({}, TC)];
    const answers: Answer[] = [];
    let owner = name;
    for (const [target, ttl] of says.cname ?? []) {
      answers.push({ type: 'CNAME', name: owner, ttl, data: target });
      owner = target;
    }
    const type = question.type === 'AAAA' ? 'AAAA' : 'A';
    for (const data of says.addresses ?? []) answers.push({ type, name: owner, ttl: says.ttl ?? 60, data });
    const minimum = says.negativeTtl ?? 30;
    const soa: Answer = {
      type: 'SOA',
      name: 'target.example',
      ttl: 3600,
      data: { mname: 'ns.target.example', rname: 'h.target.example', serial: 1, minimum },
    };
    const isNegative = (says.addresses ?? []).length === 0;
    const reply = answer({ answers, authorities: isNegative ? [soa] : [] }, says.rcode ?? 0);
    if (says.forged !== undefined && !overTcp) {
      const lies = says.forged.map((data): Answer => ({ type, name, ttl: 86_400, data }));
      return [answer({ questions: inLower, answers: lies }, 0), reply];
    }
    if (says.strayFirst !== true) return [reply];
    const wrongId = Buffer.from(reply);
    wrongId.writeUInt16BE((query.id ?? 0) ^ 1, 0);
    const wrongName = Buffer.from(reply);
    wrongName[13] ^= 1;
    return [wrongId, wrongName, Buffer.from([1]), reply];
  }
}
