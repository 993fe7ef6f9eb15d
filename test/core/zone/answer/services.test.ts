/**
 * Additional records of SVCB and HTTPS: examples, comparison with the reference, and responses that
 * are too long for them.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseMaster } from '../../../../core/dns/wire/master/index.ts';
import { parseType, typeName } from '../../../../core/dns/wire/mnemonics.ts';
import { formatRelative, nameId, parseName } from '../../../../core/dns/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { checkWorld, TCP_LIMIT, UDP_LIMIT } from '../../../reference/compare.ts';
import { APEX, inZone, SERVICES, ZONE } from '../../../reference/services.ts';
import { InProcess } from '../../../support/in-process.ts';
import { decodeMessage, encodeQuery } from '../../../support/message.ts';

const server = new InProcess();
const zones = new Map([[nameId(APEX), ZONE]]);
server.load(zones);
const edns = { version: 0, size: 4096, do: false };
const questions = Object.entries(SERVICES).map(([question, expected]) => {
  const [owner, type] = question.split(' ');
  return { question, query: { name: inZone(owner), type: parseType(type)!, class: CLASS_IN, edns }, expected };
});

const shown = (records: readonly ResourceRecord[]): string[] => [
  ...new Set(records.map(({ name, type }) => `${formatRelative(name, APEX)} ${typeName(type)}`)),
];

for (const { question, query, expected } of questions)
  test(`${question}: ${expected.join(', ') || 'nothing'}`, () => {
    const { header, additional } = decodeMessage(server.answer(encodeQuery(query, 1), 4096)!);
    assert.equal(shown(additional), expected);
    assert.not(header.tc);
  });

test('the answers equal those of the reference', () =>
  checkWorld(
    server.answer,
    { origin: parseName('test.'), zones },
    questions.map(({ query }) => query),
  ));

test('additional records without room are omitted, the last first, and never set TC', () => {
  const hosts = Array.from({ length: 20 }, (_, i) => `h${i + 10}`);
  const lines = hosts.flatMap((host, i) => [`${host} A 192.0.2.${i}`, `wide HTTPS ${i + 1} ${host}`]);
  const { records } = parseMaster(Buffer.from(`$TTL 300\n${lines.join('\n')}\n`), { origin: APEX });
  const wide = new InProcess();
  wide.load(new Map([[nameId(APEX), [...ZONE, ...records]]]));
  const ask = (size: number, limit: number) => {
    const query = { name: inZone('wide'), type: TYPE.HTTPS, class: CLASS_IN, edns: { ...edns, size } };
    return wide.answer(encodeQuery(query, 1), limit)!;
  };
  const whole = decodeMessage(ask(4096, TCP_LIMIT));
  assert.equal([whole.answer.length, whole.additional.length], [20, 20]);
  const sizes = new Set<number>();
  for (let size = 512; size <= UDP_LIMIT; size++) {
    const response = ask(size, UDP_LIMIT);
    assert.ok(response.length <= size);
    const { header, answer, additional } = decodeMessage(response);
    if (header.tc) {
      // The answer section does not fit.
      assert.equal([answer.length, additional.length], [0, 0]);
      continue;
    }
    assert.is(answer.length, 20);
    assert.equal(shown(additional), shown(whole.additional).slice(0, additional.length));
    sizes.add(additional.length);
  }
  assert.equal(
    [...sizes],
    Array.from({ length: 21 }, (_, i) => i),
  );
});

test('the many addresses of a name are not copied into each record that leads to it', () => {
  const lines = Array.from({ length: 400 }, (_, i) => `large A 192.0.${i >> 8}.${i & 255}`);
  const { records } = parseMaster(Buffer.from(`$TTL 300\n${lines.join('\n')}\nto-large HTTPS 1 large\n`), {
    origin: APEX,
  });
  const large = new InProcess();
  large.load(new Map([[nameId(APEX), [...ZONE, ...records]]]));
  const query = { name: inZone('to-large'), type: TYPE.HTTPS, class: CLASS_IN };
  const { header, answer, additional } = decodeMessage(large.answer(encodeQuery(query, 1), TCP_LIMIT)!);
  assert.equal([header.tc, answer.length, additional.length], [false, 1, 0]);
});

test('names of additional records are compressed against the answer of a chain at query time', () => {
  const long = Array.from({ length: 3 }, () => 'l'.repeat(60)).join('.');
  // The alias at the end leads to the wildcard, so the answer depends on the name asked.
  const lines = [`*.any CNAME ${long}`, `${long} CNAME end`, 'end HTTPS 0 *.any', 'end A 192.0.2.1'];
  const { records } = parseMaster(Buffer.from(`$TTL 300\n${lines.join('\n')}\n`), { origin: APEX });
  const world = { origin: parseName('test.'), zones: new Map([[nameId(APEX), [...ZONE, ...records]]]) };
  const chained = new InProcess();
  chained.load(world.zones);
  const query = { name: inZone(`${'n'.repeat(60)}.www.any`), type: TYPE.HTTPS, class: CLASS_IN };
  const response = chained.answer(encodeQuery(query, 1), UDP_LIMIT)!;
  const { answer, additional } = decodeMessage(response);
  assert.equal([answer.length, shown(additional)], [3, ['*.any CNAME', 'end A']]);
  assert.ok(response.length < 400, `${response.length} bytes`);
  checkWorld(chained.answer, world, [query]);
});

for (const [what, before] of [
  ['HTTPS', '1'],
  ['SRV', '0 5 5060'],
] as const)
  test(`a query for the target of a wildcard's own ${what} gets each address for which there is room`, () => {
    const target = `${Array.from({ length: 3 }, () => 'l'.repeat(60)).join('.')}.long`;
    const other = target.replace('l', 'm');
    const lines = [`*.long ${what} ${before} ${target}`, '*.long A 192.0.2.1', '*.long AAAA 2001:db8::1'];
    const { records } = parseMaster(Buffer.from(`$TTL 300\n${lines.join('\n')}\n`), { origin: APEX });
    const world = { origin: parseName('test.'), zones: new Map([[nameId(APEX), [...ZONE.slice(0, 2), ...records]]]) };
    const own = new InProcess();
    own.load(world.zones);
    const ask = (name: string, size?: number) => {
      const options = size === undefined ? undefined : { ...edns, size };
      return { name: inZone(name), type: parseType(what)!, class: CLASS_IN, edns: options };
    };
    const sent = (name: string) => shown(decodeMessage(own.answer(encodeQuery(ask(name), 1), UDP_LIMIT)!).additional);
    // The owner of the addresses is the name in the question: 2 bytes (RFC 1035 section 4.1.4).
    assert.equal(sent(target), [`${target} A`, `${target} AAAA`]);
    // In a query for another name it is spelled out, so that only the first RRset has room.
    assert.equal(sent(other), [`${target} A`]);
    assert.equal(sent('short.long'), [`${target} A`, `${target} AAAA`]);
    const sizes = Array.from({ length: 100 }, (_, i) => 512 + i);
    checkWorld(
      own.answer,
      world,
      [target, other, 'short.long', '*.long'].flatMap((name) => [ask(name), ...sizes.map((size) => ask(name, size))]),
    );
  });

test('a query for a wildcard itself, which its records name, gets each address for which there is room', () => {
  const hosts = Array.from({ length: 12 }, (_, i) => `*.own HTTPS ${i + 1} h${i}.example. no-default-alpn alpn=h2`);
  const lines = [...hosts, '*.own HTTPS 20 *.own', '*.own A 192.0.2.1', '*.own AAAA 2001:db8::1'];
  const { records } = parseMaster(Buffer.from(`$TTL 300\n${lines.join('\n')}\n`), { origin: APEX });
  const world = { origin: parseName('test.'), zones: new Map([[nameId(APEX), [...ZONE.slice(0, 2), ...records]]]) };
  const own = new InProcess();
  own.load(world.zones);
  const query = { name: inZone('*.own'), type: TYPE.HTTPS, class: CLASS_IN };
  const sizes = Array.from({ length: 100 }, (_, i) => 512 + i);
  checkWorld(
    own.answer,
    world,
    sizes.map((size) => ({ ...query, edns: { ...edns, size } })),
  );
});

test.run();
