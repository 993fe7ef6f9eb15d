/**
 * Zone transfers (RFC 5936, RFC 1995) and signed queries (TSIG, RFC 8945) as kdig and dig show
 * them, and NOTIFY to us.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { type Line, recordsOf, request, server } from './transcript.ts';

const PROGRAMS = ['kdig', 'dig'] as const;
type Program = (typeof PROGRAMS)[number];
const ALGORITHMS = ['hmac-sha256', 'hmac-sha512'] as const;
const APEX = 'transfer.test';
const OTHER = 'other.test';
/** What both print when a signature is not what it should be. */
const UNVERIFIED = /could not be validated|couldn't verify|verification|^;; ERROR/im;

interface Context {
  daemon: Borrowed;
  zone: string;
  /** Arguments of `-y` by algorithm, for keys that read all zones. */
  keys: Record<(typeof ALGORITHMS)[number], string>;
  /** For a key that reads `OTHER` alone. */
  narrow: string;
}

const test = suite<Context>('transcripts: zone transfers');

test.before(async (context) => {
  const daemon = await borrowDaemon('plain');
  const { api } = daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  const zone = await api.createDomain(APEX);
  const other = await api.createDomain(OTHER);
  await api.createRecord(zone, 'www', 'A', '192.0.2.1', 120);
  await api.createRecord(zone, '*.wild', 'TXT', '"any \\"thing\\""', 60);
  const keyed = async (name: string, algorithm: string, domains: string[] | null): Promise<string> => {
    const scopes = ['dns:read'];
    const { body } = await api.call('POST', '/api/v1/tsig-keys', {
      name,
      algorithm,
      scopes,
      domain_ids: domains?.map(Number) ?? null,
    });
    return `${algorithm}:${name}:${body.secret}`;
  };
  const keys = {
    'hmac-sha256': await keyed('first.key', 'hmac-sha256', null),
    'hmac-sha512': await keyed('second.key', 'hmac-sha512', null),
  };
  Object.assign(context, { daemon, zone, keys, narrow: await keyed('narrow.key', 'hmac-sha256', [other]) });
});
test.after(({ daemon }) => daemon.giveBack());

const typed = (program: Program, type: string): string[] => (program === 'kdig' ? ['-t', type] : [type]);
const shown = (records: readonly Line[]): string[] => records.map(({ name, type, data }) => `${name} ${type} ${data}`);

/** The records that a transfer printed, its signatures left out; fails when one was not good. */
async function transferred(
  program: Program,
  daemon: Borrowed,
  key: string,
  type: string,
  apex = APEX,
): Promise<Line[]> {
  const args = [...server(program, daemon.dnsPort), '-y', key, ...typed(program, type), apex];
  const { code, output } = await runProgram(program, args);
  assert.is(code, 0, output);
  assert.not.match(output, UNVERIFIED);
  assert.match(output, /\sTSIG\s+hmac-sha(?:256|512)\. \d+ 300 \d+ [\w+/= ]+ \d+ NOERROR 0/);
  return recordsOf(output);
}

const serialOf = ({ data }: Line): number => Number(data.split(' ')[2]);

