import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { whyNotOptional, without } from '../release/optional.ts';
import { missingPeer } from './peers.ts';

const test = suite('test/support/peers');
const { WAYPOST_REQUIRE_PEERS: before, PATH } = process.env;

test.after.each(() => {
  if (before === undefined) delete process.env.WAYPOST_REQUIRE_PEERS;
  else process.env.WAYPOST_REQUIRE_PEERS = before;
  process.env.PATH = PATH;
});

test('a missing peer is a skip, and a failure where peers are required', () => {
  delete process.env.WAYPOST_REQUIRE_PEERS;
  assert.is(missingPeer('etcd not installed'), 'etcd not installed');
  process.env.WAYPOST_REQUIRE_PEERS = '1';
  assert.throws(() => missingPeer('etcd not installed'), 'etcd not installed, and peers are required.');
});

test('what release tests may lack is a skip with its reason, also where peers are required', () => {
  process.env.WAYPOST_REQUIRE_PEERS = '1';
  process.env.PATH = '/nonexistent';
  assert.is(whyNotOptional('helm'), 'without helm (Debian has no package of it)');
  assert.match(without('root'), /^without root \(/);
});

test.run();
