/**
 * Heads of which an origin makes as much as it may: none keeps the thread from its other visitors.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OriginError } from '../../../edge/origin/origin.ts';
import { parseResponseHead } from '../../../edge/origin/response-head.ts';

/** Bytes: the maximum that is read of a head. */
const LIMIT = 65_536;
/** Microseconds of CPU; looked through once, the slowest takes some 5,000. */
const MOST = 250_000;

const filled = (begin: string, text: string, end: string): string =>
  begin + text.repeat((LIMIT - 64 - begin.length - end.length) / text.length) + end;

const HEADS: readonly (readonly [what: string, lines: string, outcome: string])[] = [
  ['blanks in a length', filled('content-length: 1', ' ', '1\r\n'), 'malformed'],
  ['blanks around a length', filled('content-length: 1,', ' ', '1\r\n'), 'whole'],
  ['lengths', filled('content-length: 1', ',1', '\r\n'), 'whole'],
  ['fields that are for the connection', filled(`connection: ${'a,'.repeat(16_000)}a\r\n`, 'b:\r\n', ''), 'whole'],
  ['blanks in keep-alive', filled('keep-alive: ', ' timeout ', '\r\n'), 'whole'],
  ['blanks behind a time-out', filled('keep-alive: timeout', ' ', '\r\n'), 'whole'],
  ['codings', filled('transfer-encoding: chunked', ', ', '\r\n'), 'malformed'],
];

for (const [what, lines, expected] of HEADS)
  test(`a head full of ${what}`, () => {
    const bytes = Buffer.from(`HTTP/1.1 200 OK\r\n${lines}\r\n`, 'latin1');
    assert.ok(bytes.length <= LIMIT);
    const begin = process.cpuUsage();
    let outcome = 'whole';
    try {
      parseResponseHead(bytes, 0, bytes.length);
    } catch (error) {
      outcome = (error as OriginError).fault;
    }
    const took = process.cpuUsage(begin).user;
    assert.is(outcome, expected);
    assert.ok(took < MOST, `${took} µs`);
  });

test.run();
