/**
 * Clients of HTTP/2 that take or send too little: windows that stay shut, bodies and blocks that
 * drip, sessions that do nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  continuation,
  data,
  END_HEADERS,
  headers,
  PREFACE,
  ping,
  SETTING,
  settings,
  settingsAck,
  windowUpdate,
} from '../../../edge/conformance/frames.ts';
import { block } from '../../../edge/conformance/hpack.ts';
import type { Host } from '../host/host.ts';
import { Attacker, closed, dial, request, requestLines, several, streamId } from './attacker.ts';
import { counted, neighbour, startTarget } from './rig.ts';

const DRIP_MS = 100;
const LARGE = '/download/20000000';
const WIDE = 0x7fff0000;

const test = suite<{ host: Host }>('slow');
test.before(async (context) => {
  context.host = await startTarget();
});
test.after(async ({ host }) => {
  assert.is(await host.stop(), 0, host.output());
});

/** Sends a part now and then until the server has closed. */
async function drip(attacker: Attacker, part: (i: number) => Buffer): Promise<void> {
  for (let i = 0; !attacker.isClosed; i++) {
    attacker.send(part(i));
    await sleep(DRIP_MS);
  }
  await attacker.closed();
}

test('a thousand streams with closed windows, on ten connections', async ({ host }) => {
  const [connections, streams] = [10, 100];
  const attack = async (): Promise<void> => {
    await several(connections, async () => {
      const attacker = await Attacker.connect(host, { settings: [[SETTING.INITIAL_WINDOW_SIZE, 0]] });
      await attacker.flood(streams, (i) => request(i, LARGE));
      await host.until('all streams are reset', () => attacker.resets.get('ENHANCE_YOUR_CALM') === streams);
      assert.is(attacker.responses, streams);
      attacker.socket.destroy();
    });
  };
  const added = await counted(host, () => neighbour(host, attack, { isTwice: true }));
  assert.is(added('http2_stream_stalled'), 2 * connections * streams);
});

test('streams with windows that are opened by a byte at a time', async ({ host }) => {
  const streams = 50;
  await neighbour(host, async () => {
    await several(4, async () => {
      const attacker = await Attacker.connect(host, { settings: [[SETTING.INITIAL_WINDOW_SIZE, 0]] });
      await attacker.flood(streams, (i) => request(i, LARGE));
      for (let i = 0; attacker.resets.get('ENHANCE_YOUR_CALM') !== streams && !attacker.isClosed; i++) {
        attacker.send(...Array.from({ length: streams }, (_, figure) => windowUpdate(streamId(figure), 1)));
        await sleep(DRIP_MS);
        assert.ok(i < 200, 'it goes on for ever');
      }
      attacker.socket.destroy();
    });
  });
});

test('a closed window of the connection', async ({ host }) => {
  const added = await counted(host, () =>
    neighbour(host, async () => {
      await several(4, async () => {
        // Of its own 65,535 bytes, which the first stream takes.
        const attacker = await Attacker.connect(host, { settings: [[SETTING.INITIAL_WINDOW_SIZE, WIDE]] });
        await attacker.flood(20, (i) => request(i, LARGE));
        await host.until('all streams are reset', () => attacker.resets.get('ENHANCE_YOUR_CALM') === 20);
        attacker.socket.destroy();
      });
    }),
  );
  assert.is(added('http2_stream_stalled'), 80);
});

test('clients that open their windows and then read nothing', async ({ host }) => {
  const added = await counted(host, () =>
    neighbour(host, async () => {
      await several(20, async () => {
        const attacker = await Attacker.connect(host, { settings: [[SETTING.INITIAL_WINDOW_SIZE, WIDE]] });
        attacker.socket.pause();
        attacker.send(windowUpdate(0, WIDE), request(0, LARGE), request(1, LARGE), request(2, LARGE));
        await host.until('all slow readers are cut', (counters) => counters.http2_session_slow_reader >= 20);
        await attacker.closed();
      });
    }),
  );
  assert.is(added('http2_session_slow_reader'), 20);
});

