import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyCompressor } from '../../../edge/compress/body.ts';
import { CODINGS_AT_ONCE, type Coding, SHORT } from '../../../edge/compress/coding.ts';
import { type OriginBody, OriginError } from '../../../edge/origin/origin.ts';
import fc from '../../support/fc.ts';
import { decoded, openDecoder } from './decoded.ts';
import { ScriptedSource } from './scripted-source.ts';

const CODINGS = CODINGS_AT_ONCE;

/** Text that gets shorter, a good deal of it by chance. */
function text(length: number): Buffer {
  const words: string[] = [];
  for (let i = 0, size = 0; size < length; i++) {
    const word = `<li id="${(i * 2654435761) % 9973}">row ${i % 37}</li>\n`;
    words.push(word);
    size += word.length;
  }
  return Buffer.from(words.join('').slice(0, length));
}

/** As edge/proxy reads it. */
async function all(body: OriginBody): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (;;) {
    let part = body.readNow();
    if (part === undefined) part = await body.read();
    if (part === null) return Buffer.concat(parts);
    parts.push(Buffer.from(part));
  }
}

function cut(bytes: Buffer, size: number): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
  return parts;
}

for (const coding of CODINGS) {
  test(`${coding}: a short complete body is compressed at once, with its length`, () => {
    const compressor = new BodyCompressor(1);
    const source = new ScriptedSource().push(...cut(text(5000), 1400)).finish();
    source.trailers = ['content-digest', 'a', 'x', 'y'];
    const made = compressor.compress(source, coding, 'a');
    assert.is(made.coding, coding);
    const part = made.body.readNow();
    assert.ok(part instanceof Uint8Array);
    assert.is(made.body.length, part.length);
    assert.equal(decoded(part, coding), text(5000));
    assert.is(made.body.readNow(), null);
    assert.equal(made.body.trailers, ['x', 'y']);
    assert.is(compressor.open, 0);
  });

  test(`${coding}: a body that does not get shorter is sent unchanged`, async () => {
    const compressor = new BodyCompressor(1);
    for (const bytes of [Buffer.from('ok'), Buffer.alloc(0)]) {
      const source = new ScriptedSource().push(bytes).finish();
      source.trailers = ['content-digest', 'a'];
      const made = compressor.compress(source, coding, 'a');
      assert.is(made.coding, 'identity');
      assert.is(made.body.length, bytes.length);
      assert.equal(await all(made.body), bytes);
      assert.equal(made.body.trailers, ['content-digest', 'a']);
    }
  });

  test(`${coding}: a short body that follows its head without a pause`, async () => {
    const compressor = new BodyCompressor(1);
    const source = new ScriptedSource(5000);
    const made = compressor.compress(source, coding, 'a');
    assert.is(made.body.length, undefined);
    const reading = made.body.read();
    source.push(text(5000)).finish();
    const part = await reading;
    assert.equal(decoded(part!, coding), text(5000), 'in one part');
    assert.is(made.body.readNow(), null);
    assert.is(compressor.open, 0);
  });

  test(`${coding}: a long body, whole`, async () => {
    const compressor = new BodyCompressor(1);
    const bytes = text(3_000_000);
    const made = compressor.compress(new ScriptedSource().push(...cut(bytes, 16_384)).finish(), coding, 'a');
    assert.is(compressor.open, 1);
    const coded = await all(made.body);
    assert.ok(coded.length < bytes.length / 3);
    assert.ok(decoded(coded, coding).equals(bytes));
    assert.is(compressor.open, 0);
  });

  test(`${coding}: at each pause everything received is flushed`, async () => {
    const source = new ScriptedSource();
    const { body } = new BodyCompressor(1).compress(source, coding, 'a');
    const decoder = openDecoder(coding);
    let seen = '';
    decoder.on('data', (part: Buffer) => {
      seen += part.toString();
    });
    let output = '';
    for (let i = 0; i < 5; i++) {
      const line = `event ${i} ${'x'.repeat(i * 10_000)}\n`;
      output += line;
      source.push(...cut(Buffer.from(line), 3000));
      while (seen.length < output.length) {
        const part = await body.read();
        await new Promise((resolve) => decoder.write(part, resolve));
        await turn();
      }
      assert.is(seen, output);
    }
    source.finish();
    assert.ok((await all(body)).length < 50);
    decoder.destroy();
  });

  test(`${coding}: parts of one turn are flushed together`, async () => {
    const source = new ScriptedSource();
    const { body } = new BodyCompressor(1).compress(source, coding, 'a');
    const reading = body.read();
    source.push(Buffer.from('a'.repeat(1000)));
    await Promise.resolve();
    source.push(Buffer.from('b'.repeat(1000)));
    await Promise.resolve();
    source.push(Buffer.from('c'.repeat(1000))).finish();
    const part = await reading;
    assert.is(decoded(part!, coding).length, 3000);
    assert.is(body.readNow(), null);
  });

  test(`${coding}: an aborted source: its data is delivered, then the error`, async () => {
    const compressor = new BodyCompressor(1);
    const source = new ScriptedSource().push(text(40_000));
    const { body } = compressor.compress(source, coding, 'a');
    assert.ok((await body.read())!.length > 0);
    const fault = new OriginError('reset', 'gone');
    source.fail(fault);
    let error: unknown;
    await all(body).catch((caught: unknown) => {
      error = caught;
    });
    assert.is(error, fault);
    assert.is(compressor.open, 0);
    assert.throws(
      () => body.readNow(),
      (thrown: unknown) => thrown === fault,
    );
  });

  test(`${coding}: a source that fails during a read`, async () => {
    const compressor = new BodyCompressor(1);
    const source = new ScriptedSource();
    const { body } = compressor.compress(source, coding, 'a');
    const reading = body.read();
    source.fail(new OriginError('idle-timeout', 'slow'));
    assert.is(await reading.catch((error: OriginError) => error.fault), 'idle-timeout');
    assert.is(compressor.open, 0);
  });

  test(`${coding}: cancelled at any point`, async () => {
    const compressor = new BodyCompressor(1000);
    const bytes = text(200_000);
    for (let turns = 0; turns < 12; turns++) {
      const source = new ScriptedSource().push(...cut(bytes, 40_000));
      const { body } = compressor.compress(source, coding, 'a');
      const reading = body.read().then(
        () => 'part',
        (error: OriginError) => error.fault,
      );
      for (let i = 0; i < turns; i++) await turn();
      body.cancel();
      body.cancel();
      assert.ok(source.isCancelled);
      assert.ok(['part', 'aborted'].includes(await reading));
      assert.is(compressor.open, 0);
      assert.throws(
        () => body.readNow(),
        (error: OriginError) => error.fault === 'aborted',
      );
    }
    // What the streams still do must not come to anything.
    for (let i = 0; i < 20; i++) await turn();
    assert.is(compressor.open, 0);
  });
}

