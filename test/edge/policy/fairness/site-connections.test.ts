import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileProtection } from '../../../../core/site/protection/compile.ts';
import { DEFAULT_LIMITS } from '../../../../edge/http/http2/limits.ts';
import { SiteConnections, shareSiteCounts } from '../../../../edge/policy/fairness/site-connections.ts';
import { SiteGates } from '../../../../edge/policy/fairness/site-gates.ts';
import { SiteShare, ThreadTurns } from '../../../../edge/policy/fairness/thread-turns.ts';
import { DEFAULT_HTTP1_LIMITS } from '../../http/limits.ts';

const test = suite('connections of sites');
const NONE = Number.POSITIVE_INFINITY;

function fill(connections: SiteConnections, site: string, limit = NONE): number {
  const bucket = connections.bucketOf(site);
  let count = 0;
  while (connections.enter(bucket, limit)) count++;
  return count;
}

test('one site has three quarters, and the next ones always find some', () => {
  const connections = new SiteConnections(shareSiteCounts(1), 0, 1000);
  assert.is(fill(connections, '1'), 750);
  assert.is(fill(connections, '2'), 188);
  assert.is(fill(connections, '3'), 47);
  connections.leave(connections.bucketOf('1'));
  assert.is(fill(connections, '2'), 0);
  assert.is(fill(connections, '4', 5), 5);
});

test('threads count together; what a thread had is forgotten with it', () => {
  const shared = shareSiteCounts(2);
  const [first, second] = [new SiteConnections(shared, 0, 1000), new SiteConnections(shared, 1, 1000)];
  assert.is(fill(first, '1', 300), 300);
  assert.is(fill(second, '1', 400), 100);
  new SiteConnections(shared, 0, 1000);
  assert.is(second.heldBy(second.bucketOf('1')), 100);
});

test('a document narrows the limits of the node, and cannot widen them', () => {
  const connections = new SiteConnections(shareSiteCounts(1), 0, 1000);
  const share = new SiteShare(new ThreadTurns({ onTurn: null }));
  let entered = 0;
  const turns = {
    takesConnection: () => true,
    isPressed: () => false,
    enter() {
      entered++;
      return share;
    },
    leave: () => void entered--,
  };
  const gates = new SiteGates({ connections, turns, limits: { http1: DEFAULT_HTTP1_LIMITS, http2: DEFAULT_LIMITS } });
  assert.is(gates.gateOf('1', null).http1, null);
  assert.is(gates.gateOf('1', compileProtection({})).http2, null);
  const protection = compileProtection({
    limits: { connections: 1 },
    slow: { header_timeout: 3, idle_timeout: 100_000, body_rate: 1000, read_timeout: 5 },
  });
  const gate = gates.gateOf('1', protection);
  assert.equal(gate.http1, { ...DEFAULT_HTTP1_LIMITS, headerTimeout: 3000, bodyRate: 1000, writeTimeout: 5000 });
  assert.equal(gate.http2, { ...DEFAULT_LIMITS, headerTimeout: 3000, bodyRate: 1000, stallTimeout: 5000 });
  assert.is(gates.gateOf('1', protection).http1, gate.http1, 'made once');
  assert.is(gate.isPressed, false);
  assert.ok(gate.enter());
  assert.is(gate.isPressed, true, 'it has all of its connections');
  assert.is(gate.share, share);
  assert.not.ok(gates.gateOf('1', protection).enter());
  assert.is(entered, 1);
  gate.leave();
  assert.is(entered, 0);
  assert.ok(gates.gateOf('1', protection).enter());
});

test.run();
