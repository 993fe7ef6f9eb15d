/**
 * The whole daemon, as it is deployed: a key from the API, nsupdate and certbot, and what became of
 * it after a restart.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startChild } from '../../support/child.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temp.ts';

const ZONE = 'example.net';
const missing = whyNotPrograms('nsupdate', 'dig');
const test = suite('dynamic update of the daemon');
let daemon: Daemon;
let secret: string;
test.before(async () => {
  if (missing !== null) return;
  daemon = await startDaemon();
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  await daemon.api.createDomain(ZONE);
  const { body } = await daemon.api.call('POST', '/api/v1/tsig-keys', { name: 'updater' });
  secret = String(body.secret);
});
test.after(() => daemon?.close());

async function nsupdate(lines: readonly string[], args: readonly string[] = [], with_ = secret): Promise<string> {
  const script = join(temporaryFolder('nsupdate'), 'script.txt');
  writeFileSync(script, [`server 127.0.0.1 ${daemon.dnsPort}`, `zone ${ZONE}`, ...lines, 'send', ''].join('\n'));
  const key = with_ === '' ? [] : ['-y', `hmac-sha256:updater:${with_}`];
  const { code, output } = await runProgram('nsupdate', [...key, ...args, script]);
  return code === 0 && output === '' ? 'ok' : output.trim();
}

async function dig(name: string, type: string): Promise<string> {
  const { output } = await runProgram('dig', [
    '@127.0.0.1',
    '-p',
    `${daemon.dnsPort}`,
    name,
    type,
    '+short',
    '+norecurse',
  ]);
  return output.trim();
}

test('nsupdate over UDP and TCP; unsigned and forged updates are refused', async () => {
  if (missing !== null) return;
  assert.is(await nsupdate([`update add a.${ZONE} 60 A 192.0.2.1`]), 'ok');
  assert.is(await dig(`a.${ZONE}`, 'A'), '192.0.2.1');
  assert.is(await nsupdate([`prereq yxdomain a.${ZONE}`, `update add b.${ZONE} 60 A 192.0.2.2`], ['-v']), 'ok');
  assert.is(await dig(`b.${ZONE}`, 'A'), '192.0.2.2');
  for (const args of [[], ['-v']]) {
    assert.match(await nsupdate([`update add c.${ZONE} 60 A 192.0.2.3`], args, ''), /REFUSED/);
    const forged = Buffer.alloc(32, 9).toString('base64');
    assert.match(await nsupdate([`update add c.${ZONE} 60 A 192.0.2.3`], args, forged), /BADSIG|NOTAUTH/);
  }
  assert.is(await dig(`c.${ZONE}`, 'A'), '');
});

test('nsupdate finds the zone of a name that does not exist', async () => {
  if (missing !== null) return;
  const script = join(temporaryFolder('nsupdate'), 'script.txt');
  const lines = [`server 127.0.0.1 ${daemon.dnsPort}`, `update add x.y.${ZONE} 60 TXT "found"`, 'send', ''];
  writeFileSync(script, lines.join('\n'));
  const { code, output } = await runProgram('nsupdate', ['-y', `hmac-sha256:updater:${secret}`, script]);
  assert.equal([code, output], [0, '']);
  assert.is(await dig(`x.y.${ZONE}`, 'TXT'), '"found"');
});

test('certbot finds the zone by signed queries and adds its challenge', async () => {
  if (missing !== null) return;
  const module = '/usr/lib/python3/dist-packages/certbot_dns_rfc2136';
  if (!existsSync(module)) {
    if (process.env.WAYPOST_REQUIRE_PEERS === '1')
      throw new Error(`${module} is not installed, and peers are required.`);
    return;
  }
  const script = `
import sys, dns.tsig
from certbot_dns_rfc2136._internal.dns_rfc2136 import _RFC2136Client
client = _RFC2136Client("127.0.0.1", int(sys.argv[1]), "updater", sys.argv[2], dns.tsig.HMAC_SHA256)
client.add_txt_record("_acme-challenge.www.${ZONE}", "challenge", 120)
`;
  const child = startChild('/usr/bin/python3', ['-c', script, `${daemon.dnsPort}`, secret]);
  assert.is(await child.ended(), 0, child.output());
  assert.is(await dig(`_acme-challenge.www.${ZONE}`, 'TXT'), '"challenge"');
});

test('answered updates are stored after the process was killed', async () => {
  if (missing !== null) return;
  assert.is(await nsupdate([`update add kept.${ZONE} 60 A 192.0.2.9`]), 'ok');
  await daemon.kill();
  await daemon.start();
  assert.is(await dig(`kept.${ZONE}`, 'A'), '192.0.2.9');
  assert.is(await dig(`a.${ZONE}`, 'A'), '192.0.2.1');
});

test.run();
