/**
 * TSIG keys of servers that are not ours: entered here with their names, secrets and algorithms,
 * and used for transfers from Knot DNS, BIND and NSD, for their NOTIFY, and by dig and kdig.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { runProgram } from '../../support/programs.ts';
import { untilIs } from '../../support/until.ts';
import { FILES, type PrimaryName, TestPrimary } from './primaries.ts';
import { dig } from './zone-comparison.ts';

const test = suite('TSIG with other servers');
let daemon: Daemon;
const primaries: TestPrimary[] = [];

test.before(async () => {
  daemon = await startDaemon({
    WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: 'true',
    WAYPOST_SECONDARY_MIN_REFRESH: '1',
  });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
});
test.after(async () => {
  for (const primary of primaries) await primary.close();
  await daemon.close();
});

/** The key of each primary has the same name. NSD knows neither hmac-md5 nor short secrets. */
const KEYS: readonly (readonly [PrimaryName, algorithm: string, bytes: number])[] = [
  ['knot', 'hmac-sha384', 48],
  ['knot', 'hmac-sha1', 20],
  ['bind', 'hmac-md5', 10],
  ['bind', 'hmac-sha224', 28],
  ['nsd', 'hmac-sha1', 20],
  ['nsd', 'hmac-sha512', 64],
];
const NAME = 'transfer-key';

test('zones are transferred, and follow signed NOTIFY, with keys of one name and different secrets', async () => {
  const zones = await Promise.all(
    KEYS.map(async ([name, algorithm, bytes], i) => {
      const zone = `${name}${i}.test`;
      const secret = randomBytes(bytes).toString('base64');
      const primary = await TestPrimary.open(name, {
        ...{ zone, secondary: daemon.dnsPort },
        key: { name: NAME, secret, algorithm },
      });
      primaries.push(primary);
      primary.write(1, [['www', 'A', '192.0.2.1']]);
      await primary.start();
      const key = { name: NAME, secret, algorithm, outgoing: true };
      const { body } = await daemon.api.call('POST', '/api/v1/tsig-keys', key);
      const list = [{ address: `127.0.0.1:${primary.port}`, tsig_key_id: Number(body.id) }];
      await daemon.api.call('POST', '/api/v1/domains', { domain: zone, kind: 'secondary', primaries: list });
      return { zone, primary };
    }),
  );
  const answerOf = (zone: string): string => dig(daemon.dnsPort, '+short', `www.${zone}`, 'A').trim();
  for (const { zone } of zones) await untilIs(() => answerOf(zone), '192.0.2.1', zone);
  for (const { primary } of zones) primary.write(2, [['www', 'A', '192.0.2.2']]);
  for (const { zone } of zones) await untilIs(() => answerOf(zone), '192.0.2.2', zone);
});

test('dig and kdig transfer with entered keys; accounts may have keys of the same name', async () => {
  const clients = await Promise.all(
    ['first', 'second'].map(async (username) => {
      const password = 'a long password';
      const { body } = await daemon.api.call('POST', '/api/v1/accounts', { username, password, plan: 'pro' });
      const { id } = body.account as { id: number };
      await daemon.api.call('POST', `/api/v1/domains?account=${id}`, { domain: `${username}.test` });
      return { zone: `${username}.test`, account: id };
    }),
  );
  for (const algorithm of ['hmac-sha1', 'hmac-sha224', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512']) {
    const secrets: string[] = [];
    for (const { account } of clients) {
      const secret = randomBytes(24).toString('base64');
      secrets.push(secret);
      const { body } = await daemon.api.call('POST', `/api/v1/tsig-keys?account=${account}`, {
        ...{ name: `shared-${algorithm}`, secret, algorithm },
      });
      assert.is(body.secret, undefined);
    }
    const transfer = async (tool: 'dig' | 'kdig', zone: string, secret: string): Promise<string> => {
      const key = `${algorithm}:shared-${algorithm}:${secret}`;
      const args = ['@127.0.0.1', '-p', String(daemon.dnsPort), '+tcp', '-y', key, zone, 'AXFR'];
      return (await runProgram(tool, args)).output;
    };
    for (const tool of ['dig', 'kdig'] as const)
      for (const [i, { zone }] of clients.entries()) {
        const whole = await transfer(tool, zone, secrets[i]);
        assert.match(whole, new RegExp(`^${zone}\\.\\s.*\\sSOA\\s`, 'm'), `${tool} ${algorithm}`);
        assert.not.match(whole, /could not be validated|Couldn't verify|BADSIG|BADKEY/i);
        // The key of the other account is valid, but not for this zone.
        const refused = await transfer(tool, zone, secrets[1 - i]);
        assert.match(refused, /REFUSED|Transfer failed/, `${tool} ${algorithm}`);
        assert.not.match(refused, /BADSIG|BADKEY/);
      }
  }
});

const missing = FILES.filter((file) => !existsSync(file));
if (missing.length === 0) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`missing: ${missing.join(', ')}`);
else console.log(`skipped: ${missing.join(', ')} not installed`);
