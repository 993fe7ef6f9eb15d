import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { versionSpoken } from '../../../../edge/http/server/connection.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

test('the preface is HTTP/2 once it is whole, whatever follows', () => {
  for (let length = 0; length < PREFACE.length; length++)
    assert.is(versionSpoken(PREFACE.subarray(0, length)), 'undecided', `${length} bytes`);
  assert.is(versionSpoken(PREFACE), 'http2');
  assert.is(versionSpoken(Buffer.concat([PREFACE, Buffer.from('more')])), 'http2');
});

test('any other byte makes it HTTP/1.1, at any position', () => {
  for (let at = 0; at < PREFACE.length; at++) {
    const other = Buffer.from(PREFACE);
    other[at] ^= 0x20;
    assert.is(versionSpoken(other.subarray(0, at + 1)), 'http1', `byte ${at}`);
    assert.is(versionSpoken(other), 'http1', `byte ${at}`);
  }
  assert.is(versionSpoken(Buffer.from('GET / HTTP/1.1\r\n')), 'http1');
  assert.is(versionSpoken(Buffer.from('PRI * HTTP/1.1\r\n')), 'http1');
});

test.run();
