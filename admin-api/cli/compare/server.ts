/** Queries a nameserver: over UDP with retries, over TCP after truncation, and by AXFR. */
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { OPT_LENGTH, PLAIN_OPT } from '../../../core/dns/wire/edns.ts';
import { HEADER_LENGTH, QR, TC } from '../../../core/dns/wire/header.ts';
import { MessageReader } from '../../../core/dns/wire/message-reader.ts';
import { LOWER, type Name } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import { CliError } from '../base/errors.ts';

const PORT = 53;
const ATTEMPTS = 4;
/** Timeout of the first attempt in milliseconds; doubled at each attempt. */
const FIRST_WAIT = 800;
const TCP_WAIT = 15_000;
/** Maximum milliseconds between two messages of a transfer. */
const TRANSFER_WAIT = 60_000;
const MAX_RECORDS = 20_000_000;

/** Reads `192.0.2.1`, `192.0.2.1:5300`, `192.0.2.1@5300`, `[2001:db8::1]:53` or a host name. */
export function parseServer(text: string): { readonly host: string; readonly port: number } {
  const parts =
    /^\[([^\]]+)\](?:[:@](\d{1,5}))?$/.exec(text) ??
    /^([^@]+)@(\d{1,5})$/.exec(text) ??
    (isIP(text) === 6 ? null : /^([^:]+)(?::(\d{1,5}))?$/.exec(text));
  const host = parts?.[1] ?? text;
  const port = Number(parts?.[2] ?? PORT);
  if (host !== '' && port > 0 && port < 65536 && (parts !== null || isIP(text) === 6)) return { host, port };
  throw new CliError('usage', `"${text}" is not the address of a server.`, {
    next: 'Write 192.0.2.1, 192.0.2.1:5300 or [2001:db8::1]:53.',
  });
}

interface Pending {
  readonly query: Buffer;
  received(message: Buffer): void;
}

export class DnsServer {
  readonly #pending = new Map<number, Pending>();
  #nextId = Math.floor(Math.random() * 0x10000);

  private constructor(
    readonly title: string,
    private readonly address: string,
    private readonly port: number,
    private readonly socket: Socket,
  ) {
    socket.on('message', (message: Buffer) => {
      const pending = message.length < HEADER_LENGTH ? undefined : this.#pending.get(message.readUInt16BE(0));
      if (pending !== undefined && isReplyTo(pending.query, message)) pending.received(message);
    });
    // A closed port is reported by the timeout of each query.
    socket.on('error', () => {});
  }

  /** Throws CliError `usage`, and `unreachable_server` for an unknown host. */
  static async open(text: string): Promise<DnsServer> {
    const { host, port } = parseServer(text);
    let found: { address: string; family: number };
    try {
      found = await lookup(host);
    } catch (error) {
      throw unreachable(text, error instanceof Error ? error.message : String(error));
    }
    const type = found.family === 6 ? 'udp6' : 'udp4';
    const socket = createSocket({ type, recvBufferSize: 1 << 20 });
    socket.connect(port, found.address);
    try {
      await once(socket, 'connect');
    } catch (error) {
      throw unreachable(text, error instanceof Error ? error.message : String(error));
    }
    return new DnsServer(text, found.address, port, socket);
  }

