/**
 * Nanoseconds that the query path takes for a query, without sockets, by what it asks of EDNS. Run:
 * node dist/bench/core/zone/answer/respond.bench.js
 */
import { MessageChannel } from 'node:worker_threads';
import { Bench } from 'tinybench';
import { EDNS_OPTION } from '../../../../core/dns/wire/edns.ts';
import { Client } from '../../../../core/net/address/client.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { IndexReader } from '../../../../core/zone/answer/index-reader.ts';
import { Responder } from '../../../../core/zone/answer/responder.ts';
import { PLAIN } from '../../../../core/zone/answer/settings.ts';
import { ask, putZone, ZONE } from '../../../../test/core/nameserver/fixture.ts';
import { option, queryWith } from '../../../../test/core/zone/answer/fixture.ts';

const BATCH = 64;
const BATCHES = 100;
const SLOT = 2048;
const CLIENT_COOKIE = [1, 2, 3, 4, 5, 6, 7, 8];

const index = new IndexWriter(1 << 20);
putZone(index, ZONE);
const { port1, port2 } = new MessageChannel();
port1.unref();
port2.unref();
const reader = new IndexReader(index.share(port1), 1, port2, {
  refresh: () => {},
  fetch: () => 0,
  fetchEntry: () => 0,
});
const settings = { ...PLAIN, cookies: 'on', cookieSecrets: [new Uint8Array(16).fill(7)], nsid: 'node-7' } as const;
const responder = new Responder(reader, 1232, settings);
const client = new Client();
client.setAddress(Uint8Array.of(192, 0, 2, 77), 0, 4);
const buffer = new Uint8Array(BATCH * SLOT);

/** A batch of one query, as the UDP loop does it. Returns the length of the last response. */
function batch(packet: Uint8Array): number {
  let length = 0;
  reader.enter();
  for (let i = 0; i < BATCH; i++) {
    for (let k = 0; k < packet.length; k++) buffer[i * SLOT + k] = packet[k];
    length = responder.respond(buffer, i * SLOT, packet.length, client);
  }
  reader.leave();
  return length;
}

/** The cookie is the last option of the response. */
function givenCookie(): Uint8Array {
  const length = batch(queryWith(option(EDNS_OPTION.COOKIE, CLIENT_COOKIE)));
  return buffer.slice(length - 24, length);
}

const QUERIES: Record<string, Uint8Array> = {
  'A, no OPT': ask('host1'),
  'NXDOMAIN, no OPT': ask('none'),
  'A, OPT': ask('host1', { edns: 1232 }),
  'A, NSID': queryWith(option(EDNS_OPTION.NSID)),
  "A, a client's cookie": queryWith(option(EDNS_OPTION.COOKIE, CLIENT_COOKIE)),
  'A, a cookie of ours': queryWith(option(EDNS_OPTION.COOKIE, givenCookie())),
};

const bench = new Bench({ time: 1000, warmupIterations: 50 });
for (const [what, packet] of Object.entries(QUERIES))
  bench.add(what, () => {
    for (let i = 0; i < BATCHES; i++) batch(packet);
  });
await bench.run();
console.table(
  bench.tasks.map((task) => ({
    query: task.name,
    'ns (median)': 'latency' in task.result ? Math.round((task.result.latency.p50 * 1e6) / BATCH / BATCHES) : 'failed',
  })),
);
