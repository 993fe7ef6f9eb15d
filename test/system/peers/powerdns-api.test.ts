/**
 * The PowerDNS-compatible API next to a real pdns_server: random sequences of PATCH give the same
 * status and the same content of the zone, apart from the differences in EXPLAINED.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { SEED } from '../../support/seed.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { type PowerDnsServer, startPowerDnsServer } from './powerdns-server.ts';

const ZONES = '/api/v1/servers/localhost/zones';
const SEQUENCES = depth({ quick: 5, moderate: 8, full: 2000 });

/** Why the statuses may differ. `ours`, `theirs`: what the error texts of the servers match. */
const EXPLAINED: readonly { readonly name: string; readonly ours?: RegExp; readonly theirs?: RegExp }[] = [
  { name: 'TTLs are 30 to 604800 seconds', ours: /"ttl" must be 30 to/ },
  { name: 'TTLs are not negative', ours: /'ttl' is out of range/ },
  { name: 'the SOA and own NS of a zone cannot be disabled', ours: /SOA record of a zone can be replaced/ },
  { name: 'set-ptr, which PowerDNS has removed, is refused', ours: /"set-ptr" is not supported/ },
  { name: 'TTLs are whole numbers', ours: /Key 'ttl' not an Integer/ },
  { name: 'there are no LUA records', ours: /IN LUA: unknown type given/ },
  { name: 'another spelling is the same record', ours: /Duplicate record/ },
  { name: 'comments belong to records', ours: /has no records, so it cannot have comments/ },
  { name: 'the SOA stays', ours: /The SOA record of a zone can be replaced/ },
  { name: 'DNSSEC records are the service’s', ours: /belong to DNSSEC|DS records of a domain belong in its parent/ },
  {
    name: 'nothing hidden by a delegation is accepted',
    ours: /is delegated|would never be served|would hide|hides|delegation/,
  },
  { name: 'owners and targets are host names', ours: /is not a host name|must be a host name|is not a wildcard/ },
  { name: 'targets of MX, NS and SRV are no CNAME', ours: /is a CNAME; .* records must|cannot be a CNAME: the/ },
  { name: 'NS records are not allowed at a wildcard', ours: /NS records are not allowed at a wildcard/ },
  { name: 'values that their RFC forbids are refused', ours: /^SSHFP content|(issue|iodef|flags|tag)/ },
  { name: 'only the result of a PATCH is checked', theirs: /is only allowed at apex/ },
  { name: 'the order within a PATCH does not matter', theirs: /Conflicts with (pre-existing|another) RRset/ },
  { name: 'PowerDNS 4.7 has no EXTEND and PRUNE', theirs: /Changetype not understood/ },
  {
    name: 'PowerDNS reads some contents only as it writes them',
    theirs: /Not in expected format|Parsing record content|Invalid IPv6 address/,
  },
];

interface Answer {
  readonly status: number;
  readonly text: string;
}

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

