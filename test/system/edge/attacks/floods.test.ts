/**
 * Floods over HTTP/2: frames that cost the client less than the server. Each ends the session with
 * ENHANCE_YOUR_CALM, unless it says otherwise.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  continuation,
  data,
  END_HEADERS,
  frame,
  goaway,
  headers,
  PADDED,
  padded,
  ping,
  priority,
  resetStream,
  SETTING,
  settings,
  TYPE,
  uint32,
  windowUpdate,
} from '../../../edge/conformance/frames.ts';
import { block, FIRST_DYNAMIC, indexed, literal } from '../../../edge/conformance/hpack.ts';
import { depth } from '../../../support/depth.ts';
import type { Host } from '../host/host.ts';
import { Attacker, request, requestLines, streamId } from './attacker.ts';
import { counted, neighbour, startTarget } from './rig.ts';

/**
 * Connections that attack at the same time, how often they come back, and units that each sends at
 * most.
 */
const ATTACKERS = 4;
const ROUNDS = depth({ quick: 2, moderate: 2, full: 10 });
const MOST = 30_000;
const LARGEST_WINDOW = 0x7fffffff;

const test = suite<{ host: Host }>('floods');
test.before(async (context) => {
  context.host = await startTarget();
});
test.after(async ({ host }) => {
  assert.is(await host.stop(), 0, host.output());
});

interface Flood {
  readonly name: string;
  /** Sent before. */
  readonly first?: readonly Buffer[];
  readonly unit: (i: number) => Buffer;
  /** Counter of the end, without `http2_session_`. */
  readonly ending: string;
}

const open = (i: number): Buffer => request(i, '/hold');
const pair = (...parts: readonly Buffer[]): Buffer => Buffer.concat(parts);

const FLOODS: readonly Flood[] = [
  {
    name: 'rapid reset (CVE-2023-44487)',
    unit: (i) => pair(open(i), resetStream(streamId(i))),
    ending: 'reset_flood',
  },
  {
    name: 'rapid reset of streams that answer at once',
    unit: (i) => pair(request(i, '/ready'), resetStream(streamId(i))),
    ending: 'reset_flood',
  },
  {
    name: 'rapid reset of bodies that are read',
    unit: (i) => pair(request(i, '/sink', END_HEADERS), resetStream(streamId(i))),
    ending: 'reset_flood',
  },
  {
    name: 'resets that the server is made to send, by increments of 0 (CVE-2025-8671)',
    unit: (i) => pair(open(i), windowUpdate(streamId(i), 0)),
    ending: 'reset_flood',
  },
  {
    name: 'the same by windows that overflow',
    unit: (i) => pair(open(i), windowUpdate(streamId(i), LARGEST_WINDOW)),
    ending: 'reset_flood',
  },
  {
    name: 'the same by DATA on a stream that the client has ended',
    unit: (i) => pair(open(i), data(streamId(i), 'x')),
    ending: 'reset_flood',
  },
  {
    name: 'the same by HEADERS on a stream that the client has ended',
    unit: (i) => pair(open(i), headers(streamId(i), block([['x-late', '1']]))),
    ending: 'reset_flood',
  },
  {
    name: 'the same by PRIORITY of a wrong length',
    unit: (i) => pair(open(i), frame(TYPE.PRIORITY, 0, streamId(i), Buffer.alloc(4))),
    ending: 'reset_flood',
  },
  {
    name: 'the same by more DATA than was announced',
    unit: (i) => pair(request(i, '/sink', END_HEADERS, ['content-length', '1']), data(streamId(i), 'xx')),
    ending: 'reset_flood',
  },
  {
    name: 'HEADERS with nothing in them',
    unit: (i) => headers(streamId(i), Buffer.alloc(0)),
    ending: 'reset_flood',
  },
  {
    name: 'streams beyond those that are allowed',
    unit: open,
    ending: 'reset_flood',
  },
  {
    name: 'a header block without end',
    first: [headers(1, block(requestLines('/ready')), 0)],
    unit: (i) => continuation(1, block([[`x-${i}`, 'x'.repeat(1000)]]), 0),
    ending: 'continuation_flood',
  },
  {
    name: 'a header block without end that says nothing',
    first: [headers(1, block(requestLines('/ready')), 0)],
    unit: () => continuation(1, Buffer.alloc(0), 0),
    ending: 'continuation_flood',
  },
  { name: 'SETTINGS', unit: () => settings(), ending: 'settings_flood' },
  {
    name: 'SETTINGS that move the windows of many streams',
    first: Array.from({ length: 100 }, (_, i) => open(i)),
    unit: (i) => settings([SETTING.INITIAL_WINDOW_SIZE, i % 2]),
    ending: 'settings_flood',
  },
  {
    name: 'SETTINGS that resize the header table',
    unit: (i) => settings([SETTING.HEADER_TABLE_SIZE, i % 2 === 0 ? 0 : 4096]),
    ending: 'settings_flood',
  },
  { name: 'PING', unit: () => ping('12345678'), ending: 'ping_flood' },
  {
    name: 'empty DATA',
    first: [request(0, '/sink', END_HEADERS)],
    unit: () => data(1, ''),
    ending: 'empty_flood',
  },
  {
    name: 'DATA of padding alone',
    first: [request(0, '/sink', END_HEADERS)],
    unit: () => data(1, padded('', 200), PADDED),
    ending: 'empty_flood',
  },
  { name: 'frames of an unknown type', unit: () => frame(0xbb, 0, 0, Buffer.alloc(20)), ending: 'empty_flood' },
  // A session without streams is done at the first.
  { name: 'GOAWAY', first: [open(0)], unit: () => goaway(0), ending: 'empty_flood' },
  { name: 'PRIORITY', unit: (i) => priority(streamId(i), 0), ending: 'priority_flood' },
  {
    name: 'PRIORITY_UPDATE',
    first: [open(0)],
    unit: (i) => frame(TYPE.PRIORITY_UPDATE, 0, 0, pair(uint32(1), Buffer.from(`u=${i % 8}, i`))),
    ending: 'priority_flood',
  },
  { name: 'WINDOW_UPDATE of the connection', unit: () => windowUpdate(0, 1), ending: 'window_update_flood' },
  {
    name: 'WINDOW_UPDATE of a stream',
    first: [open(0)],
    unit: () => windowUpdate(1, 1),
    ending: 'window_update_flood',
  },
];