test('a source that has failed reports its error', () => {
  const compressor = new BodyCompressor(1);
  const source = new ScriptedSource().fail(new OriginError('malformed', 'no'));
  assert.throws(
    () => compressor.compress(source, 'gzip', 'a'),
    (error: OriginError) => error.fault === 'malformed',
  );
  assert.is(compressor.open, 0);
});

test('the bodies of one site leave room for those of others', () => {
  const compressor = new BodyCompressor(4);
  const codingOf = (site: string): string => compressor.compress(new ScriptedSource(50_000), 'gzip', site).coding;
  assert.equal(
    [1, 2, 3].map(() => codingOf('a')),
    ['gzip', 'gzip', 'identity'],
  );
  assert.equal(['b', 'b', 'c', 'd'].map(codingOf), ['gzip', 'identity', 'gzip', 'identity']);
  assert.is(compressor.open, 4);
});

test('bodies beyond the bound are sent unchanged, complete ones are still compressed', async () => {
  const compressor = new BodyCompressor(2);
  const sources = [1, 2, 3].map(() => new ScriptedSource(50_000).push(text(1000)));
  const made = sources.map((source, i) => compressor.compress(source, 'gzip', `site ${i}`));
  assert.equal(
    made.map((coded) => coded.coding),
    ['gzip', 'gzip', 'identity'],
  );
  assert.is(made[2].body.length, 50_000);
  assert.is(compressor.open, 2);
  assert.is(compressor.refused, 1);
  sources[2].push(text(49_000)).finish();
  assert.equal(await all(made[2].body), Buffer.concat([text(1000), text(49_000)]));
  assert.is(compressor.compress(new ScriptedSource().push(text(1000)).finish(), 'br', 'a').coding, 'br');
  made[0].body.cancel();
  assert.is(compressor.open, 1);
  assert.is(compressor.compress(new ScriptedSource(), 'gzip', 'a').coding, 'gzip');
  made[1].body.cancel();
});

test('nothing is read for a visitor who does not read', async () => {
  const source = new ScriptedSource().push(...cut(text(10_000_000), 64 * 1024)).finish();
  const { body } = new BodyCompressor(1).compress(source, 'gzip', 'a');
  for (let i = 0; i < 50; i++) await turn();
  assert.ok(source.taken <= SHORT + 64 * 1024, `${source.taken}`);
  await body.read();
  for (let i = 0; i < 50; i++) await turn();
  // A write more at most, which went on until something could be given.
  const { taken } = source;
  assert.ok(taken <= 16 * 64 * 1024, `${taken}`);
  for (let i = 0; i < 50; i++) await turn();
  assert.is(source.taken, taken);
  body.cancel();
});

test('concurrent reads throw', () => {
  const { body } = new BodyCompressor(1).compress(new ScriptedSource(), 'gzip', 'a');
  body.read().catch(() => {});
  assert.throws(() => body.read(), /already/);
  body.cancel();
});

test('generated bodies are unchanged after decoding, however they arrive and are read', async () => {
  const part = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 300 }),
    fc.integer({ min: 1, max: 90_000 }).map((length) => new Uint8Array(text(length))),
  );
  // Between parts: so many turns of the loop; -1: none, they come as one.
  const step = fc.tuple(part, fc.integer({ min: -1, max: 3 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 8 }),
      fc.constantFrom<Coding>(...CODINGS),
      fc.integer({ min: -1, max: 3 }),
      async (steps, coding, lazy) => {
        const compressor = new BodyCompressor(1);
        const source = new ScriptedSource();
        const bring = async (): Promise<void> => {
          for (const [bytes, turns] of steps) {
            source.push(bytes);
            for (let i = 0; i < turns; i++) await turn();
          }
          source.finish();
        };
        const whole = Buffer.concat(steps.map(([bytes]) => bytes));
        const brought = bring();
        const made = compressor.compress(source, coding, 'a');
        const parts: Uint8Array[] = [];
        for (let next = await made.body.read(); next !== null; next = await made.body.read()) {
          parts.push(next);
          for (let i = 0; i < lazy; i++) await turn();
        }
        await brought;
        const sent = Buffer.concat(parts);
        if (made.body.length !== undefined) assert.is(made.body.length, sent.length);
        assert.ok((made.coding === 'identity' ? sent : decoded(sent, coding)).equals(whole));
        assert.is(compressor.open, 0);
        assert.is(source.taken, whole.length);
      },
    ),
    { numRuns: 150 },
  );
});

test.run();
