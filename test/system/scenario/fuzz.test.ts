/**
 * Mutated packets. 1. Through the query path in this process: each response is sound, or there is
 * none. 2. As many over UDP to the daemon: it lives, its memory stays, and it goes on answering.
 */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { TCP_LIMIT, UDP_LIMIT } from '../../reference/compare.ts';
import { buildQuestion, buildWorld, questionDraft, worldDraft } from '../../reference/generate.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../support/daemon.ts';
import { depth } from '../../support/depth.ts';
import { UdpClient } from '../../support/dns-client.ts';
import fc from '../../support/fc.ts';
import { InProcess } from '../../support/in-process.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { mutate } from '../../support/mutate.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';

const PACKETS = depth({ quick: 50_000, moderate: 50_000, full: 1_000_000 });
/** Growth of resident memory that is no leak: what the collector leaves, in bytes. */
const SLACK = 48 << 20;

/** Good queries for a large generated world, to be mutated. */
function seeds(): { queries: Uint8Array[]; zones: ReturnType<typeof buildWorld>['zones'] } {
  const drafts = fc.tuple(worldDraft, fc.array(questionDraft, { minLength: 200, maxLength: 200, size: 'max' }));
  const worlds = fc.sample(drafts, { numRuns: 50, seed: SEED }).map(([draft, questions], i) => {
    const world = buildWorld(draft, parseName(`w${i}.test.`));
    const queries = questions.map((question) => buildQuestion(question, world)).filter((query) => query !== undefined);
    return { zones: [...world.zones], queries: queries.map((query, id) => encodeQuery(query, id)) };
  });
  return {
    zones: new Map(worlds.flatMap(({ zones: list }) => list)),
    queries: worlds.flatMap(({ queries: batch }) => batch),
  };
}

const { zones, queries } = seeds();
const hex = (packet: Uint8Array): string => Buffer.from(packet).toString('hex');

/** What every response has to be, whatever was asked. */
function check(packet: Uint8Array, response: Uint8Array | null, limit: number): void {
  const isQuery = packet.length >= 12 && packet[2] < 0x80;
  if (response === null) {
    if (isQuery) throw new Error(`seed ${SEED}: silence to the query ${hex(packet)}`);
    return;
  }
  if (!isQuery) throw new Error(`seed ${SEED}: a response to ${hex(packet)}`);
  try {
    const { header, question } = decodeMessage(response);
    assert.is(header.id, (packet[0] << 8) | packet[1], 'ID');
    assert.ok(header.qr, 'QR');
    assert.is(header.opcode, (packet[2] >> 3) & 15, 'opcode');
    assert.ok(response.length <= limit, `${response.length} bytes`);
    assert.is(hex(question), hex(packet.subarray(12, 12 + question.length)), 'question');
  } catch (error) {
    throw new Error(`seed ${SEED}: ${error}\npacket ${hex(packet)}\nresponse ${hex(response)}`);
  }
}

function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

test(`${PACKETS} mutated packets through the query path, seed ${SEED}`, () => {
  const random = new Random(SEED);
  const server = new InProcess();
  server.load(zones);
  for (let i = 0; i < PACKETS; i++) {
    const packet = mutate(random.pick(queries), random);
    const limit = i % 4 === 3 ? TCP_LIMIT : UDP_LIMIT;
    check(packet, server.answer(packet, limit), limit);
  }
});

test(`${PACKETS} mutated packets to the daemon, seed ${SEED}`, async () => {
  const daemon = await startDaemon();
  const client = await UdpClient.connect(daemon.dnsPort);
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const id = await daemon.api.createDomain('fuzz.example');
    await daemon.api.createRecord(id, '*', 'A', '192.0.2.1');
    const random = new Random(SEED);
    const good = encodeQuery({ name: parseName('good.fuzz.example.'), type: TYPE.A, class: CLASS_IN }, 0);
    const isAlive = async (after: number): Promise<void> => {
      const response = await client.query(good, 2000);
      if (response === null)
        throw new Error(`seed ${SEED}: no answer after ${after} packets:\n${daemon.child.output()}`);
      assert.is(decodeMessage(response).answer.length, 1, `after ${after} packets, seed ${SEED}`);
    };
    const rounds = Math.max(2, Math.ceil(PACKETS / 250));
    let warm = 0;
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < 250; i++) {
        // Half of them for the zone that is served, so that more than REFUSED is tried.
        const packet = mutate(i % 2 === 0 ? good : random.pick(queries), random);
        // ID 0 is the good query's.
        if (packet.length > 1) packet[1] |= 1;
        client.send(packet);
      }
      await isAlive(250 * (round + 1));
      if (round === Math.floor(rounds / 2)) warm = residentOf(daemon.child.pid);
    }
    const grown = residentOf(daemon.child.pid) - warm;
    assert.ok(grown < SLACK, `resident memory grew by ${grown} bytes in the second half, seed ${SEED}`);
  } finally {
    client.close();
    await daemon.close();
  }
});

test.run();
