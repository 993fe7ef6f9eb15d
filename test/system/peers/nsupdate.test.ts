/**
 * BIND's nsupdate over UDP and TCP: what it asks for happens, and it learns why not when it does
 * not.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName } from '../../../core/dns/wire/name.ts';
import type { Domain } from '../../../core/store/rows.ts';
import type { Key } from '../../admin-api/zones/update/world.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { startUpdateServer, type UpdateServer } from './update-server.ts';

const missing = whyNotPrograms('nsupdate', 'dig');
const test = suite('nsupdate');
let server: UpdateServer;
/** Where the loopback is a network as any other. */
let strict: UpdateServer;
let key: Key;
let folder: string;
let scripts = 0;

test.before(async () => {
  if (missing !== null) return;
  // As configured by default.
  server = await startUpdateServer({ rate: 100, allow: ['127.0.0.0/8'] });
  key = await server.world.key(server.world.admin);
  strict = await startUpdateServer({ rate: 20, allow: false });
  folder = temporaryFolder('nsupdate');
});
test.after(async () => {
  await server?.stop();
  await strict?.stop();
});

/**
 * Runs it with a script, in which `~` is the zone; resolves with its last words, `ok` when it has
 * none.
 */
async function nsupdate(
  domain: Domain,
  lines: readonly string[],
  transport: 'udp' | 'tcp',
  by: Key = key,
  options: readonly string[] = [],
  port = server.port,
): Promise<string> {
  const script = join(folder, `${++scripts}.txt`);
  const zone = formatName(domain.apex);
  writeFileSync(
    script,
    [`server 127.0.0.1 ${port}`, `zone ${zone}`, ...lines.map((line) => line.replaceAll('~', zone)), 'send', ''].join(
      '\n',
    ),
  );
  const secret = Buffer.from(by.secret).toString('base64');
  const args = [
    '-y',
    `${by.algorithm}:${by.row.name}:${secret}`,
    '-t',
    '10',
    ...(transport === 'tcp' ? ['-v'] : []),
    ...options,
    script,
  ];
  const { code, output } = await runProgram('nsupdate', args);
  if (code === 0 && output === '') return 'ok';
  return /update failed: (\w+)/.exec(output)?.[1] ?? (output.trim() || `exit ${code}`);
}

const recordsOf = (domain: Domain): string[] => server.world.records(domain);