for (const program of PROGRAMS) {
  for (const algorithm of ALGORITHMS)
    test(`${program} AXFR -y ${algorithm}: the zone between two SOA records`, async ({ daemon, keys }) => {
      const records = await transferred(program, daemon, keys[algorithm], 'AXFR');
      const [first, last] = [records[0], records[records.length - 1]];
      assert.equal([first.type, last], ['SOA', first]);
      assert.equal(shown(records.slice(1, -1)).sort(), [
        `*.wild.${APEX}. TXT "any \\"thing\\""`,
        ...[1, 2, 3, 4].map((i) => `${APEX}. NS ns${i}.waypost.test.`),
        `www.${APEX}. A 192.0.2.1`,
      ]);
      assert.is(records.find(({ name }) => name.startsWith('www'))?.ttl, 120);
    });

  test(`${program} SOA -y: the same answer as without a key, signed`, async ({ daemon, keys }) => {
    for (const transport of [[], ['+tcp']])
      for (const key of Object.values(keys)) {
        const flags = [...server(program, daemon.dnsPort), ...transport, '-y', key];
        const { status, flags: bits, answer, text } = await request(program, [...flags, APEX, 'SOA']);
        assert.equal([status, bits.includes('aa'), answer.length], ['NOERROR', true, 1], text);
        assert.match(
          text,
          /TSIG PSEUDOSECTION:\n\S+\s+0\s+ANY\s+TSIG\s+hmac-sha(?:256|512)\. \d+ 300 \d+ [\w+/= ]+ \d+ NOERROR 0/,
        );
        assert.not.match(text, UNVERIFIED);
        const missing = await request(program, [...flags, `missing.${APEX}`, 'A']);
        assert.equal([missing.status, missing.authority[0]?.type], ['NXDOMAIN', 'SOA']);
      }
  });

  test(`${program} IXFR: deleted and added records since a serial, and one SOA without changes`, async ({
    daemon,
    zone,
    keys,
  }) => {
    const key = keys['hmac-sha256'];
    const name = `ixfr-${program}`;
    const [before] = await transferred(program, daemon, key, 'AXFR');
    const record = await daemon.api.createRecord(zone, name, 'A', '192.0.2.7', 60);
    const [now, old, middle, added, end, ...rest] = await transferred(program, daemon, key, `IXFR=${serialOf(before)}`);
    assert.equal([now.type, old, middle, end, rest.length], ['SOA', before, now, now, 0]);
    assert.equal(shown([added]), [`${name}.${APEX}. A 192.0.2.7`]);
    await daemon.api.call('DELETE', `/api/v1/domains/${zone}/records/${record}`);
    const gone = await transferred(program, daemon, key, `IXFR=${serialOf(now)}`);
    assert.equal(
      gone.map(({ type }) => type),
      ['SOA', 'SOA', 'A', 'SOA', 'SOA'],
    );
    assert.equal([gone[1], gone[2]], [now, added]);
    assert.equal(await transferred(program, daemon, key, `IXFR=${serialOf(gone[0])}`), [gone[0]]);
    // A serial that the zone never had: the whole zone (RFC 1995 section 4).
    const whole = await transferred(program, daemon, key, `IXFR=${serialOf(gone[0]) - 1_000_000}`);
    assert.equal(whole, await transferred(program, daemon, key, 'AXFR'));
  });

  test(`${program}: transfers without a key are refused`, async ({ daemon, keys, narrow }) => {
    const good = keys['hmac-sha256'];
    const [, name, secret] = good.split(':');
    const refused = async (key: readonly string[], apex: string): Promise<string> => {
      const args = [...server(program, daemon.dnsPort), ...key, ...typed(program, 'AXFR'), apex];
      const { output } = await runProgram(program, args);
      assert.equal(recordsOf(output), [], output);
      return output;
    };
    const why = [
      await refused([], APEX),
      await refused(['-y', narrow], APEX),
      await refused(['-y', good], 'elsewhere.test'),
      await refused(['-y', `hmac-sha256:${name}:${Buffer.alloc(32).toString('base64')}`], APEX),
      await refused(['-y', `hmac-sha256:unknown.key:${secret}`], APEX),
    ];
    if (program === 'kdig')
      assert.equal(
        why.map((output) => /error '(\w+)'/.exec(output)?.[1]),
        ['REFUSED', 'REFUSED', 'NOTAUTH', 'BADSIG', 'BADKEY'],
      );
    assert.is((await transferred(program, daemon, narrow, 'AXFR', OTHER))[0].type, 'SOA');
  });

  test(`${program}: a bad signature is NOTAUTH (RFC 8945 5.2), over UDP as well`, async ({ daemon, keys }) => {
    const [, name, secret] = keys['hmac-sha256'].split(':');
    for (const [key, code] of [
      [`hmac-sha256:${name}:${Buffer.alloc(32).toString('base64')}`, 'BADSIG'],
      [`hmac-sha512:${name}:${secret}`, 'BADKEY'],
      [`hmac-sha256:unknown.key:${secret}`, 'BADKEY'],
    ]) {
      const { output } = await runProgram(program, [...server(program, daemon.dnsPort), '-y', key, APEX, 'SOA']);
      assert.match(output, new RegExp(`\\b${code}\\b`), output);
      if (program === 'dig') assert.match(output, /status: NOTAUTH/);
      assert.not.match(output, /ANSWER SECTION/);
    }
  });
}

test('kdig and dig: NOTIFY for a primary zone is NOTAUTH (RFC 1996 3.10)', async ({ daemon }) => {
  for (const [program, args] of [
    ['kdig', ['-t', 'NOTIFY=7', APEX]],
    ['dig', ['+opcode=notify', APEX, 'SOA']],
  ] as const) {
    const { opcode, status } = await request(program, [...server(program, daemon.dnsPort), ...args]);
    assert.equal([opcode, status], ['NOTIFY', 'NOTAUTH'], program);
  }
});

const why = whyNotPrograms(...PROGRAMS);
if (why === null) test.run();
else console.log(`skipped: transcripts of zone transfers, ${why}`);
