/**
 * A primary in this process that serves zones with any records, including invalid signatures. SOA
 * over UDP and TCP; AXFR, and IXFR from the previous version, over TCP.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { PLAIN_OPT, withExpire } from '../../core/dns/wire/edns.ts';
import { MAX_MESSAGE } from '../../core/dns/wire/header.ts';
import { MessageReader } from '../../core/dns/wire/message-reader.ts';
import { equalNames, LOWER, nameId } from '../../core/dns/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { freePort } from './ports.ts';
import { recordText, serialOf } from './transfer-client.ts';

const HEADER = 12;
/** Bytes of records after which a message is sent. */
const MESSAGE_BYTES = 48_000;

/** A record of class IN, unless it has another. */
type ServedRecord = ResourceRecord & { readonly class?: number };

interface Versions {
  readonly zone: readonly ResourceRecord[];
  readonly before: readonly ResourceRecord[] | null;
}

export class ZonePrimary {
  readonly port: number;
  readonly #udp: UdpSocket;
  readonly #tcp: Server;
  readonly #connections = new Set<Socket>();
  readonly #zones = new Map<string, Versions>();
  /** Types of the queries received over TCP. */
  readonly requested: number[] = [];
  /** Addresses of clients. */
  readonly clients = new Set<string>();
  /** The response code for IXFR; 0: it is answered. */
  ixfrCode = 0;
  /** The seconds of EXPIRE (RFC 7314); null: it answers without EDNS. */
  expire: number | null = null;

  private constructor(port: number, udp: UdpSocket, tcp: Server) {
    this.port = port;
    this.#udp = udp;
    this.#tcp = tcp;
  }

  static async start(...zones: (readonly ResourceRecord[])[]): Promise<ZonePrimary> {
    const port = await freePort();
    const primary = new ZonePrimary(port, createSocket('udp4'), createServer());
    for (const zone of zones) primary.replace(zone);
    await primary.#listen();
    return primary;
  }

  async #listen(): Promise<void> {
    const udp = this.#udp;
    udp.on('message', (query, { port, address }) => {
      this.clients.add(address);
      udp.send(this.#first(query, [soaOf(this.#versions(query).zone)]), port, address);
    });
    udp.bind(this.port, '127.0.0.1');
    this.#tcp.on('connection', (socket) => {
      this.#connections.add(socket);
      this.clients.add(String(socket.remoteAddress));
      socket.on('error', () => {});
      socket.on('close', () => this.#connections.delete(socket));
      let received = Buffer.alloc(0);
      socket.on('data', (bytes) => {
        received = Buffer.concat([received, bytes]);
        for (let length = size(received); received.length >= length; length = size(received)) {
          this.#transfer(socket, received.subarray(2, length));
          received = received.subarray(length);
        }
      });
    });
    this.#tcp.listen(this.port, '127.0.0.1');
    await Promise.all([once(udp, 'listening'), once(this.#tcp, 'listening')]);
  }

  /** Replaces a zone. IXFR is only possible from the previous version. */
  replace(zone: readonly ResourceRecord[]): void {
    const id = nameId(soaOf(zone).name);
    this.#zones.set(id, { zone, before: this.#zones.get(id)?.zone ?? null });
  }

  #versions(query: Buffer): Versions {
    const name = new MessageReader(query, HEADER).name();
    return this.#zones.get(nameId(name.map((byte) => LOWER[byte])))!;
  }

  #transfer(socket: Socket, query: Buffer): void {
    const type = new MessageReader(query, questionEnd(query) - 4).u16();
    this.requested.push(type);
    const { zone, before } = this.#versions(query);
    const soa = soaOf(zone);
    if (type === TYPE.SOA) {
      send(socket, this.#first(query, [soa]));
      return;
    }
    if (type === TYPE.IXFR && this.ixfrCode !== 0) {
      const refusal = respond(query, []);
      refusal[3] = this.ixfrCode;
      send(socket, refusal);
      return;
    }
    const isIncremental = type === TYPE.IXFR && before !== null && serialAsked(query) === serialOf(soaOf(before));
    const others = zone.filter((record) => record !== soa);
    const all = isIncremental ? differences(before, zone) : [soa, ...others, soa];
    let chunk: ResourceRecord[] = [];
    let bytes = 0;
    let sent = 0;
    const sendChunk = (): void => send(socket, sent++ === 0 ? this.#first(query, chunk) : respond(query, chunk));
    for (const record of all) {
      chunk.push(record);
      bytes += record.name.length + 10 + record.rdata.length;
      if (bytes < MESSAGE_BYTES) continue;
      sendChunk();
      chunk = [];
      bytes = 0;
    }
    if (chunk.length > 0) sendChunk();
  }

  /** The first message of an answer. */
  #first(query: Buffer, records: readonly ResourceRecord[]): Buffer {
    const response = respond(query, records);
    if (this.expire === null) return response;
    response[11] = 1;
    return Buffer.from(withExpire(Buffer.concat([response, PLAIN_OPT]), this.expire, MAX_MESSAGE));
  }

  async close(): Promise<void> {
    this.#udp.close();
    for (const socket of this.#connections) socket.destroy();
    this.#tcp.close();
    await once(this.#tcp, 'close');
  }
}

const soaOf = (zone: readonly ResourceRecord[]): ResourceRecord => zone.find(({ type }) => type === TYPE.SOA)!;

/** Size of the next message including its length prefix; Infinity: the prefix is incomplete. */
const size = (received: Buffer): number =>
  received.length < 2 ? Number.POSITIVE_INFINITY : 2 + received.readUInt16BE(0);

function questionEnd(query: Buffer): number {
  let end = HEADER;
  while (query[end] !== 0) end += query[end] + 1;
  return end + 5;
}

/** The serial in the authority section of an IXFR query. */
function serialAsked(query: Buffer): number {
  const reader = new MessageReader(query, questionEnd(query));
  return serialOf(reader.record());
}

/** Encodes the changes as differences (RFC 1995 section 4). */
function differences(before: readonly ResourceRecord[], after: readonly ResourceRecord[]): ResourceRecord[] {
  const [old, current] = [before, after].map((zone) => new Set(zone.map(recordText)));
  const [oldSoa, soa] = [soaOf(before), soaOf(after)];
  const isOther = ({ type, name }: ResourceRecord): boolean => type !== TYPE.SOA || !equalNames(name, soa.name);
  const removed = before.filter((record) => isOther(record) && !current.has(recordText(record)));
  const added = after.filter((record) => isOther(record) && !old.has(recordText(record)));
  return [soa, oldSoa, ...removed, soa, ...added, soa];
}

function respond(query: Buffer, records: readonly ResourceRecord[]): Buffer {
  const head = Buffer.from(query.subarray(0, questionEnd(query)));
  head[2] = 0x84;
  head[3] = 0;
  head.fill(0, 6, HEADER);
  head.writeUInt16BE(records.length, 6);
  const parts = records.map(({ name, type, class: qclass = CLASS_IN, ttl, rdata }: ServedRecord) => {
    const fields = Buffer.alloc(10);
    fields.writeUInt16BE(type, 0);
    fields.writeUInt16BE(qclass, 2);
    fields.writeUInt32BE(ttl, 4);
    fields.writeUInt16BE(rdata.length, 8);
    return Buffer.concat([name, fields, rdata]);
  });
  return Buffer.concat([head, ...parts]);
}

function send(socket: Socket, message: Buffer): void {
  socket.write(Buffer.concat([Uint8Array.of(message.length >> 8, message.length & 255), message]));
}