async function served(name: string, type: string): Promise<string[]> {
  const { output } = await runProgram('dig', [
    '@127.0.0.1',
    '-p',
    `${server.port}`,
    name,
    type,
    '+short',
    '+norecurse',
  ]);
  return output
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

for (const transport of ['udp', 'tcp'] as const) {
  test(`adds, replaces and deletes over ${transport}, and the changes are served when it ends`, async () => {
    if (missing !== null) return;
    const domain = await server.world.zone();
    const apex = formatName(domain.apex);
    const run = (...lines: string[]) => nsupdate(domain, lines, transport);
    assert.is(
      await run(
        'update add www.~ 300 A 192.0.2.1',
        'update add www.~ 300 A 192.0.2.2',
        'update add ~ 300 MX 10 mail.~',
        'update add _sip._tcp.~ 60 SRV 1 2 5060 www.~',
        'update add txt.~ 60 TXT "one string" "another"',
        'update add ~ 60 CAA 0 issue "ca.example"',
        'update add https.~ 60 HTTPS 1 . alpn=h2,h3',
        'update add sub.~ 60 NS ns.sub.~',
        'update add ns.sub.~ 60 A 192.0.2.53',
        `update add ptr.~ 5 PTR WWW.~`,
      ),
      'ok',
    );
    assert.equal(await served(`www.${apex}`, 'A'), ['192.0.2.1', '192.0.2.2']);
    assert.equal(recordsOf(domain), [
      `@ 300 MX 10 mail.${apex}`,
      '@ 60 CAA 0 issue "ca.example"',
      `_sip._tcp 60 SRV 1 2 5060 www.${apex}`,
      'https 60 HTTPS 1 . alpn="h2,h3"',
      'ns.sub 60 A 192.0.2.53',
      `ptr 30 PTR www.${apex}`,
      `sub 60 NS ns.sub.${apex}`,
      'txt 60 TXT "one string" "another"',
      'www 300 A 192.0.2.1',
      'www 300 A 192.0.2.2',
    ]);
    assert.is(await run('update delete www.~ A 192.0.2.1', 'update delete txt.~ TXT', 'update delete https.~'), 'ok');
    assert.equal(await served(`www.${apex}`, 'A'), ['192.0.2.2']);
    assert.equal(await served(`txt.${apex}`, 'TXT'), []);
    // What an SRV record points at cannot be an alias, so both change at once.
    assert.is(await run('update delete www.~ A', 'update add www.~ 60 CNAME other.example.'), 'REFUSED');
    assert.is(
      await run(
        'update delete ~',
        'update delete www.~ A',
        'update add www.~ 60 CNAME other.example.',
        'update delete _sip._tcp.~',
      ),
      'ok',
    );
    assert.equal(await served(`www.${apex}`, 'A'), ['other.example.']);
    assert.equal((await served(apex, 'NS')).length, 2);
  });

  test(`prerequisites over ${transport}`, async () => {
    if (missing !== null) return;
    const domain = await server.world.zone();
    const run = (...lines: string[]) => nsupdate(domain, lines, transport);
    assert.is(await run('prereq nxdomain www.~', 'prereq nxrrset www.~ A', 'update add www.~ 60 A 192.0.2.1'), 'ok');
    const change = 'update add www.~ 60 A 192.0.2.9';
    assert.is(await run('prereq nxdomain www.~', change), 'YXDOMAIN');
    assert.is(await run('prereq yxdomain mail.~', change), 'NXDOMAIN');
    assert.is(await run('prereq nxrrset www.~ A', change), 'YXRRSET');
    assert.is(await run('prereq yxrrset www.~ AAAA', change), 'NXRRSET');
    assert.is(await run('prereq yxrrset www.~ A 192.0.2.2', change), 'NXRRSET');
    assert.equal(recordsOf(domain), ['www 60 A 192.0.2.1']);
    assert.is(
      await run('prereq yxdomain www.~', 'prereq yxrrset www.~ A', 'prereq yxrrset www.~ A 192.0.2.1', change),
      'ok',
    );
    assert.equal(recordsOf(domain), ['www 60 A 192.0.2.1', 'www 60 A 192.0.2.9']);
  });

  test(`refusals over ${transport}`, async () => {
    if (missing !== null) return;
    const { world } = server;
    const domain = await world.zone();
    const lines = ['update add www.~ 60 A 192.0.2.1'];
    const forged = { ...key, secret: Buffer.alloc(32, 7) };
    assert.match(await nsupdate(domain, lines, transport, forged), /BADSIG|NOTAUTH/);
    const unknown = { ...key, row: { ...key.row, name: 'nobody' } };
    assert.match(await nsupdate(domain, lines, transport, unknown), /BADKEY|NOTAUTH/);
    assert.is(
      await nsupdate(domain, lines, transport, await world.key(world.admin, { scopes: ['dns:read'] })),
      'REFUSED',
    );
    assert.is(
      await nsupdate({ ...domain, apex: domain.apex.subarray(domain.apex[0] + 1) }, lines, transport),
      'NOTAUTH',
    );
    assert.is(await nsupdate(domain, ['update add ~ 60 NS ns.other.example.'], transport), 'REFUSED');
    assert.equal(recordsOf(domain), []);
  });
}

/**
 * A message that is dropped ends nsupdate with a time-out; one that waits long on a busy machine
 * does not. BIND 9.18 fails an assertion if it reads twice with more than 32 seconds left.
 */
const WITHOUT_REPEATS = ['-r', '0', '-u', '30'];

test('hundreds of updates one after another over UDP from the loopback, none of which is lost', async () => {
  if (missing !== null) return;
  const domain = await server.world.zone();
  const lines = Array.from({ length: 600 }, (_, i) => [`update add h${i}.~ 60 A 192.0.2.${i % 250}`, 'send']).flat();
  assert.is(await nsupdate(domain, lines, 'udp', key, WITHOUT_REPEATS), 'ok');
  assert.is(recordsOf(domain).length, 600);
});

test('hundreds of updates one after another over UDP from a network with a rate, none of which is lost', async () => {
  if (missing !== null) return;
  const { world, port } = strict;
  const domain = await world.zone();
  const by = await world.key(world.admin);
  const lines = Array.from({ length: 600 }, (_, i) => [`update add h${i}.~ 60 A 192.0.2.${i % 250}`, 'send']).flat();
  assert.is(await nsupdate(domain, lines, 'udp', by, WITHOUT_REPEATS, port), 'ok');
  assert.is(world.records(domain).length, 600);
});

test('hundreds of records in one message go over TCP and are one change', async () => {
  if (missing !== null) return;
  const domain = await server.world.zone();
  const before = server.world.daemon.writes();
  const lines = Array.from({ length: 500 }, (_, i) => `update add h${i}.~ 60 A 192.0.2.${i % 250}`);
  assert.is(await nsupdate(domain, lines, 'udp'), 'ok');
  assert.is(recordsOf(domain).length, 500);
  assert.is(server.world.daemon.writes(), before + 1);
});

if (missing === null)
  test('a reverse zone is delegated in parts, and a part is filled (RFC 2317)', async () => {
    const whole = await server.world.zone(undefined, '2.0.192.in-addr.arpa');
    const part = await server.world.zone(undefined, '0/25.2.0.192.in-addr.arpa');
    const delegation = ['update add 0/25.~ 60 NS ns.example.', 'update add 7.~ 60 CNAME 7.0/25.~'];
    assert.is(await nsupdate(whole, delegation, 'udp'), 'ok');
    assert.is(await nsupdate(part, ['update add 7.~ 60 PTR host.example.'], 'udp'), 'ok');
    assert.equal(server.world.records(whole), ['0/25 60 NS ns.example.', '7 60 CNAME 7.0/25.2.0.192.in-addr.arpa.']);
    assert.equal(server.world.records(part), ['7 60 PTR host.example.']);
  });

test.run();