for (const flood of FLOODS)
  test(flood.name, async ({ host }) => {
    const added = await counted(host, () =>
      neighbour(host, async () => {
        for (let round = 0; round < ROUNDS; round++)
          await Promise.all(Array.from({ length: ATTACKERS }, () => attack(host, flood)));
      }),
    );
    assert.is(added(`http2_session_${flood.ending}`), ROUNDS * ATTACKERS);
  });

async function attack(host: Host, { first = [], unit, ending }: Flood): Promise<void> {
  const attacker = await Attacker.connect(host);
  attacker.send(...first);
  await attacker.flood(MOST, unit);
  await attacker.closed();
  assert.equal(attacker.goaway, { error: 'ENHANCE_YOUR_CALM', detail: `session_${ending}` });
}

test('floods by clients that read nothing', async ({ host }) => {
  const units = [() => ping('12345678'), () => settings(), open, (i: number) => request(i, '/ready')];
  await neighbour(host, async () => {
    await Promise.all(
      units.map(async (unit) => {
        const attacker = await Attacker.connect(host);
        attacker.socket.pause();
        // The server stops reading, or ends the session: then this ends as well, at the latest when
        // it stalls.
        await attacker.flood(MOST, unit);
        await attacker.closed();
      }),
    );
  });
});

test('header lists that are small on the wire and large when decoded are answered by 431, and cost no memory', async ({
  host,
}) => {
  const BLOCKS = 100;
  /** Each refers to 3,900 bytes: 30 MB a block. */
  const bomb = Buffer.concat([block(requestLines('/ready')), Buffer.alloc(8000, indexed(FIRST_DYNAMIC))]);
  const added = await counted(host, () =>
    neighbour(host, async () => {
      const attacker = await Attacker.connect(host);
      const seed = Buffer.concat([block(requestLines('/ready')), literal('x-large', 'x'.repeat(3900), 'incremental')]);
      attacker.send(headers(1, seed));
      await attacker.flood(BLOCKS, (i) => headers(streamId(i + 1), bomb));
      await host.until('all are answered', () => attacker.responses === BLOCKS + 1);
      assert.equal([...attacker.resets], []);
      assert.is(attacker.goaway, undefined);
      attacker.socket.destroy();
    }),
  );
  assert.is(added('http2_header_lists_too_large'), BLOCKS);
});

test.run();
