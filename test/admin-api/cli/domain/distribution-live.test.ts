/** `waypost domain distribution`, with the API. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('waypost domain distribution');
const COMMAND = ['domain', 'distribution', 'vanity.example'];
test.before(async (context) => {
  Object.assign(context, await startLive());
  await context.json(['domain', 'add', 'vanity.example']);
});
test.after(({ daemon }) => daemon.stop());

test('shows the values of the service, sets single parts, and restores them by a word', async ({ waypost, json }) => {
  const before = await waypost(COMMAND);
  assert.is(before.code, 0, before.stderr);
  assert.match(before.stdout, /^vanity\.example\n {2}nameservers +ns1\./);
  const set = ['--nameserver', 'ns1.vanity.example', 'ns.other.example', '--notify', '192.0.2.7:5353'];
  const [{ distribution: first }] = await json([...COMMAND, ...set]);
  assert.equal(first.nameservers as unknown, ['ns1.vanity.example', 'ns.other.example']);
  const [{ distribution: second }] = await json([...COMMAND, '--allow-transfer', '192.0.2.0/28', '2001:db8::/48']);
  assert.equal(second.also_notify as unknown, ['192.0.2.7:5353']);
  assert.equal(second.allow_transfer as unknown, ['192.0.2.0/28', '2001:db8::/48']);
  const none = ['--nameserver', 'service', '--notify', 'none', '--allow-transfer', 'none'];
  const after = await waypost([...COMMAND, ...none]);
  assert.is(after.stdout.replace(/ \(change \d+\)/, ''), before.stdout);
});

test('source addresses that the node does not have are a warning', async ({ waypost, json }) => {
  const both = await waypost([...COMMAND, '--transfer-source', '198.51.100.9', '127.0.0.1']);
  assert.match(both.stdout, /\n {2}transfer_source +198\.51\.100\.9, 127\.0\.0\.1\n/);
  assert.not.match(both.stdout, /warning/);
  const foreign = await waypost([...COMMAND, '--transfer-source', '198.51.100.9']);
  assert.is(foreign.code, 0);
  assert.match(foreign.stdout, /\n {2}warning: The node .* does not have the IPv4 address 198\.51\.100\.9; it uses/);
  const wrong = await waypost([...COMMAND, '--transfer-source', 'ns.example']);
  assert.is(wrong.code, 1);
  assert.match(wrong.stderr, /"ns\.example" is not a source address; write an IP address/);
  const [{ distribution }] = await json([...COMMAND, '--transfer-source', 'none']);
  assert.equal(distribution.transfer_source as unknown, []);
});

test.run();