test('slow header blocks, in frames and within one', async ({ host }) => {
  const added = await counted(host, () =>
    neighbour(host, async () => {
      const inFrames = several(10, async () => {
        const attacker = await Attacker.connect(host);
        attacker.send(headers(1, block(requestLines('/ready')), 0));
        for (let i = 0; i < 5 && !attacker.isClosed; i++) {
          attacker.send(continuation(1, Buffer.alloc(0), 0));
          await sleep(4 * DRIP_MS);
        }
        await attacker.closed();
        assert.equal(attacker.goaway, { error: 'ENHANCE_YOUR_CALM', detail: 'session_slow_headers' });
      });
      const withinOne = several(10, async () => {
        const attacker = await Attacker.connect(host);
        const whole = headers(1, block(requestLines('/ready', ['x-long', 'x'.repeat(2000)])));
        await drip(attacker, (i) => whole.subarray(i, i + 1));
        assert.equal(attacker.goaway, { error: 'ENHANCE_YOUR_CALM', detail: 'session_slow_headers' });
      });
      await Promise.all([inFrames, withinOne]);
    }),
  );
  assert.is(added('http2_session_slow_headers'), 20);
});

test('slow bodies', async ({ host }) => {
  const streams = 20;
  const added = await counted(host, () =>
    neighbour(host, async () => {
      await several(4, async () => {
        const attacker = await Attacker.connect(host);
        await attacker.flood(streams, (i) => request(i, '/sink', END_HEADERS, ['content-length', '1000000']));
        for (let i = 0; attacker.responses !== streams; i++) {
          attacker.send(...Array.from({ length: streams }, (_, figure) => data(streamId(figure), 'x')));
          await sleep(DRIP_MS);
          assert.ok(i < 200, 'it goes on for ever');
        }
        attacker.socket.destroy();
      });
    }),
  );
  assert.is(added('http2_stream_slow_body'), 4 * streams);
});

test('sessions that do not begin, or do not acknowledge settings', async ({ host }) => {
  const added = await counted(host, () =>
    neighbour(host, async () => {
      const begins = [
        Buffer.alloc(0),
        PREFACE.subarray(0, 10),
        PREFACE,
        Buffer.concat([PREFACE, settings().subarray(0, 5)]),
      ];
      const silent = several(20, async (i) => {
        const socket = await dial(host, { speaks: 'h2' });
        socket.write(begins[i % begins.length]);
        await closed(socket);
      });
      const unacknowledged = several(10, async () => {
        const attacker = await Attacker.connect(host, { isSilent: true });
        attacker.send(request(0, '/hold'));
        await attacker.closed();
        assert.equal(attacker.goaway, { error: 'SETTINGS_TIMEOUT', detail: 'session_settings_timeout' });
      });
      await Promise.all([silent, unacknowledged]);
    }),
  );
  assert.is(added('http2_session_slow_preface'), 20);
  assert.is(added('http2_session_settings_timeout'), 10);
});

test('idle sessions, and sessions that send only PING', async ({ host }) => {
  const added = await counted(host, () =>
    neighbour(host, async () => {
      await several(60, async (i) => {
        const attacker = await Attacker.connect(host);
        if (i % 2 === 0) await attacker.closed();
        else await drip(attacker, () => ping('12345678'));
        assert.equal(attacker.goaway, { error: 'NO_ERROR', detail: 'session_idle' });
      });
    }),
  );
  assert.is(added('http2_session_idle'), 60);
});

test('clients that half-close at once, and wait', async ({ host }) => {
  await neighbour(host, async () => {
    await several(20, async (i) => {
      const attacker = await Attacker.connect(host);
      attacker.send(settingsAck(), request(0, i % 2 === 0 ? '/hold' : LARGE));
      attacker.socket.end();
      await attacker.closed();
    });
  });
});

test.run();
