/** For whom the log is kept longer, and for how long. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Joining, type KnownMember, type Members } from '../../../core/cluster/members.ts';

const MINUTE = 60_000;

function members(nearest: string, there: string, live: string): Members {
  const member = (name: string): [string, KnownMember] => [
    name,
    { name, address: `${name}.test:1`, version: '1', id: name },
  ];
  return {
    nodes: new Map([...nearest].map(member)),
    there: new Set(there),
    live: new Set(live),
    agreedLevel: 1,
    revoked: [],
    renewal: {},
  };
}

test('waits for a node that catches up, also while its service restarts', () => {
  const joining = new Joining('a');
  joining.changed(members('ab', 'ab', 'ab'), 0);
  assert.not(joining.isAny(0));
  joining.changed(members('abc', 'abc', 'ab'), 0);
  assert.ok(joining.isAny(0));
  joining.changed(members('abc', 'ab', 'ab'), MINUTE);
  assert.ok(joining.isAny(MINUTE));
  joining.changed(members('abc', 'abc', 'ab'), 2 * MINUTE);
  assert.ok(joining.isAny(2 * MINUTE));
  joining.changed(members('abc', 'abc', 'abc'), 3 * MINUTE);
  assert.not(joining.isAny(3 * MINUTE));
});

test('does not wait for a node that left, was removed, or never catches up', () => {
  const joining = new Joining('a');
  joining.changed(members('ab', 'a', 'a'), 0);
  assert.not(joining.isAny(0), 'it is not there');
  joining.changed(members('ab', 'ab', 'a'), 0);
  joining.changed(members('a', 'a', 'a'), 1);
  assert.not(joining.isAny(1), 'it was removed');
  joining.changed(members('ab', 'ab', 'a'), 0);
  assert.ok(joining.isAny(29 * MINUTE));
  assert.not(joining.isAny(30 * MINUTE));
  joining.changed(members('ab', 'ab', 'a'), 40 * MINUTE);
  assert.not(joining.isAny(40 * MINUTE), 'it has had its time');
  joining.changed(members('ab', 'ab', 'ab'), 41 * MINUTE);
  joining.changed(members('ab', 'ab', 'a'), 42 * MINUTE);
  assert.ok(joining.isAny(42 * MINUTE), 'a new one');
});

test('a node does not wait for itself', () => {
  const joining = new Joining('a');
  joining.changed(members('ab', 'ab', 'b'), 0);
  assert.not(joining.isAny(0));
});

test.run();