const sender =
  (url: string, key: string): Send =>
  async (method, path, body) => {
    const response = await fetch(`${url}${ZONES}${path}`, {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/json', 'x-api-key': key },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.status, text: await response.text() };
  };

interface RRset {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly records: readonly { readonly content: string; readonly disabled: boolean }[];
  readonly comments: readonly { readonly content: string; readonly account: string; readonly modified_at: number }[];
}

const nth = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>): fc.WeightedArbitrary<T> => ({ arbitrary, weight });

/** Contents by type: the last ones are wrong, or accepted by one server alone. `$` is the zone. */
const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  A: ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2', '192.0.2.256', '2001:db8::1', ''],
  AAAA: ['2001:db8::1', '2001:db8::2', '2001:DB8:0::3', '::ffff:192.0.2.1', '2001:db8', '192.0.2.1'],
  CNAME: ['a.$', 'b.$', 'www.other.example.', 'Mixed.$', 'a', 'a b.', '*.$'],
  TXT: [
    '"one"',
    '"two" "strings"',
    '"quote \\" and \\\\"',
    '"é"',
    '"\\195\\169"',
    'bare',
    '"open',
    `"${'x'.repeat(256)}"`,
  ],
  MX: ['10 a.$', '20 mail.other.example.', '0 .', 'a.$', '70000 a.$', '10 a'],
  NS: ['ns1.other.example.', 'ns2.other.example.', 'a.$', 'ns1.other.example', 'a b.'],
  SRV: ['1 2 443 a.$', '0 0 80 b.$', '1 2 443', '1 2 70000 a.$'],
  CAA: ['0 issue "ca.example"', '128 iodef "mailto:a@example.org"', '0 issue ca.example', '300 issue "x"'],
  PTR: ['a.$', 'host.other.example.', 'a'],
  SSHFP: ['1 1 123456789abcdef67890123456789abcdef67890', '4 2 00'],
  TLSA: ['3 1 1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '3 1 1 zz'],
  HTTPS: ['1 . alpn=h2', '1 a.$ alpn=h2,h3 ipv4hint=192.0.2.1,192.0.2.2 port=8443', '0 b.$', '1'],
  NAPTR: ['100 10 "S" "SIP+D2U" "" _sip._udp.$', '10 20 "u" "E2U+sip" "!^.*$!sip:a@$!" .', '100 10 S'],
  LOC: ['52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000.00m 10.00m', '52 22 N'],
  URI: ['10 1 "https://a.example/"', '10 1 x'],
  SOA: [
    'ns1.other.example. admin.other.example. 1 7200 900 1209600 600',
    'ns1.other.example. x.$ 1 7200 901 1209600 600',
    'a b',
  ],
  LUA: ['A "x"'],
  BOGUS: ['x'],
  DNSKEY: ['257 3 13 AAAA'],
};

const name = fc.oneof(
  often(40, nth(['$', 'a.$', 'b.$', 'www.$', 'x.a.$', '*.w.$', '_s._tcp.$', 'sub.$', 'n.sub.$'])),
  often(1, nth(['A.$', 'a.other.example.', 'a', '', 'a..$', 'under_score.$'])),
);
const type = fc.oneof(
  often(24, nth(['A', 'A', 'AAAA', 'CNAME', 'TXT', 'TXT', 'MX'])),
  often(10, nth(['NS', 'SRV', 'CAA', 'PTR', 'SSHFP', 'TLSA', 'HTTPS', 'NAPTR', 'LOC', 'URI', 'SOA'])),
  often(1, nth(['LUA', 'BOGUS', 'DNSKEY', '', 'a'])),
);
const ttl = fc.oneof(often(50, nth([60, 300, 3600])), often(1, nth([5, 0, -1, '600', 'x', null, 1.5, 700_000])));

const recordOf = (all: readonly string[]) =>
  fc.record(
    {
      content: fc.oneof(often(25, nth(all.slice(0, Math.ceil(all.length / 2)))), often(1, nth(all))),
      disabled: fc.oneof(often(20, fc.constant(false)), often(2, fc.constant(true)), often(1, fc.constant('x'))),
      'set-ptr': fc.constant(false),
    },
    { requiredKeys: ['content'] },
  );

const SINGLES: ReadonlySet<string> = new Set(['CNAME', 'SOA']);

const recordsOf = (kind: string) => {
  const record = recordOf(CONTENTS[kind] ?? ['x']);
  const most = SINGLES.has(kind) ? 1 : 3;
  return fc.oneof(
    often(20, fc.uniqueArray(record, { minLength: 1, maxLength: most, selector: ({ content }) => content })),
    often(1, fc.array(record, { minLength: 1, maxLength: 3 })),
  );
};

const comments = fc.array(
  fc.record({
    content: nth(['one', 'two "quoted"', 'é', '']),
    account: nth(['', 'anna']),
    modified_at: nth([1, 1_700_000_000]),
  }),
  { maxLength: 2 },
);

const change = fc
  .record({
    name,
    type,
    ttl,
    changetype: fc.oneof(
      often(24, fc.constant('REPLACE')),
      often(9, fc.constant('DELETE')),
      often(1, nth(['replace', 'MOVE', 'EXTEND'])),
    ),
  })
  .chain((base) =>
    fc.oneof(
      often(
        8,
        recordsOf(base.type).map((records) => ({ ...base, records })),
      ),
      often(
        3,
        fc.record({ records: recordsOf(base.type), comments }).map((more) => ({ ...base, ...more })),
      ),
      often(
        1,
        comments.map((all) => ({ ...base, comments: all })),
      ),
      // Without comments, PowerDNS 4.7 would keep the old ones for later records.
      often(4, fc.constant({ ...base, records: [], comments: [] })),
      often(1, nth([base, { ...base, records: 'x' }, { ...base, name: 5 }, { ...base, changetype: undefined }])),
    ),
  );

type Change = { readonly name?: unknown; readonly type?: unknown; readonly changetype?: unknown };

const sequence = fc.array(fc.array(change as fc.Arbitrary<Change>, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 5,
});

/** The content without the serial, in an order of its own. RRsets without records are left out. */
function normalized(text: string): string[] {
  const { rrsets } = JSON.parse(text) as { rrsets: RRset[] };
  return rrsets
    .filter(({ records }) => records.length > 0)
    .map((set) => {
      const contents = set.records
        .map(({ content, disabled }) => `${normalizedContent(set.type, content)}${disabled ? ' off' : ''}`)
        .sort();
      const texts = set.comments.map((each) => `${each.modified_at} ${each.account}: ${each.content}`).sort();
      return `${set.name.toLowerCase()} ${set.ttl} ${set.type} ${JSON.stringify(contents)} ${JSON.stringify(texts)}`;
    })
    .sort();
}

/**
 * Our contents are in lower case where case has no meaning, and have bytes above 127 as `\\DDD`.
 * PowerDNS keeps the spelling of the client, and long strings of TXT in one piece.
 */
function normalizedContent(kind: string, content: string): string {
  if (kind === 'TXT' && content.length > 255) return content.replaceAll('" "', '');
  if (kind === 'TXT' || kind === 'CAA') return content.replaceAll('é', '\\195\\169');
  const lower = content.toLowerCase();
  if (kind === 'SOA') return lower.replace(/^(\S+ \S+) \d+/, '$1 SERIAL');
  return lower;
}

const test = suite<{ daemon: Borrowed; server: PowerDnsServer; ours: Send; theirs: Send }>(
  'powerdns api, next to pdns_server',
);

const missing = whyNotPrograms('pdns_server', 'sqlite3');
if (missing !== null) console.log(`powerdns api: skipped, ${missing}`);
else {
  test.before(async (context) => {
    context.daemon = await borrowDaemon();
    await context.daemon.api.logIn('admin', ADMIN_PASSWORD);
    context.server = await startPowerDnsServer();
    context.ours = sender(`http://127.0.0.1:${context.daemon.adminPort}`, context.daemon.api.token);
    context.theirs = sender(context.server.url, context.server.key);
  });
  test.after(async ({ daemon, server }) => {
    await server?.close();
    await daemon?.giveBack();
  });

  test(`${SEQUENCES} random sequences of PATCH`, async ({ ours, theirs }) => {
    const explained = new Map<string, number>();
    const note = (reason: string): void => void explained.set(reason, (explained.get(reason) ?? 0) + 1);
    const counts = { patches: 0, accepted: 0, refused: 0 };
    const sequences = fc.sample(sequence, { numRuns: SEQUENCES, seed: SEED });
    for (const [i, steps] of sequences.entries()) {
      const zone = `s${i}.example.`;
      const body = creation(zone);
      for (const send of [ours, theirs]) {
        const { status, text } = await send('POST', '?rrsets=false', body);
        assert.is(status, 201, text);
      }
      for (const step of steps) {
        const patch = { rrsets: JSON.parse(JSON.stringify(step).replaceAll('$', zone)) as Change[] };
        const before = normalized((await ours('GET', `/${zone}`)).text);
        const [a, b] = [await ours('PATCH', `/${zone}`, patch), await theirs('PATCH', `/${zone}`, patch)];
        const what = `${JSON.stringify(patch)}\nbefore: ${before.join('\n  ')}\nours: ${a.status} ${a.text}\ntheirs: ${b.status} ${b.text}`;
        counts.patches++;
        counts[a.status < 300 ? 'accepted' : 'refused']++;
        if (a.status >= 400) assert.equal(normalized((await ours('GET', `/${zone}`)).text), before, what);
        // PowerDNS fails with 500 on some wrong bodies.
        if (a.status < 400 !== b.status < 400) {
          const reason = EXPLAINED.find(({ ours: own, theirs: second }) =>
            a.status >= 400 ? own?.test(errorOf(a)) : second?.test(errorOf(b)),
          );
          assert.ok(reason !== undefined, `different status of ${what}`);
          note(reason.name);
          // A refused PATCH has changed nothing, so the other server goes back.
          if (a.status < 400) await align(theirs, ours, zone);
          else await align(ours, theirs, zone);
        }
        const [mine, other] = [await ours('GET', `/${zone}`), await theirs('GET', `/${zone}`)];
        const content = normalized(mine.text);
        if (
          content.includes(serviceNs(zone)) &&
          !normalized(other.text).some((set) => set.startsWith(`${zone} `) && set.includes(' NS '))
        ) {
          note('without own NS, a zone has those of the service');
          await align(ours, theirs, zone);
        } else assert.equal(content, normalized(other.text), what);
      }
      for (const send of [ours, theirs]) assert.is((await send('DELETE', `/${zone}`)).status, 204);
    }
    if (process.env.WAYPOST_DEPTH === 'full')
      console.log(JSON.stringify({ sequences: sequences.length, ...counts, explained: Object.fromEntries(explained) }));
  });
}

/** As `normalized` has them. */
const serviceNs = (zone: string): string =>
  `${zone} 86400 NS ${JSON.stringify([1, 2, 3, 4].map((i) => `ns${i}.waypost.test.`))} []`;

const errorOf = ({ text }: Answer): string => String((JSON.parse(text) as { error: unknown }).error);

/** With an own SOA and NS, so that both servers begin with the same content. */
function creation(zone: string) {
  const soa = { name: zone, type: 'SOA', ttl: 3600, records: [{ content: CONTENTS.SOA[0] }] };
  const ns = { name: zone, type: 'NS', ttl: 3600, records: [{ content: CONTENTS.NS[0] }, { content: CONTENTS.NS[1] }] };
  return { name: zone, kind: 'Native', rrsets: [soa, ns] };
}

/** Gives the zone of one server the content of the other one. */
async function align(from: Send, to: Send, zone: string): Promise<void> {
  const setsOf = async (send: Send): Promise<RRset[]> => JSON.parse((await send('GET', `/${zone}`)).text).rrsets;
  const wanted = await setsOf(from);
  const isWanted = (set: RRset): boolean => wanted.some((each) => each.name === set.name && each.type === set.type);
  const gone = (await setsOf(to)).filter((set) => !isWanted(set));
  const rrsets = [
    ...gone.map(({ name: owner, type: kind }) => ({ name: owner, type: kind, changetype: 'DELETE' })),
    ...wanted.filter(({ records }) => records.length > 0).map((set) => ({ ...set, changetype: 'REPLACE' })),
  ];
  const { status, text } = await to('PATCH', `/${zone}`, { rrsets });
  assert.is(status, 204, text);
}

test.run();
