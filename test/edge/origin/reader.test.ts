/**
 * Responses are read as they are meant, however their bytes are cut: at every place, one by one,
 * and by chance.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ReaderOwner, ResponseReader } from '../../../edge/origin/response-reader.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';
import { type Generated, generated, type Meaning } from './generated.ts';

const CASES = depth({ quick: 80, moderate: 500, full: 10_000 });
const LIMIT = 65_536;
/** Of the next response: is left alone. */
const NEXT = 'HTTP/1.1 200 OK\r\n\r\n';

interface Read extends Omit<Meaning, 'isKept'> {
  /** Bytes behind the response. */
  readonly left: number;
}

/** Feeds pieces through one buffer whose old contents stay in it, as those of the sockets do. */
function read({ method, isClosed }: Generated, pieces: readonly string[]): Read {
  const shared = Buffer.alloc(4096, '\r\n\r\n');
  const informs: number[] = [];
  const found = {
    status: 0,
    headers: [] as readonly string[],
    body: '',
    trailers: [] as readonly string[],
    isEnded: false,
  };
  const owner: ReaderOwner = {
    onInform: ({ status: code }) => informs.push(code),
    onHead: ({ status: code, headers: fields }) => Object.assign(found, { status: code, headers: fields }),
    onPart: (buffer, from, to) => {
      assert.ok(from < to, 'no part is empty');
      found.body += buffer.toString('latin1', from, to);
    },
    onEnd: (fields) => Object.assign(found, { trailers: fields, isEnded: true }),
  };
  const reader = new ResponseReader(owner, LIMIT);
  reader.begin(method, '');
  let left = 0;
  for (const piece of pieces) {
    const length = shared.write(piece, 'latin1');
    left += length - (reader.isDone ? 0 : reader.take(shared, length));
  }
  if (isClosed) assert.ok(reader.finish());
  assert.ok(reader.isDone && found.isEnded);
  const { status, headers, body, trailers } = found;
  return { status, headers, body, trailers, informs, left };
}

const meant = ({ meaning: { isKept: _, ...rest } }: Generated, left: number): Read => ({ ...rest, left });

function inTwo(drawn: Generated): void {
  const bytes = drawn.isClosed ? drawn.bytes : drawn.bytes + NEXT;
  const left = drawn.isClosed ? 0 : NEXT.length;
  for (let at = 0; at <= bytes.length; at++)
    assert.equal(
      read(
        drawn,
        [bytes.slice(0, at), bytes.slice(at)].filter((piece) => piece !== ''),
      ),
      meant(drawn, left),
      `cut at ${at}`,
    );
}

test('split at every byte', () => {
  fc.assert(fc.property(generated, inTwo), { numRuns: CASES });
});

test('one byte at a time', () => {
  fc.assert(
    fc.property(generated, (sample) => assert.equal(read(sample, [...sample.bytes]), meant(sample, 0))),
    { numRuns: CASES },
  );
});

test('split anywhere, often', () => {
  fc.assert(
    fc.property(
      generated,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 40 }),
      (sample, sizes) => {
        const pieces: string[] = [];
        for (let at = 0, i = 0; at < sample.bytes.length; i++) {
          pieces.push(sample.bytes.slice(at, at + sizes[i % sizes.length]));
          at += sizes[i % sizes.length];
        }
        assert.equal(read(sample, pieces), meant(sample, 0));
      },
    ),
    { numRuns: CASES },
  );
});

test('a changed byte gives a response or a refusal, and no other exception', () => {
  fc.assert(
    fc.property(generated, fc.nat(), fc.nat(255), (sample, position, byte) => {
      const at = position % sample.bytes.length;
      const bytes = sample.bytes.slice(0, at) + String.fromCharCode(byte) + sample.bytes.slice(at + 1);
      const outcomes = [[bytes], [...bytes]].map((pieces) => outcomeOf({ ...sample, isClosed: false }, pieces));
      assert.is(outcomes[0], outcomes[1], 'however it is cut');
    }),
    { numRuns: CASES * 10 },
  );
});

/** Its outcome, in a form to compare. */
function outcomeOf({ method }: Generated, pieces: readonly string[]): string {
  const events: string[] = [];
  let body = '';
  const reader = new ResponseReader(
    {
      onInform: ({ status }) => events.push(`inform ${status}`),
      onHead: ({ status, headers }, length) => events.push(JSON.stringify([status, headers, length ?? null])),
      onPart: (buffer, from, to) => {
        body += buffer.toString('latin1', from, to);
      },
      onEnd: (trailers) => events.push(`end ${trailers.join()}`),
    },
    LIMIT,
  );
  reader.begin(method, '');
  const shared = Buffer.alloc(4096);
  try {
    for (const piece of pieces) if (!reader.isDone) reader.take(shared, shared.write(piece, 'latin1'));
  } catch (error) {
    assert.is((error as { fault?: string }).fault, 'malformed');
    return `malformed after ${events.filter((text) => !text.startsWith('inform')).join()}`;
  }
  return `${events.join()} ${body}`;
}

test.run();
