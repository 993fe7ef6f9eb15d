/** The file of the nodes that are known: for a start without etcd. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readKnownNodes, writeKnownNodes } from '../../../core/cluster/members.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

const folder = temporaryFolder('known');
test.after(() => removeFolder(folder));

test('each node is read as it was written, with its feature level', () => {
  const file = join(folder, 'nodes/nodes.json');
  const nodes = [
    { name: 'a', address: 'a.test:1', version: '0.3.0', level: 3 },
    { name: 'b', address: 'b.test:1', version: '0.1' },
  ];
  writeKnownNodes(file, nodes);
  assert.equal([...readKnownNodes(file).values()], nodes);
});

test('damaged entries count as missing', () => {
  const file = join(folder, 'damaged.json');
  assert.is(readKnownNodes(file).size, 0);
  writeFileSync(file, 'x');
  assert.is(readKnownNodes(file).size, 0);
  const whole = { name: 'a', address: 'a.test:1', version: '1' };
  writeFileSync(file, JSON.stringify([null, { name: 'c' }, { ...whole, name: 'd', level: 'x' }, whole]));
  assert.equal([...readKnownNodes(file).keys()], ['a']);
});

test.run();
