/** Signed answers with an index that has no room for all, or for any, NSEC3 entries. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { joinNames, parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { LmdbNodeStore } from '../../../../core/nameserver/node-store.ts';
import { buildIndex } from '../../../../core/store/index/build.ts';
import type { Domain } from '../../../../core/store/rows.ts';
import { World } from '../../../admin-api/zones/update/world.ts';
import { TCP_LIMIT } from '../../../reference/compare.ts';
import { QueryPath } from '../../../support/in-process.ts';
import { addRecords, RECORDS, signZone } from '../../../system/dnssec/rig.ts';

const NAMES = 700;
const test = suite('signed answers in the store');
let world: World;
let domain: Domain;

test.before(async () => {
  world = await World.start();
  domain = await world.zone(undefined, 'signed.example');
  const lines = Array.from({ length: NAMES }, (_, i) => `n${i} 300 IN A 192.0.2.1`);
  const path = `/api/v1/domains/${domain.id}/zonefile`;
  const { status, text } = await world.daemon.call('PUT', path, {
    body: lines.join('\n'),
    headers: { 'content-type': 'text/dns' },
  });
  assert.is(status, 200, text);
  await addRecords(world.daemon, domain, RECORDS);
  await signZone(world.daemon, domain);
});
test.after(() => world?.stop());

/** A query with DO. */
function query(name: string, type: number): Uint8Array {
  const owner = name === '@' ? domain.apex : joinNames(parseName(name).subarray(0, -1), domain.apex);
  const opt = [0, 0, TYPE.OPT, 4, 208, 0, 0, 0x80, 0, 0, 0];
  return Uint8Array.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, ...owner, 0, type, 0, 1, ...opt]);
}

for (const kilobytes of [0, 8, 64, 200])
  test(`an index of ${kilobytes} KB`, async () => {
    const { environment, folder, index } = world.daemon;
    const all = new QueryPath(index);
    const store = new LmdbNodeStore(folder);
    const bounded = await buildIndex(environment, folder, kilobytes * 1024);
    const path = new QueryPath(bounded, store);
    const names = [...RECORDS.map(([name]) => name), ...Array.from({ length: NAMES + 200 }, (_, i) => `n${i}`)];
    const questions = names.flatMap((name) => [name, `x.${name}`].map((own) => own.replace('@', 'apex')));
    for (const name of ['@', ...questions])
      for (const type of [TYPE.A, TYPE.MX, TYPE.DS]) {
        const packet = query(name, type);
        assert.equal(path.answer(packet, TCP_LIMIT), all.answer(packet, TCP_LIMIT), `${name} ${type}`);
      }
    await store.close();
  });

test.run();
