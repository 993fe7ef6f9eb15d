/** Writes the queries that the DNS threads have sampled from their rings to the log. */

import type { LogFields, Logger } from '../base/log/index.ts';
import type { Tasks } from '../base/tasks.ts';
import { typeName } from '../dns/wire/mnemonics.ts';
import { formatName } from '../dns/wire/name.ts';
import { formatIPv4, formatIPv6 } from '../dns/wire/rdata/index.ts';
import { RCODE } from '../dns/wire/types.ts';
import { TRANSPORT_NAMES } from '../net/address/client.ts';
import { ENTRY, ENTRY_FIELD, RING_ENTRIES, type SharedQueryLog, TAKEN, viewsOf, WRITTEN } from './query-log.ts';

/**
 * Interval in milliseconds, and lines of one ring at a time. That is 5,000 lines a second for each
 * thread, without blocking the event loop for long.
 */
const DRAIN_MS = 50;
const DRAIN_LINES = 250;

const RCODE_TEXT: ReadonlyMap<number, string> = new Map(Object.entries(RCODE).map(([text, code]) => [code, text]));
/** Third byte of the header (RFC 1035 4.1.1). */
const FLAGS: readonly (readonly [bit: number, text: string])[] = [
  [0x01, 'rd'],
  [0x04, 'aa'],
  [0x02, 'tc'],
];
const EDNS_FLAGS: readonly (readonly [bit: number, text: string])[] = [
  [1, 'edns'],
  [2, 'do'],
];

/**
 * Starts writing to `log`. `stop` writes the remaining entries.
 */
export function startQueryLog(shared: readonly SharedQueryLog[], tasks: Tasks, log: Logger): { stop(): void } {
  if (shared.length === 0) return { stop() {} };
  const task = tasks.add({
    name: 'query-log',
    owner: 'node',
    due: DRAIN_MS,
    log,
    run() {
      for (const { ring } of shared) drainRing(ring, log, DRAIN_LINES);
    },
  });
  task.start();
  return {
    stop() {
      void task.stop();
      for (const { ring } of shared) drainRing(ring, log, RING_ENTRIES);
    },
  };
}

function drainRing(ring: SharedArrayBuffer, log: Logger, maxLines: number): void {
  const { counts, bytes, doubles } = viewsOf(ring);
  const written = Atomics.load(counts, WRITTEN);
  let taken = Atomics.load(counts, TAKEN);
  for (let i = 0; i < maxLines && taken !== written; i++) {
    log.info('query', readEntry(bytes, doubles, ((taken >>> 0) % RING_ENTRIES) * ENTRY));
    taken = (taken + 1) | 0;
    Atomics.store(counts, TAKEN, taken);
  }
}

/** The log fields of the entry at bytes[at]. */
function readEntry(bytes: Uint8Array, doubles: Float64Array, at: number): LogFields {
  const number = (field: number): number => (bytes[at + field] << 8) | bytes[at + field + 1];
  const milliseconds = performance.timeOrigin + doubles[(at + ENTRY_FIELD.time) / 8];
  const address = bytes.slice(at + ENTRY_FIELD.client, at + ENTRY_FIELD.client + bytes[at + ENTRY_FIELD.clientLength]);
  const nameLength = bytes[at + ENTRY_FIELD.nameLength];
  const rcode = number(ENTRY_FIELD.rcode);
  const size = number(ENTRY_FIELD.size);
  const transport = bytes[at + ENTRY_FIELD.transport];
  return {
    at: new Date(milliseconds).toISOString(),
    client: address.length === 4 ? formatIPv4(address) : formatIPv6(address),
    // The port is not available over HTTPS.
    port: number(ENTRY_FIELD.port) || undefined,
    transport: TRANSPORT_NAMES[transport],
    // Missing if the question could not be parsed.
    name:
      nameLength === 0 ? undefined : formatName(bytes.slice(at + ENTRY_FIELD.name, at + ENTRY_FIELD.name + nameLength)),
    type: nameLength === 0 ? undefined : typeName(number(ENTRY_FIELD.type)),
    flags: [
      ...FLAGS.filter(([bit]) => (bytes[at + ENTRY_FIELD.flags] & bit) !== 0),
      ...EDNS_FLAGS.filter(([bit]) => (bytes[at + ENTRY_FIELD.edns] & bit) !== 0),
    ]
      .map(([, text]) => text)
      .join(' '),
    rcode: RCODE_TEXT.get(rcode) ?? String(rcode),
    // 0 if the rate limit dropped the response.
    size: size === 0 ? 'dropped' : size,
  };
}
