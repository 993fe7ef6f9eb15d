/** Headers of the PROXY protocol, read and written (proxy-protocol.txt, sections 2.1 and 2.2). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatAddress, parseAddress } from '../../../../core/net/address/index.ts';
import {
  type ProxyEndpoint,
  type ProxyVersion,
  proxyHeader,
  readProxyHeader,
} from '../../../../edge/http/transport/proxy-protocol.ts';

const test = suite('PROXY protocol');

const SIGNATURE = '0d0a0d0a000d0a515549540a';
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** The client, or what the bytes are. */
function outcomeOf(bytes: Buffer): string {
  const header = readProxyHeader(bytes);
  if (header === undefined) return 'incomplete';
  if (header === null) return 'none';
  const { source, length } = header;
  return `${source === null ? 'its own' : `${formatAddress(source.address)} ${source.port}`} in ${length}`;
}

const LINES: readonly (readonly [line: string, outcome: string])[] = [
  ['PROXY TCP4 192.0.2.1 203.0.113.1 56324 443\r\nGET / HTTP/1.1\r\n', '192.0.2.1 56324 in 44'],
  ['PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n', '255.255.255.255 65535 in 56'],
  ['PROXY TCP6 2001:db8::1 ::1 0 65535\r\n', '2001:db8::1 0 in 36'],
  ['PROXY UNKNOWN\r\n', 'its own in 15'],
  ['PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n', 'its own in 43'],
  ['', 'incomplete'],
  ['PRO', 'incomplete'],
  ['PROXY TCP4 192.0.2.1', 'incomplete'],
  ['PROXY TCP4 192.0.2.1 203.0.113.1 56324 443\r', 'incomplete'],
  ['GET / HTTP/1.1\r\n', 'none'],
  ['PROXY TCP4 192.0.2.1 203.0.113.1 56324\r\n', 'none'],
  ['PROXY TCP4 192.0.2.1 203.0.113.1 56324 443\n', 'incomplete'],
  ['PROXY TCP4 192.0.2.1  203.0.113.1 56324 443\r\n', 'none'],
  ['PROXY TCP4 192.0.2.01 203.0.113.1 56324 443\r\n', 'none'],
  ['PROXY TCP4 2001:db8::1 2001:db8::2 1 2\r\n', 'none'],
  ['PROXY TCP6 192.0.2.1 203.0.113.1 1 2\r\n', 'none'],
  ['PROXY TCP4 192.0.2.1 203.0.113.1 65536 443\r\n', 'none'],
  ['PROXY TCP4 192.0.2.1 203.0.113.1 1 0443\r\n', 'none'],
  ['PROXY UDP4 192.0.2.1 203.0.113.1 1 2\r\n', 'none'],
  ['proxy TCP4 192.0.2.1 203.0.113.1 1 2\r\n', 'none'],
  [`PROXY UNKNOWN ${'a'.repeat(91)}\r\n`, 'its own in 107'],
  [`PROXY UNKNOWN ${'a'.repeat(92)}\r\n`, 'none'],
];

for (const [line, outcome] of LINES)
  test(`version 1: ${JSON.stringify(line.slice(0, 60))}: ${outcome}`, () => {
    assert.is(outcomeOf(Buffer.from(line, 'latin1')), outcome);
  });

const BLOCKS: readonly (readonly [what: string, hex: string, outcome: string])[] = [
  ['IPv4', `${SIGNATURE} 21 11 000c c0000201 cb007101 dc04 01bb`, '192.0.2.1 56324 in 28'],
  ['with further fields', `${SIGNATURE} 21 11 0010 c0000201 cb007101 dc04 01bb 04000100`, '192.0.2.1 56324 in 32'],
  ['IPv6', `${SIGNATURE} 21 21 0024 ${'20010db8'.padEnd(31, '0')}1 ${'0'.repeat(32)} 0001 0002`, '2001:db8::1 1 in 52'],
  ['LOCAL', `${SIGNATURE} 20 00 0000`, 'its own in 16'],
  ['LOCAL with addresses', `${SIGNATURE} 20 11 000c c0000201 cb007101 dc04 01bb`, 'its own in 28'],
  ['no family', `${SIGNATURE} 21 00 0000`, 'its own in 16'],
  ['UNIX sockets', `${SIGNATURE} 21 31 00d8 ${'00'.repeat(216)}`, 'its own in 232'],
  ['a part of the signature', '0d0a0d0a000d', 'incomplete'],
  ['a part of the addresses', `${SIGNATURE} 21 11 000c c00002`, 'incomplete'],
  ['another signature', '0d0a0d0a000d0a515549540b 21 11 000c', 'none'],
  ['another version', `${SIGNATURE} 31 11 000c c0000201 cb007101 dc04 01bb`, 'none'],
  ['another command', `${SIGNATURE} 22 11 000c c0000201 cb007101 dc04 01bb`, 'none'],
  ['UDP', `${SIGNATURE} 21 12 000c c0000201 cb007101 dc04 01bb`, '192.0.2.1 56324 in 28'],
  ['another family', `${SIGNATURE} 21 41 000c c0000201 cb007101 dc04 01bb`, 'none'],
  ['another protocol', `${SIGNATURE} 21 13 000c c0000201 cb007101 dc04 01bb`, 'none'],
  ['addresses that are too short', `${SIGNATURE} 21 11 000b c0000201 cb007101 dc04 01`, 'none'],
  ['more than 4,096 bytes', `${SIGNATURE} 21 11 0ff1`, 'none'],
];

for (const [what, text, outcome] of BLOCKS)
  test(`version 2, ${what}: ${outcome}`, () => {
    assert.is(outcomeOf(hex(text)), outcome);
  });

const at = (address: string, port: number): ProxyEndpoint => ({ address: parseAddress(address)!, port });

test('a written header is read, whatever part of it has arrived', () => {
  for (const version of ['v1', 'v2'] satisfies ProxyVersion[])
    for (const [source, target, outcome] of [
      [at('192.0.2.1', 56_324), at('203.0.113.1', 443), '192.0.2.1 56324'],
      [at('2001:db8::1', 65_535), at('2001:db8::2', 80), '2001:db8::1 65535'],
      [at('2001:db8::1', 1), at('203.0.113.1', 80), '2001:db8::1 1'],
      [at('192.0.2.1', 0), at('2001:db8::2', 80), '::ffff:192.0.2.1 0'],
      [null, at('203.0.113.1', 443), 'its own'],
    ] as const) {
      const header = proxyHeader(version, source, target);
      const bytes = Buffer.concat([header, Buffer.from('\x16\x03\x01')]);
      assert.is(outcomeOf(bytes), `${outcome} in ${header.length}`);
      for (let length = 0; length < header.length; length++)
        assert.is(outcomeOf(bytes.subarray(0, length)), 'incomplete', `${version} ${outcome} ${length}`);
    }
});

test('the bytes of a header are those of the specification', () => {
  const [source, target] = [at('192.0.2.1', 56_324), at('203.0.113.1', 443)];
  assert.is(proxyHeader('v1', source, target).toString(), 'PROXY TCP4 192.0.2.1 203.0.113.1 56324 443\r\n');
  assert.is(proxyHeader('v1', null, target).toString(), 'PROXY UNKNOWN\r\n');
  assert.equal(proxyHeader('v2', source, target), hex(BLOCKS[0][1]));
  assert.equal(proxyHeader('v2', null, target), hex(`${SIGNATURE} 20 00 0000`));
});

test.run();
