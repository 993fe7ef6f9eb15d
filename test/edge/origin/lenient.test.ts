/** Response heads with LF alone, for sites that accept them: RFC 9112 section 2.2. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OriginError } from '../../../edge/origin/origin.ts';
import type { ResponseHead } from '../../../edge/origin/response-head.ts';
import { ResponseReader } from '../../../edge/origin/response-reader.ts';

const test = suite('lenient response heads');

const LIMIT = 400;

interface Read {
  readonly heads: readonly Pick<ResponseHead, 'status' | 'headers' | 'isLast'>[];
  readonly body: string;
}

function read(pieces: readonly string[], isLenient = true): Read {
  const heads: ResponseHead[] = [];
  let body = '';
  const onHead = (head: ResponseHead): void => void heads.push(head);
  const reader = new ResponseReader(
    {
      ...{ onInform: onHead, onHead, onEnd: () => {} },
      onPart: (buffer, from, to) => {
        body += buffer.toString('latin1', from, to);
      },
    },
    LIMIT,
  );
  reader.begin('GET', '', isLenient);
  for (const piece of pieces) if (!reader.isDone) reader.take(Buffer.from(piece, 'latin1'), piece.length);
  assert.ok(reader.isDone, pieces.join('|'));
  return { heads: heads.map(({ status, headers, isLast }) => ({ status, headers, isLast })), body };
}

const HEAD = { status: 200, headers: ['a', 'b', 'c', 'd', 'content-length', '4'], isLast: true };

for (const text of [
  'HTTP/1.1 200 OK\nA: b\nC: d\nContent-Length: 4\n\n',
  'HTTP/1.1 200 OK\r\nA: b\nC: d\r\nContent-Length: 4\r\n\r\n',
  'HTTP/1.1 200 OK\nA: b\r\nC: d\r\nContent-Length: 4\r\n\n',
  'HTTP/1.1 200\nA: b\nC: d\nContent-Length: 4\n\r\n',
])
  test(`${JSON.stringify(text)}, wherever a read ends`, () => {
    const bytes = `${text}\n\r\n.`;
    for (let at = 1; at < bytes.length; at++)
      assert.equal(read([bytes.slice(0, at), bytes.slice(at)]), { heads: [HEAD], body: '\n\r\n.' }, `${at}`);
    assert.equal(read([...bytes]), { heads: [HEAD], body: '\n\r\n.' });
    assert.throws(
      () => read([bytes], false),
      (error: Error) => error instanceof OriginError,
    );
  });

test('a head with CR LF is read as without the mode, and its connection stays', () => {
  const bytes = 'HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 1\r\n\r\nx';
  assert.equal(read([bytes]), read([bytes], false));
  assert.is(read([bytes]).heads[0].isLast, false);
});

test('a 1xx response before it', () => {
  const { heads } = read(['HTTP/1.1 103 Early Hints\nLink: </a>\n\nHTTP/1.1 200 OK\nContent-Length: 0\n\n']);
  assert.equal(
    heads.map(({ status }) => status),
    [103, 200],
  );
});

test('all else stays strict', () => {
  const head = (lines: string): string => `HTTP/1.1 200 OK\n${lines}\n`;
  for (const bytes of [
    head('A: b\rc\n'),
    head('A: b\n c\n'),
    head('A : b\n'),
    head('A: b\r\r\n'),
    head('Content-Length: 1\nContent-Length: 2\n'),
    head('Content-Length: 1\nTransfer-Encoding: chunked\n'),
    `${head('Transfer-Encoding: chunked\n')}1\nx\n0\n\n`,
    `${head('Transfer-Encoding: chunked\n')}0\r\nA: b\n\r\n`,
    `HTTP/1.1 200 OK\n${`A: ${'b'.repeat(50)}\n`.repeat(10)}\n`,
    'HTTP/2 200 OK\n\n',
  ])
    for (const pieces of [[bytes], [...bytes]])
      assert.throws(
        () => read(pieces),
        (error: Error) => (error as OriginError).fault === 'malformed',
        bytes,
      );
});

test.run();
