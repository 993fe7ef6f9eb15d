/** A DNS server over UDP and TCP on a loopback address, with answers from the test. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { decode, encode, type Packet } from 'dns-packet';

export const AA = 0x400;
export const RA = 0x80;
const TC = 0x200;

export type Reply = Pick<Packet, 'answers' | 'authorities'> & {
  readonly flags?: number;
  /** No reply over UDP. */
  readonly isSilent?: boolean;
  readonly isTruncated?: boolean;
};
export type Handler = (name: string, type: string) => Reply | null;

/** A handler that returns null sends no reply. */
export class FakeServer {
  readonly #udp: UdpSocket = createSocket('udp4');
  readonly #tcp: Server;
  readonly queries: string[] = [];

  constructor(handler: Handler) {
    const reply = (query: Buffer, isTcp: boolean): Buffer | null => {
      const { id, questions = [], flags = 0 } = decode(query);
      const [question] = questions;
      this.queries.push(`${isTcp ? 'tcp' : 'udp'} ${question.type}${(flags & 0x100) === 0 ? '' : ' RD'}`);
      const answer = handler(question.name.toLowerCase(), String(question.type));
      if (answer === null || (!isTcp && answer.isSilent)) return null;
      const isTruncated = !isTcp && answer.isTruncated === true;
      return encode({
        ...{ type: 'response', id, questions, flags: (answer.flags ?? AA) | (isTruncated ? TC : 0) },
        ...(isTruncated ? {} : { answers: answer.answers, authorities: answer.authorities }),
      });
    };
    this.#udp.on('message', (query, { port, address }) => {
      const message = reply(query, false);
      if (message !== null) this.#udp.send(message, port, address);
    });
    this.#tcp = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        const message = reply(chunk.subarray(2), true);
        if (message !== null) socket.end(Buffer.concat([Buffer.of(message.length >> 8, message.length), message]));
      });
    });
  }

  async listen(address: string, port: number): Promise<void> {
    this.#udp.bind(port, address);
    this.#tcp.listen(port, address);
    await Promise.all([once(this.#udp, 'listening'), once(this.#tcp, 'listening')]);
  }

  async close(): Promise<void> {
    this.#udp.close();
    await new Promise((done) => this.#tcp.close(done));
  }
}
