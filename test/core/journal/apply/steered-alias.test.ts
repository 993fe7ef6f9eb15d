/** A steered ALIAS is an owner of all its targets, and follows their addresses. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { rebuildAnswers } from '../../../../core/journal/upkeep/rebuild.ts';
import { ANSWER_FLAGS_AT, ANSWER_STEERED, answerOffset } from '../../../../core/store/answers.ts';
import { aliasOwnerParts, apexKey, idKey } from '../../../../core/store/keys.ts';
import { aliasTargets, domains, newRecord, records, steerings } from '../../../../core/store/rows.ts';
import { decodeZoneState } from '../../../../core/store/zone-state.ts';
import { pool } from '../../zone/steering/rig.ts';
import { DEFAULTS, embedded, newDomain, withStore } from '../fixture.ts';

test('targets are owned, resolved addresses become variants, and a deletion ends both', () =>
  withStore(embedded, async ({ environment, journal }) => {
    const domain = newDomain('site.test.');
    const { id: domainId, apex: name } = domain;
    const targets = ['a.other.', 'b.other.'];
    const owned = (): string[] =>
      [...environment.aliases.getKeys({})].map((key) =>
        Buffer.from(aliasOwnerParts(key as Buffer).target).toString('latin1'),
      );
    const isSteered = (type: number): boolean => {
      const node = environment.answers.get(apexKey(name))!;
      const at = answerOffset(node, 0, type);
      return at !== 0 && (node[at + ANSWER_FLAGS_AT] & ANSWER_STEERED) !== 0;
    };
    const actor = { accountId: 1, username: 'u', tokenName: null };
    const content = {
      ttl: 60,
      pools: targets.map((target, i) => pool(`p${i}`, [target])),
      rules: [],
      fallback: ['p0', 'p1'],
    };
    const row = { domainId, name, type: TYPE.ALIAS, revision: 1, updatedAt: 0, actor, content };
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      const id = draft.newId(records);
      const alias = { name, type: TYPE.ALIAS, ttl: 60, rdata: parseName(targets[0]) };
      draft.insert(records, newRecord(id, domainId, alias, 0));
      draft.put(steerings, row);
    });
    assert.equal(new Set(owned()).size, 2);
    assert.not(isSteered(TYPE.A));
    const family = { addresses: ['c0000201'], ttl: 30, stale: false, goodAt: 0 };
    await write(environment, journal, 'test', (draft) => {
      draft.put(aliasTargets, {
        name: parseName(targets[1]),
        a: family,
        aaaa: { ...family, addresses: [] },
        error: null,
        checkedAt: 1,
        spread: { from: '', to: null },
      });
    });
    assert.equal([isSteered(TYPE.A), isSteered(TYPE.AAAA)], [true, false]);
    const before = [environment.answers.get(apexKey(name))!.toString('hex'), owned().length];
    await rebuildAnswers(environment, DEFAULTS);
    assert.equal([environment.answers.get(apexKey(name))!.toString('hex'), owned().length], before);
    await write(environment, journal, 'test', (draft) => draft.delete(steerings, row));
    assert.equal(owned().length, 1, 'the record is an owner of its own target');
    assert.not(isSteered(TYPE.A));
  }));

test('the zone around it gets a new serial when steering adds glue', () =>
  withStore(embedded, async ({ environment, journal }) => {
    const parent = newDomain('waypost.test.');
    const domain = newDomain('ns1.waypost.test.');
    const { id: domainId, apex: name } = domain;
    const row = {
      ...{ domainId, name, type: TYPE.ALIAS, revision: 1, updatedAt: 0 },
      actor: { accountId: 1, username: 'u', tokenName: null },
      content: { ttl: 60, pools: [pool('p', ['b.other.'])], rules: [], fallback: ['p'] },
    };
    const family = { addresses: ['c0000201'], ttl: 30, stale: false, goodAt: 0 };
    await write(environment, journal, 'test', (draft) => {
      for (const each of [parent, domain]) draft.put(domains, each);
      const alias = { name, type: TYPE.ALIAS, ttl: 60, rdata: parseName('a.other.') };
      draft.insert(records, newRecord(draft.newId(records), domainId, alias, 0));
      draft.put(aliasTargets, {
        ...{ name: parseName('b.other.'), a: family, aaaa: { ...family, addresses: [] } },
        ...{ error: null, checkedAt: 1, spread: { from: '', to: null } },
      });
    });
    const serial = (): number => decodeZoneState(environment.zones.get(idKey(parent.id))).serial;
    const before = serial();
    await write(environment, journal, 'test', (draft) => draft.put(steerings, row));
    assert.ok(serial() > before);
  }));

test.run();
