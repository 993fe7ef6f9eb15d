/** dig and kdig transfer zones, signed and not, and say what is refused. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';

const ZONE = 'shown.test';
const KEY = 'transfer.shown.test';
const TOOLS = ['dig', 'kdig'] as const;

const missing = TOOLS.filter((tool) => !existsSync(`/usr/bin/${tool}`));
if (missing.length > 0 && process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`missing: ${missing.join(', ')}`);

const test = suite<{ daemon: Borrowed; secret: string; serial: number }>('transfers, dig and kdig');

test.before(async (context) => {
  const daemon = await borrowDaemon('plain');
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const id = await daemon.api.createDomain(ZONE);
  const { body } = await daemon.api.call('POST', '/api/v1/tsig-keys', { name: KEY, scopes: ['dns:read'] });
  await daemon.api.createRecord(id, 'www', 'A', '192.0.2.1');
  Object.assign(context, { daemon, secret: String(body.secret), serial: 0 });
  const [, serial] = /SOA\s+\S+ \S+ (\d+)/.exec(ask('dig', context, ['AXFR']))!;
  context.serial = Number(serial);
  await daemon.api.createRecord(id, 'www', 'A', '192.0.2.2');
});
test.after(({ daemon }) => daemon.giveBack());

interface Asked {
  readonly daemon: Borrowed;
  readonly secret: string;
}

function ask(
  tool: (typeof TOOLS)[number],
  { daemon, secret }: Asked,
  args: readonly string[],
  key: string | null = `hmac-sha256:${KEY}:${secret}`,
  name = ZONE,
): string {
  const signed = key === null ? [] : ['-y', key];
  const all = ['@127.0.0.1', '-p', String(daemon.dnsPort), '+time=3', ...signed, name, ...args];
  const { stdout, stderr } = spawnSync(tool, all, { encoding: 'utf8', timeout: PATIENCE_MS });
  return stdout + stderr;
}

/** Records of an output in order: owner, type, and the first words of the data. */
function recordsOf(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /^\S+\s+\d+\s+IN\s/.test(line))
    .map((line) => line.replace(/\s+/g, ' ').replace(/ \d+ IN /, ' '));
}

const soa = (serial: number): RegExp => new RegExp(`^${ZONE}\\. SOA ns1\\.waypost\\.test\\. \\S+ ${serial} `);

for (const tool of TOOLS.filter((item) => !missing.includes(item))) {
  test(`${tool}: signed AXFR is the zone between its SOA records, with valid signatures`, (context) => {
    const output = ask(tool, context, ['AXFR']);
    const records = recordsOf(output);
    assert.equal(records.slice(1, -1).sort(), [
      ...[1, 2, 3, 4].map((i) => `${ZONE}. NS ns${i}.waypost.test.`),
      `www.${ZONE}. A 192.0.2.1`,
      `www.${ZONE}. A 192.0.2.2`,
    ]);
    assert.is(records[0], records[records.length - 1]);
    assert.match(output, /TSIG\s+hmac-sha256\. \d+ 300 32 \S+ \d+ NOERROR/);
    assert.not.match(output, /could not be validated|Couldn't verify|WARNING/i);
  });

  test(`${tool}: IXFR over TCP and UDP is the difference`, (context) => {
    for (const transport of ['+tcp', '+notcp']) {
      const records = recordsOf(ask(tool, context, [transport, `IXFR=${context.serial}`]));
      const [newest, old, next, added, last] = records;
      assert.is(records.length, 5, records.join('\n'));
      assert.match(old, soa(context.serial));
      assert.equal([newest, last], [next, next]);
      assert.is(added, `www.${ZONE}. A 192.0.2.2`);
    }
  });

  test(`${tool}: without a key, with an unknown key, and with another secret nothing is transferred`, (context) => {
    const other = Buffer.alloc(32, 7).toString('base64');
    for (const key of [null, `hmac-sha256:unknown.test:${other}`, `hmac-sha256:${KEY}:${other}`])
      assert.equal(recordsOf(ask(tool, context, ['AXFR'], key)), []);
    const query = (key: string): string => ask(tool, context, ['SOA'], key);
    // kdig says of most errors only that there is one.
    const refusal = (error: string): RegExp =>
      tool === 'dig' ? new RegExp(`status: NOTAUTH[\\s\\S]*${error}`) : new RegExp(`tsig|${error}`, 'i');
    assert.match(query(`hmac-sha256:unknown.test:${other}`), refusal('BADKEY'));
    assert.match(query(`hmac-sha512:${KEY}:${context.secret}`), refusal('BADKEY'));
    assert.match(query(`hmac-sha256:${KEY}:${other}`), refusal('BADSIG'));
  });

  test(`${tool}: a signed query for an unknown zone is NOTAUTH`, (context) => {
    const key = `hmac-sha256:${KEY}:${context.secret}`;
    assert.equal(recordsOf(ask(tool, context, ['AXFR'], key, 'elsewhere.test')), []);
    // dig says of a transfer no more than that it failed.
    if (tool === 'kdig') assert.match(ask(tool, context, ['AXFR'], key, 'elsewhere.test'), /NOTAUTH/);
  });

  test(`${tool}: a signed query is answered, and signed`, (context) => {
    const output = ask(tool, context, ['A'], undefined, `www.${ZONE}`);
    assert.equal(recordsOf(output).sort(), [`www.${ZONE}. A 192.0.2.1`, `www.${ZONE}. A 192.0.2.2`]);
    assert.match(output, /TSIG\s+hmac-sha256\. \d+ 300 32 \S+ \d+ NOERROR/);
    assert.not.match(output, /could not be validated|Couldn't verify/i);
  });
}

if (missing.length > 0) console.log(`skipped: ${missing.join(', ')} not installed`);
test.run();
