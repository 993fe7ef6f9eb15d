/**
 * A zone with a record of each type, in a daemon: imported, exported and imported again; served to
 * dig and kdig, whose print of each record is read back as the same bytes.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DNSSEC_TYPES } from '../../../admin-api/zones/records/rules/dnssec.ts';
import { parseMaster } from '../../../core/dns/wire/master/index.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatName, parseName } from '../../../core/dns/wire/name.ts';
import { formatRdata, parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { RDATA_TABLE } from '../../../core/dns/wire/rdata/table.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';

const ZONE = 'types.test';
const ORIGIN = parseName(`${ZONE}.`);
const TOOLS = ['dig', 'kdig'] as const;

interface Sample {
  readonly owner: string;
  readonly type: number;
  readonly rdata: Uint8Array;
}

/** Types that an import drops, or that are not served as they are. */
const isServed = (type: number): boolean => !DNSSEC_TYPES.has(type) && type !== TYPE.SOA && type !== TYPE.ALIAS;

const SAMPLES: readonly Sample[] = [...RDATA_TABLE.values()]
  .filter(({ type }) => isServed(type))
  .map(({ type, example }) => {
    const content = example.replace(/and (\d+) hexadecimal digits/, (_, digits) => 'a'.repeat(Number(digits)));
    return { owner: `${typeName(type)}.${ZONE}.`.toLowerCase(), type, rdata: parseRdata(type, content) };
  });

const line = ({ owner, type, rdata }: Sample): string =>
  `${owner} 300 IN ${typeName(type)} ${formatRdata(type, rdata)}\n`;

/** Owner, type and bytes of the records of a master file that are in SAMPLES, sorted. */
function recordsIn(text: string): string[] {
  const { records, errors } = parseMaster(Buffer.from(text), { origin: ORIGIN });
  assert.equal(errors, []);
  return records
    .filter(({ type, name }) => isServed(type) && name.length > ORIGIN.length)
    .map(({ name, type, rdata }) => `${formatName(name)} ${type} ${Buffer.from(rdata).toString('hex')}`)
    .sort();
}

const EXPECTED = recordsIn(SAMPLES.map(line).join(''));

const test = suite<{ daemon: Borrowed; id: string }>('all types');

test.before(async (context) => {
  context.daemon = await borrowDaemon();
  await context.daemon.api.logIn('admin', ADMIN_PASSWORD);
  context.id = await context.daemon.api.createDomain(ZONE);
});
test.after(({ daemon }) => daemon.giveBack());

test('import, export and import of the export', async ({ daemon: { api }, id }) => {
  const path = `/api/v1/domains/${id}/zonefile`;
  const put = async (text: string): Promise<void> => {
    const { status, body } = await api.call('PUT', path, text, 'text/dns');
    assert.is(status, 200, JSON.stringify(body));
    assert.is(body.warnings, undefined);
  };
  await put(SAMPLES.map(line).join(''));
  const exported = (await api.call('GET', path)).text;
  assert.equal(recordsIn(exported), EXPECTED);
  await put(exported);
  // The serial has risen.
  const withoutSoa = (text: string): string => text.replace(/^.*\tSOA\t.*$/m, '');
  assert.is(withoutSoa((await api.call('GET', path)).text), withoutSoa(exported));
});

function run(tool: (typeof TOOLS)[number], { dnsPort }: Borrowed, args: readonly string[]): string {
  const all = ['@127.0.0.1', '-p', String(dnsPort), '+noall', '+answer', '+authority', ...args];
  const { stdout, stderr } = spawnSync(tool, all, { encoding: 'utf8', timeout: PATIENCE_MS });
  assert.is(stderr, '');
  return stdout.replace(/^;.*$/gm, '');
}

for (const tool of TOOLS) {
  if (!existsSync(`/usr/bin/${tool}`)) {
    if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${tool} is not installed, and peers are required.`);
    console.log(`Skipped: ${tool} does not print our records: it is not installed.`);
    continue;
  }
  test(`${tool} prints each record of a transfer as the same bytes`, ({ daemon }) => {
    assert.equal(recordsIn(run(tool, daemon, [ZONE, 'AXFR'])), EXPECTED);
  });

  test(`${tool} gets and prints each type`, ({ daemon }) => {
    const queries = SAMPLES.flatMap(({ owner, type }) => [owner, `TYPE${type}`]);
    assert.equal(recordsIn(run(tool, daemon, queries)), EXPECTED);
  });
}

test.run();
