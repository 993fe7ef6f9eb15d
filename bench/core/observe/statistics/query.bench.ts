/**
 * `node dist/bench/core/observe/statistics/query.bench.js`: CPU time of a query in a DNS thread,
 * without sockets, with and without samples for statistics, alternately. The least of many rounds
 * counts, so that other load on the machine disturbs little.
 */
import { MessageChannel } from 'node:worker_threads';
import { NameserverCounters, ThreadCounters } from '../../../../core/nameserver/counters.ts';
import { QueryHandler } from '../../../../core/nameserver/query-handler.ts';
import { Client } from '../../../../core/net/address/client.ts';
import { createSampleRing, SampleReader, SampleWriter } from '../../../../core/observe/statistics/sample-ring.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { IndexReader } from '../../../../core/zone/answer/index-reader.ts';
import { Responder } from '../../../../core/zone/answer/responder.ts';
import { PLAIN } from '../../../../core/zone/answer/settings.ts';
import { ask, putZone, ZONE } from '../../../../test/core/nameserver/fixture.ts';

const BATCH = 64;
const BATCHES = 400;
const SLOT = 2048;
const ROUNDS = 400;

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
const responder = new Responder(reader, 1232, PLAIN);
const client = new Client();
client.setAddress(Uint8Array.of(192, 0, 2, 77), 0, 4);
const packets = new Uint8Array(BATCH * SLOT);
const query = ask('host1');
const counters = new ThreadCounters(new NameserverCounters(['udp']).slice(0));
const ring = createSampleRing(64);
const samples = new SampleReader(ring);
const onFault = (error: unknown): void => {
  throw error;
};
const subjects = [null, new SampleWriter(ring)].map((sampler) => ({
  name: sampler === null ? 'off' : 'on',
  handler: new QueryHandler({ index: reader, responder, counters, onFault, sampler }),
  least: Number.POSITIVE_INFINITY,
}));

/** CPU microseconds of a query. */
function measure(handler: QueryHandler): number {
  const before = process.cpuUsage();
  for (let batch = 0; batch < BATCHES; batch++) {
    handler.startBatch(0, packets, SLOT, 1);
    for (let i = 0; i < BATCH; i++) {
      packets.set(query, i * SLOT);
      handler.answer(packets, i * SLOT, query.length, client, null);
    }
    handler.endBatch();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (BATCH * BATCHES);
}

for (let round = 0; round < ROUNDS; round++)
  for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
    const micros = measure(subject.handler);
    // The first rounds compile the code.
    if (round > ROUNDS / 10) subject.least = Math.min(subject.least, micros);
    samples.drain(() => {});
  }
for (const { name, least } of subjects) process.stdout.write(`statistics ${name}: ${(least * 1000).toFixed(0)} ns\n`);
