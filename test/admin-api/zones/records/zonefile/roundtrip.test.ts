/**
 * Generated zone files with everything that other servers load: what is imported is exported, and
 * an export is imported as the same zone.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DNSSEC_TYPES } from '../../../../../admin-api/zones/records/rules/dnssec.ts';
import { parseMaster } from '../../../../../core/dns/wire/master/index.ts';
import { typeName } from '../../../../../core/dns/wire/mnemonics.ts';
import { formatName, parseName } from '../../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../../core/dns/wire/types.ts';
import { typeAndRdata } from '../../../../core/dns/wire/arbitrary.ts';
import { depth } from '../../../../support/depth.ts';
import fc from '../../../../support/fc.ts';
import { type Daemon, listOf, startDaemon } from '../../../daemon.ts';

const ZONE = 'round.test';
const CASES = depth({ quick: 40, moderate: 150, full: 10_000 });
const HASH = 'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855';

const test = suite<{ daemon: Daemon; path: string }>('zonefile, round trip');
test.before(async (context) => {
  context.daemon = await startDaemon();
  const { body } = await context.daemon.call('POST', '/api/v1/domains', { json: { domain: ZONE } });
  context.path = `/api/v1/domains/${body.domain.id}/zonefile?apex=keep`;
});
test.after(({ daemon }) => daemon.stop());

/** Few labels, so that names meet and nest. */
const label = fc.constantFrom(
  'a',
  'B',
  'd',
  'n',
  '*',
  '*x',
  '-y-',
  '_s',
  'x#y',
  '0/25',
  'p\\.q',
  '\\000',
  '\\"',
  '\\$',
  'ns',
);
const below = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
const owner = fc.oneof(
  { weight: 10, arbitrary: below },
  { weight: 2, arbitrary: fc.constant('@') },
  { weight: 1, arbitrary: below.map((text) => `${text}.${ZONE}.`) },
  { weight: 1, arbitrary: fc.constant('www.example.org.') },
);
const target = fc.oneof(below, fc.constantFrom('@', '.', 'ns.example.', 'a!b.example.', '192.0.2.1.'));
const string = fc.constantFrom('""', 'x', '"a b"', '"a\\"b;"', '\\000\\255', '"\u2013"', `"${'long '.repeat(60)}"`);

const content = fc.oneof(
  { weight: 4, arbitrary: fc.nat(255).map((n) => `A 192.0.2.${n}`) },
  { weight: 1, arbitrary: fc.nat(0xffff).map((n) => `AAAA 2001:db8::${n.toString(16)}`) },
  { weight: 3, arbitrary: target.map((name) => `NS ${name}`) },
  { weight: 2, arbitrary: target.map((name) => `CNAME ${name}`) },
  { weight: 1, arbitrary: target.map((name) => `DNAME ${name}`) },
  { weight: 2, arbitrary: target.map((name) => `MX 10 ${name}`) },
  { weight: 1, arbitrary: target.map((name) => `SRV 1 2 3 ${name}`) },
  { weight: 1, arbitrary: fc.nat(9).map((n) => `DS ${n} 8 2 ${HASH}`) },
  { weight: 2, arbitrary: fc.array(string, { minLength: 1, maxLength: 3 }).map((texts) => `TXT ${texts.join(' ')}`) },
  { weight: 1, arbitrary: fc.constant(`TYPE65280 \\# 3 ( 01 02\n03 )`) },
  {
    weight: 3,
    arbitrary: typeAndRdata
      .filter(({ type }) => type !== TYPE.SOA)
      .map(({ type, rdata }) => `${typeName(type)} ${formatRdata(type, rdata)}`),
  },
);

const header = fc.constantFrom('', '60', 'IN', '60 IN', 'IN 1h30m', '0', '2147483647', 'CLASS1 5', '( 7 )', '1w2d IN');
const ending = fc.constantFrom('\n', '\r\n', ' ; x ( "\n', ' ( ; y\n)\n', '\n\n', '\n; z\n');
const record = fc
  .tuple(owner, header, content, ending)
  .map(([name, middle, rest, end]) => `${name} ${middle} ${rest}${end}`);
const directive = fc.constantFrom(
  '$GENERATE 1-3 g$ A 192.0.2.$\n',
  `$GENERATE 0-4/2 \${0,2,n}a.d 60 IN TXT "\\"$\\""\n`,
  '$TTL 2h\n',
  `$ORIGIN d.${ZONE}.\n`,
  `$ORIGIN ${ZONE}.\n`,
);
const zone = fc.array(fc.oneof({ weight: 12, arbitrary: record }, { weight: 1, arbitrary: directive }), {
  maxLength: 25,
});

const SOA = '$TTL 300\n@ SOA ns.example. h.example. 7 2 3 4 5\n@ NS ns.example.\n';

/** Every record of a file that an import stores, with the lowest TTL of its RRset. */
function stored(text: string): string[] {
  const { records, errors } = parseMaster(Buffer.from(text), { origin: parseName(`${ZONE}.`) });
  assert.equal(errors, []);
  const ttls = new Map<string, number>();
  const keyed = records
    .filter(({ type }) => type !== TYPE.SOA && !DNSSEC_TYPES.has(type))
    .map(({ name, type, ttl, rdata }) => {
      const set = `${formatName(name)} ${typeName(type)}`;
      ttls.set(set, Math.min(ttl, ttls.get(set) ?? ttl));
      return { set, content: formatRdata(type, rdata) };
    });
  return [...new Set(keyed.map(({ set, content: data }) => `${set} ${ttls.get(set)} ${data}`))].sort();
}

test('what is imported is exported, and an export is the same zone', async ({ daemon, path }) => {
  const put = (body: string) => daemon.call('PUT', path, { body, headers: { 'content-type': 'text/dns' } });
  const get = async () => (await daemon.call('GET', path.replace(/\?.*/, ''))).text;
  let imported = 0;
  await fc.assert(
    fc.asyncProperty(zone, async (generated) => {
      // Records that cannot be served, such as those next to a CNAME, are removed by their lines.
      let entries = generated;
      let answer = await put(SOA + entries.join(''));
      while (answer.status === 422) {
        const bad = new Set(listOf(answer.body.error.details).map(({ line: row }) => Number(row)));
        let line = SOA.split('\n').length;
        const left = entries.filter((entry) => {
          const first = line;
          line += entry.split('\n').length - 1;
          for (let at = first; at < line; at++) if (bad.has(at)) return false;
          return true;
        });
        assert.ok(left.length < entries.length, answer.text);
        entries = left;
        answer = await put(SOA + entries.join(''));
      }
      assert.is(answer.status, 200, answer.text);
      const first = await get();
      assert.equal(stored(first), stored(SOA + entries.join('')));
      const again = await put(first);
      assert.is(again.status, 200, again.text);
      const withoutSerial = (text: string) => text.replace(/(\tSOA\t\S+ \S+ )\d+/, '$1');
      assert.is(withoutSerial(await get()), withoutSerial(first));
      imported += entries.length / Math.max(1, generated.length);
    }),
    { numRuns: CASES },
  );
  // Most entries are kept, or the property would say little.
  assert.ok(imported > CASES / 2, `${imported} of ${CASES}`);
});

test.run();
