/** nghttp and h2load of nghttp2. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { depth } from '../../../support/depth.ts';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { type Host, startHost } from '../host/host.ts';
import { READY } from '../host/site.ts';
import { bodyFile } from './bodies.ts';

/** Requests of each run of h2load. */
const REQUESTS = depth({ quick: 5000, moderate: 8000, full: 100_000 });

const test = suite<{ host: Host }>('nghttp');
test.before(async (context) => {
  context.host = await startHost();
});
test.after(async ({ host }) => {
  assert.is(await host.stop(), 0, host.output());
});

/** The transcript, without the time at the begin of its lines. */
async function nghttp(...args: readonly string[]): Promise<string> {
  const { code, output } = await runProgram('nghttp', ['--no-verify-peer', '-t', '30', ...args]);
  assert.is(code, 0, output);
  return output.replace(/^\[ *[\d.]+\] /gm, '');
}

const why = whyNotPrograms('nghttp', 'h2load');
if (why !== null) test.skip(`nghttp: ${why}`, () => {});
else nghttpTests();

function nghttpTests(): void {
  test('the transcript of a connection: settings, their acknowledgement, a response, no error', async ({ host }) => {
    const output = await nghttp('-nv', `${host.origin}/ready`);
    assert.match(output, /The negotiated protocol: h2/);
    assert.match(output, /recv SETTINGS frame <length=42, flags=0x00, stream_id=0>/);
    for (const setting of [
      /SETTINGS_HEADER_TABLE_SIZE\(0x01\):4096/,
      /SETTINGS_MAX_CONCURRENT_STREAMS\(0x03\):128/,
      /SETTINGS_INITIAL_WINDOW_SIZE\(0x04\):262144/,
      /SETTINGS_MAX_FRAME_SIZE\(0x05\):16384/,
      /SETTINGS_MAX_HEADER_LIST_SIZE\(0x06\):32768/,
      /\(0x08\):1/, // extended CONNECT
      /\(0x09\):1/, // no priorities of RFC 7540
    ])
      assert.match(output, setting);
    assert.match(output, /recv SETTINGS frame <length=0, flags=0x01, stream_id=0>\s+; ACK/);
    assert.match(output, /recv \(stream_id=\d+\) :status: 200/);
    assert.match(output, new RegExp(`content-length: ${READY.length}`));
    assert.match(output, /recv DATA frame <length=1800, flags=0x01, stream_id=\d+>\s+; END_STREAM/);
    assert.not.match(output, /recv (?:RST_STREAM|GOAWAY)|\[ERROR\]/);
  });

  test('an upload in padded frames, with trailers, in small windows', async ({ host }) => {
    const body = bodyFile(500_000);
    const args = ['-d', body.path, '--trailer', 'x-sum: 1', '-b', '255', '-w', '14', '-W', '14'];
    const output = await nghttp(...args, '-H', ':method: PUT', `${host.origin}/sink`);
    const event = JSON.parse(output) as { bytes: number; hash: string; trailers: string[] };
    assert.equal([event.bytes, event.hash, event.trailers], [body.bytes, body.hash, ['x-sum', '1']]);
  });

  test('an upload that waits for 100', async ({ host }) => {
    const body = bodyFile(1000);
    const output = await nghttp('-v', '--expect-continue', '-d', body.path, `${host.origin}/sink`);
    assert.match(output, /:status: 100[\s\S]*send DATA frame[\s\S]*:status: 200/);
    assert.ok(output.includes(body.hash));
  });

  test('response trailers, early hints', async ({ host }) => {
    assert.match(await nghttp('-nv', `${host.origin}/trailers`), /recv DATA[\s\S]*x-sum: 1800/);
    assert.match(await nghttp('-nv', `${host.origin}/hints`), /:status: 103[\s\S]*link: [\s\S]*:status: 200/);
  });

  test('weights and dependencies of RFC 7540 are accepted and ignored', async ({ host }) => {
    const urls = ['/download/100000', '/ready', '/download/50000'].map((path) => host.origin + path);
    const output = await nghttp('-nv', '-m', '10', '-p', '1', '-p', '256', '-p', '16', ...urls);
    assert.match(output, /send PRIORITY frame/);
    assert.is(output.match(/:status: 200/g)?.length, 30);
    assert.not.match(output, /recv (?:RST_STREAM|GOAWAY)/);
  });

  test('a page with its images, as a browser would ask for them', async ({ host }) => {
    const output = await nghttp('-ansv', `${host.origin}/page`);
    assert.is(output.match(/:status: 200/g)?.length, 101);
  });

  test('a header table of no bytes, and one of many', async ({ host }) => {
    for (const size of ['0', '100', '65536']) {
      const output = await nghttp('-nv', '-c', size, '-m', '5', `${host.origin}/tell`);
      assert.is(output.match(/:status: 200/g)?.length, 5, size);
    }
  });

  for (const [clients, streams] of [
    [16, 16],
    [64, 1],
  ])
    test(`h2load: ${REQUESTS} requests by ${clients} × ${streams}, none failed`, async ({ host }) => {
      const args = ['-n', String(REQUESTS), '-c', String(clients), '-m', String(streams)];
      const { code, output } = await runProgram('h2load', [...args, `${host.origin}/ready`]);
      assert.is(code, 0, output);
      assert.match(
        output,
        new RegExp(
          `requests: ${REQUESTS} total, ${REQUESTS} started, ${REQUESTS} done, ${REQUESTS} succeeded, 0 failed, 0 errored, 0 timeout`,
        ),
      );
      assert.match(output, new RegExp(`status codes: ${REQUESTS} 2xx`));
    });
}

test.run();
