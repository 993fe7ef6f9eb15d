/**
 * The parent zone `example.` of a test: two nameservers on addresses of their own, since
 * nameservers are asked at port 53. The zone is signed, so that a resolver that trusts its key
 * validates what is below. Each server has DS records of its own. They also answer as the resolver
 * that finds them.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { generateKeyPair, SigningKey } from '../../../core/dns/dnssec/keys.ts';
import { equalNames, formatName, type Name, parseName } from '../../../core/dns/wire/name.ts';
import { formatRdata, parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { CLASS_IN, RCODE, type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import { signZone } from '../../core/dns/dnssec/signed-zone.ts';
import type { Expected } from '../../reference/resolver.ts';
import { decodeMessage } from '../../support/message.ts';
import { encodeResponse } from '../../support/response.ts';

const APEX = parseName('example.');
const HOSTS = ['ns1.example.', 'ns2.example.'];
const PORT = 53;
const TTL = 3600;
/** Seconds after which the zone is signed again. */
const RENEWAL = 86_400;

export interface ParentOptions {
  /** Name of the zone whose parent this is. */
  readonly child: string;
  /** Seconds. */
  readonly dsTtl: number;
  /** Seconds since 1970. */
  readonly now?: () => number;
}

export class ParentZone {
  readonly addresses: readonly string[];
  readonly #key = new SigningKey(generateKeyPair(15));
  readonly #options: ParentOptions;
  readonly #child: Name;
  readonly #sets: (readonly string[])[] = HOSTS.map(() => []);
  readonly #signed: ({ readonly at: number; readonly records: readonly ResourceRecord[] } | null)[] = [null, null];
  readonly #closers: (() => Promise<void>)[] = [];

  private constructor(options: ParentOptions) {
    this.#options = options;
    this.#child = parseName(options.child);
    // Other test processes run at the same time.
    const { pid } = process;
    this.addresses = HOSTS.map((_, i) => `127.${128 + (pid >> 15)}.${(pid >> 7) & 255}.${((pid & 127) << 1) + i}`);
  }

  static async start(options: ParentOptions): Promise<ParentZone> {
    const parent = new ParentZone(options);
    for (const index of HOSTS.keys()) await parent.#listen(index);
    return parent;
  }

  /** Settings of a daemon that asks this parent. */
  get settings(): Record<string, string> {
    return {
      WAYPOST_DNSSEC_RESOLVERS: `${this.addresses[0]}:${PORT}`,
      WAYPOST_DNSSEC_ALLOW_PRIVATE_PARENTS: '127.0.0.0/8',
    };
  }

  /** The key of the zone as a trust anchor. */
  get anchor(): string {
    return `${formatName(APEX)} DNSKEY ${formatRdata(TYPE.DNSKEY, this.#key.dnskey)}`;
  }

  /** The DS records that the servers have from now on, as text. `server`: omitted: both. */
  setDs(records: readonly string[], server?: number): void {
    for (const index of server === undefined ? HOSTS.keys() : [server]) {
      this.#sets[index] = records;
      this.#signed[index] = null;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#closers.map((close) => close()));
  }

  async #listen(index: number): Promise<void> {
    const address = this.addresses[index];
    const udp = createSocket('udp4');
    udp.on('message', (query, { port, address: to }) => {
      udp.send(this.#answer(index, query), port, to);
    });
    const tcp: Server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        const message = this.#answer(index, chunk.subarray(2));
        socket.write(Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]));
      });
    });
    udp.bind(PORT, address);
    tcp.listen(PORT, address);
    await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
    this.#closers.push(async () => {
      udp.close();
      tcp.close();
    });
  }

  #records(index: number): readonly ResourceRecord[] {
    const now = (this.#options.now ?? (() => Math.floor(Date.now() / 1000)))();
    const last = this.#signed[index];
    if (last !== null && Math.abs(now - last.at) < RENEWAL) return last.records;
    const record = (name: Name, type: number, content: string, ttl = TTL): ResourceRecord => ({
      ...{ name, type, ttl },
      rdata: parseRdata(type, content),
    });
    const records = signZone(
      [
        record(APEX, TYPE.SOA, 'ns1.example. host.example. 1 7200 900 1209600 60'),
        ...HOSTS.map((host) => record(APEX, TYPE.NS, host)),
        ...HOSTS.map((host, i) => record(parseName(host), TYPE.A, this.addresses[i])),
        record(this.#child, TYPE.NS, `ns.${this.#options.child}`),
        ...this.#sets[index].map((ds) => record(this.#child, TYPE.DS, ds, this.#options.dsTtl)),
      ],
      APEX,
      [this.#key],
      now,
    );
    this.#signed[index] = { at: now, records };
    return records;
  }

  #answer(index: number, packet: Buffer): Uint8Array {
    const { question, opt } = decodeMessage(packet);
    const name = question.subarray(0, -4).map((c) => (c >= 0x41 && c <= 0x5a ? c + 32 : c));
    const type = Buffer.from(question).readUInt16BE(question.length - 4);
    const edns = opt && { version: 0, size: 4096, do: opt.do };
    return encodeResponse(packet, { name, type, class: CLASS_IN, edns }, this.#resolve(index, name, type, opt?.do));
  }

  #resolve(index: number, name: Name, type: number, isDo = false): Expected {
    const records = this.#records(index);
    const withSignatures = (owner: Name, wanted: number): ResourceRecord[] =>
      records.filter(
        (record) =>
          equalNames(record.name, owner) &&
          (record.type === wanted || (isDo && record.type === TYPE.RRSIG && coveredBy(record) === wanted)),
      );
    const answer = withSignatures(name, type);
    const rest = { aa: true, referral: false, additional: [] };
    if (answer.length > 0 && (type === TYPE.DS || !equalNames(name, this.#child)))
      return { ...rest, rcode: RCODE.NOERROR, answer, authority: [] };
    // All NSEC3 records: they are few, and what is denied is among it.
    const proofs = isDo ? records.filter(({ type: own }) => own === TYPE.NSEC3).map(({ name: owner }) => owner) : [];
    const authority = [APEX, ...proofs].flatMap((owner) =>
      withSignatures(owner, owner === APEX ? TYPE.SOA : TYPE.NSEC3),
    );
    const exists = records.some((record) => equalNames(record.name, name));
    return { ...rest, rcode: exists ? RCODE.NOERROR : RCODE.NXDOMAIN, answer: [], authority };
  }
}

const coveredBy = ({ rdata }: ResourceRecord): number => (rdata[0] << 8) | rdata[1];
