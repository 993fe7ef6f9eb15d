/** BIND's delv validates automatic hints of a signed zone before and after the addresses change. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName } from '../../../core/dns/wire/name.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { until } from '../../support/until.ts';
import { startUpdateServer, type UpdateServer } from '../peers/update-server.ts';
import { anchorFile, signZone } from './rig.ts';

const missing = whyNotPrograms('delv');
const test = suite('delv, automatic hints');
let server: UpdateServer;
let domain: Domain;
let anchors: string;

test.before(async () => {
  if (missing !== null) return;
  server = await startUpdateServer();
  domain = await server.world.zone(undefined, 'hinted.example');
  for (const json of [
    { name: 'h', type: 'A', content: '192.0.2.1' },
    { name: 'www', type: 'HTTPS', content: `1 h.${formatName(domain.apex)} alpn=h2 ipv4hint=auto ipv6hint=auto` },
  ])
    await call('POST', '', json);
  anchors = anchorFile(domain, await signZone(server.world.daemon, domain));
});
test.after(() => server?.stop());

async function call(method: string, path: string, json: object): Promise<void> {
  const { status, text } = await server.world.daemon.call(method, `/api/v1/domains/${domain.id}/records${path}`, {
    json,
  });
  if (status >= 300) throw new Error(text);
}

async function validated(): Promise<string> {
  const apex = formatName(domain.apex);
  const args = ['@127.0.0.1', '-p', `${server.port}`, '-a', anchors, `+root=${apex}`, `www.${apex}`, 'HTTPS'];
  const { output } = await runProgram('delv', args);
  assert.match(output, /^; fully validated/);
  return /HTTPS\t(.*)\n/.exec(output)![1];
}

test('each state of the hints is signed', async () => {
  if (missing !== null) return;
  const target = `1 h.${formatName(domain.apex)} alpn="h2"`;
  assert.is(await validated(), `${target} ipv4hint=192.0.2.1`);
  await call('POST', '', { name: 'h', type: 'AAAA', content: '2001:db8::1' });
  await call('POST', '', { name: 'h', type: 'A', content: '192.0.2.2' });
  await until(async () => (await validated()) === `${target} ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1`);
});

test.run();
