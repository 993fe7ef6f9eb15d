/** An ordered RSA certificate as clients see it, with `acme.also_rsa` turned off and on again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startChild } from '../../../../support/child.ts';
import { ADMIN_PASSWORD, type Daemon, runCommand, startDaemon } from '../../../../support/daemon.ts';
import { whyNotPrograms } from '../../../../support/programs.ts';
import { temporaryFolder } from '../../../../support/temp.ts';
import { untilIs } from '../../../../support/until.ts';
import { type Directory, startDaemonDirectory } from '../../../peers/pebble.ts';

const SITE = 'rsa.test';

interface Context {
  daemon: Daemon;
  directory: Directory;
  httpsPort: number;
  file: string;
}

const test = suite<Context>('an ordered RSA certificate');

const setting = (isOn: boolean): string => `[acme]\nalso_rsa = ${isOn}\n`;

test.before(async (context) => {
  const { directory, httpsPort, settings } = await startDaemonDirectory();
  const file = join(temporaryFolder('rsa'), 'waypost.toml');
  writeFileSync(file, setting(true));
  const daemon = await startDaemon({ ...settings, WAYPOST_CONFIG: file });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  Object.assign(context, { daemon, directory, httpsPort, file });
});
test.after(async ({ daemon, directory }) => {
  await daemon?.close();
  await directory?.stop();
});

/** The bits of the key that the server shows to a client of one signature algorithm. */
async function shown(port: number, algorithm: string): Promise<string | undefined> {
  const connect = ['-connect', `127.0.0.1:${port}`, '-servername', SITE, '-sigalgs', algorithm];
  const child = startChild('openssl', ['s_client', ...connect]);
  await child.ended();
  return /Server public key is (\d+) bit/.exec(child.output())?.[1];
}

test('it is neither served nor listed while the setting is off', async ({ daemon, httpsPort, file }) => {
  const { api, env } = daemon;
  const path = `/api/v1/domains/${await api.createDomain(SITE)}`;
  await api.call('POST', `${path}/records`, { name: '@', type: 'A', content: '192.0.2.1' });
  await api.call('PUT', `${path}/proxy`, { origin: '127.0.0.1', port: 9, protocol: 'http' });
  assert.is((await api.call('POST', `${path}/proxy/toggle`, { enable: true })).status, 200);
  const listed = async (): Promise<string> => {
    const { proxy } = (await api.call('GET', `${path}/proxy`)).body;
    const { certificates } = proxy as unknown as { certificates: { key_type: string }[] };
    return certificates.map(({ key_type }) => key_type).join();
  };
  await untilIs(listed, 'ecdsa,rsa');
  const ofRsa = (): Promise<string | undefined> => shown(httpsPort, 'RSA-PSS+SHA256');
  const ofEcdsa = (): Promise<string | undefined> => shown(httpsPort, 'ECDSA+SHA256');
  await untilIs(ofRsa, '2048');
  for (const [isOn, bits, list] of [
    [false, undefined, 'ecdsa'],
    [true, '2048', 'ecdsa,rsa'],
  ] as const) {
    writeFileSync(file, setting(isOn));
    const { code, output } = await runCommand(['reload'], env);
    assert.is(code, 0, output);
    await untilIs(ofRsa, bits);
    assert.is(await listed(), list);
    assert.is(await ofEcdsa(), '256');
  }
});

const why = whyNotPrograms('pebble', 'openssl');
if (why === null) test.run();
else console.log(`skipped: an ordered RSA certificate, ${why}`);