  /** The response, or undefined after the last attempt. */
  async query(name: Name, type: number): Promise<Buffer | undefined> {
    const id = this.#takeId();
    if (id === undefined) return undefined;
    const query = encodeQuery(id, name, type);
    let response: Buffer | undefined;
    for (let attempt = 0; response === undefined && attempt < ATTEMPTS; attempt++)
      response = await this.#sendOnce(id, query, FIRST_WAIT * 2 ** attempt);
    if (response === undefined || (response[2] & TC) === 0) return response;
    for await (const message of this.#overTcp(query, TCP_WAIT)) if (isReplyTo(query, message)) return message;
    return undefined;
  }

  /** The records of a zone, with the SOA at both ends. Returns the reason if the server refuses. */
  async transfer(zone: Name): Promise<ResourceRecord[] | string> {
    const query = encodeQuery(Math.floor(Math.random() * 0x10000), zone, TYPE.AXFR);
    const records: ResourceRecord[] = [];
    let serials = 0;
    try {
      for await (const message of this.#overTcp(query, TRANSFER_WAIT)) {
        const rcode = message[3] & 15;
        if (rcode !== 0) return `the server refuses the transfer with RCODE ${rcode}`;
        for (const record of recordsOf(message)) {
          if (record.type === TYPE.SOA) serials++;
          if (records.push(record) > MAX_RECORDS) return 'the zone is too large';
        }
        if (serials > 1) return records;
        if (records.length === 0) return 'the server sends no records';
      }
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return 'the connection ended before the zone';
  }

  close(): void {
    this.socket.close();
  }

  #takeId(): number | undefined {
    for (let i = 0; i < 0x10000; i++) {
      this.#nextId = (this.#nextId + 1) & 0xffff;
      if (!this.#pending.has(this.#nextId)) return this.#nextId;
    }
    return undefined;
  }

  #sendOnce(id: number, query: Buffer, ms: number): Promise<Buffer | undefined> {
    return new Promise((done) => {
      const finish = (message?: Buffer): void => {
        clearTimeout(timer);
        this.#pending.delete(id);
        done(message);
      };
      const timer = setTimeout(finish, ms);
      this.#pending.set(id, { query, received: finish });
      this.socket.send(query);
    });
  }

  /** Yields the messages of a connection (RFC 7766). Ends after `ms` milliseconds without data. */
  async *#overTcp(query: Buffer, ms: number): AsyncGenerator<Buffer, void, undefined> {
    const socket = connect(this.port, this.address);
    socket.setTimeout(ms, () => socket.destroy(new Error('the server did not respond in time')));
    socket.write(Buffer.concat([Uint8Array.of(query.length >> 8, query.length), query]));
    let rest: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of socket) {
        rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
        while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
          const end = 2 + rest.readUInt16BE(0);
          if (end > 2 + HEADER_LENGTH - 1) yield rest.subarray(2, end);
          rest = rest.subarray(end);
        }
      }
    } finally {
      socket.destroy();
    }
  }
}

/** Without recursion, and with EDNS but without DNSSEC. */
function encodeQuery(id: number, name: Name, type: number): Buffer {
  const isTransfer = type === TYPE.AXFR;
  const query = Buffer.alloc(HEADER_LENGTH + name.length + 4 + (isTransfer ? 0 : OPT_LENGTH));
  query.writeUInt16BE(id, 0);
  query.writeUInt16BE(1, 4);
  query.set(name, HEADER_LENGTH);
  query.writeUInt16BE(type, HEADER_LENGTH + name.length);
  query.writeUInt16BE(CLASS_IN, HEADER_LENGTH + name.length + 2);
  if (isTransfer) return query;
  query.writeUInt16BE(1, 10);
  query.set(PLAIN_OPT, query.length - OPT_LENGTH);
  return query;
}

/** Whether id and question are those of the query. Servers without EDNS may omit the question. */
function isReplyTo(query: Buffer, message: Buffer): boolean {
  if ((message[2] & QR) === 0 || message[0] !== query[0] || message[1] !== query[1]) return false;
  if (message.readUInt16BE(4) === 0) return (message[3] & 15) !== 0;
  const end = questionEndOf(query);
  if (message.length < end) return false;
  for (let i = HEADER_LENGTH; i < end; i++) if (LOWER[message[i]] !== LOWER[query[i]]) return false;
  return true;
}

function questionEndOf(query: Buffer): number {
  let at = HEADER_LENGTH;
  while (query[at] !== 0) at += query[at] + 1;
  return at + 5;
}

/** Throws InvalidError `malformed_message`. */
function* recordsOf(message: Buffer): Generator<ResourceRecord, void, undefined> {
  const reader = new MessageReader(message, HEADER_LENGTH);
  for (let i = message.readUInt16BE(4); i > 0; i--) {
    reader.name();
    reader.u32();
  }
  for (let i = message.readUInt16BE(6); i > 0; i--) yield reader.record();
}

export const unreachable = (server: string, reason: string): CliError =>
  new CliError('unreachable_server', `The nameserver ${server} does not answer: ${reason}.`, {
    next: 'Check the address and the port, and that the server answers this machine.',
  });
