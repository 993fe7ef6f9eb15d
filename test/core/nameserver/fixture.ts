/**
 * Starts a nameserver on threads of this process, with zones compiled into an index, without a
 * store.
 */
import type { Worker } from 'node:worker_threads';
import { createLogger } from '../../../core/base/log/index.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { RCODE, type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import { type Nameserver, type NameserverOptions, startNameserver } from '../../../core/nameserver/nameserver.ts';
import type { TcpLimits } from '../../../core/nameserver/worker.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { compileNode } from '../../../core/zone/compile/compile.ts';
import { MemoryZone } from '../../../core/zone/compile/memory.ts';
import { LEVEL } from '../../support/level.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { singleNodeTasks } from '../../support/tasks.ts';
import { temporaryFolder } from '../../support/temp.ts';

export const APEX = 'example.test';
export const LIMITS: TcpLimits = { idleTimeout: 10_000, queryTimeout: 10_000, maxConnections: 100, maxPerAddress: 100 };
export const V4 = { address: '127.0.0.1', port: 0, family: 4 } as const;
export const V6 = { address: '::1', port: 0, family: 6 } as const;
export const UDP_PAYLOAD = 1232;

/** The transports that most suites run with. At quick depth this is only the batch transport. */
export const TRANSPORTS: readonly ('batch' | 'portable')[] = LEVEL === 'quick' ? ['batch'] : ['batch', 'portable'];

/** A name without a trailing dot is relative to the apex. */
export function record(name: string, type: number, rdata: Uint8Array, ttl = 300): ResourceRecord {
  return { name: parseName(name, parseName(`${APEX}.`)), type, ttl, rdata };
}

export const soa = (serial = 1): ResourceRecord => {
  const numbers = Buffer.alloc(20);
  [serial, 3600, 600, 86_400, 60].forEach((value, i) => {
    numbers.writeUInt32BE(value, i * 4);
  });
  return record(
    '@',
    TYPE.SOA,
    Buffer.concat([parseName('ns.example.test.'), parseName('root.example.test.'), numbers]),
  );
};

export const a = (name: string, ...bytes: number[]): ResourceRecord => record(name, TYPE.A, Uint8Array.from(bytes));

/** `count` different strings of `size` bytes. */
export const texts = (name: string, count: number, size: number): ResourceRecord[] =>
  Array.from({ length: count }, (_, i) =>
    record(name, TYPE.TXT, Buffer.concat([Uint8Array.of(size), Buffer.from(String(i).padStart(size, 'x'))])),
  );

/**
 * The zone of most tests. `medium` needs about 900 bytes, `long` 5,000, `largest` nearly 65,535.
 */
export const ZONE: readonly ResourceRecord[] = [
  soa(),
  record('@', TYPE.NS, parseName('ns.example.test.')),
  a('ns', 192, 0, 2, 53),
  ...Array.from({ length: 100 }, (_, i) => a(`host${i}`, 192, 0, 2, i)),
  ...texts('medium', 8, 100),
  ...texts('long', 40, 110),
  ...texts('largest', 247, 250),
];

/** Adds all nodes of a zone to the index. */
export function putZone(index: IndexWriter, records: readonly ResourceRecord[], apex = `${APEX}.`): void {
  const zone = new MemoryZone(parseName(apex), records);
  for (const name of zone.names()) {
    const node = compileNode(zone, name);
    if (node !== null) index.put(node, false);
  }
  index.publish();
}

export interface Served extends Nameserver {
  readonly index: IndexWriter;
  /** The logged lines. */
  readonly log: string[];
  /** The latest thread of each name. */
  readonly threads: Map<string, Worker>;
  readonly port: number;
}

export async function serve(
  options: Partial<Omit<NameserverOptions, 'log' | 'onThread'>> & { records?: readonly ResourceRecord[] } = {},
): Promise<Served> {
  const index = options.index ?? new IndexWriter(64 << 20);
  if (options.index === undefined) putZone(index, options.records ?? ZONE);
  const log: string[] = [];
  const threads = new Map<string, Worker>();
  const nameserver = await startNameserver({
    storeDirectory: temporaryFolder('net'),
    listen: [V4],
    workers: 1,
    udpPayload: UDP_PAYLOAD,
    transport: 'auto',
    tcp: LIMITS,
    ...options,
    index,
    tasks: singleNodeTasks(),
    log: createLogger({ level: 'debug', format: 'text', write: (line) => log.push(line) }),
    onThread: (name, worker) => threads.set(name, worker),
  });
  return {
    ...nameserver,
    get listening() {
      return nameserver.listening;
    },
    index,
    log,
    threads,
    port: nameserver.listen[0].port,
  };
}

interface Asked {
  readonly type?: number;
  readonly id?: number;
  /** UDP size in the OPT record. If omitted, there is no OPT. */
  readonly edns?: number;
}

export function ask(name: string, { type = TYPE.A, id = 1, edns }: Asked = {}): Uint8Array {
  return encodeQuery(
    {
      name: namedInCase(name),
      type,
      class: 1,
      edns: edns === undefined ? undefined : { version: 0, size: edns, do: false },
    },
    id,
  );
}

/** Like parseName relative to the apex, but keeps the case. */
function namedInCase(text: string): Uint8Array {
  const labels = text.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return new Uint8Array(Buffer.concat([...labels, parseName(`${APEX}.`)]));
}

/**
 * The last byte of the only address in the answer to a query for `host…`. -1 for any other
 * response.
 */
export function byteOf(response: Uint8Array | null): number {
  if (response === null) return -1;
  const { rcode, answer } = decodeMessage(response);
  return rcode === RCODE.NOERROR && answer.length === 1 && answer[0].type === TYPE.A ? answer[0].rdata[3] : -1;
}
