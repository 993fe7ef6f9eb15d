import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { ZoneFacts } from '../../../../core/journal/apply/zone-facts.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { domains, records } from '../../../../core/store/rows.ts';
import { findType } from '../../../../core/zone/compile/view.ts';
import { DEFAULTS, embedded, newDomain, newRecord, withStore } from '../fixture.ts';

test('only the rdata of an apex is cached, and only if it is small', () =>
  withStore(embedded, async ({ environment, journal }) => {
    const small = newDomain('small.test.');
    const large = newDomain('large.test.');
    await write(environment, journal, 'test', (draft) => {
      for (const domain of [small, large]) {
        draft.put(domains, domain);
        const mx = Uint8Array.of(0, 10, ...parseName('mail', domain.apex));
        draft.put(records, newRecord(domain, '@', TYPE.MX, mx));
      }
      for (let i = 0; i < 20; i++)
        draft.put(records, newRecord(large, '@', TYPE.TXT, Uint8Array.of(255, i, ...new Uint8Array(254))));
    });
    const facts = new ZoneFacts(environment);
    const ofSmall = facts.atApex(small, DEFAULTS);
    assert.is(facts.atApex(small, DEFAULTS), ofSmall);
    for (const rdata of findType(ofSmall.sets, TYPE.MX)!.rdatas) assert.is(rdata.buffer.byteLength, rdata.length);
    const ofLarge = facts.atApex(large, DEFAULTS);
    assert.is(findType(ofLarge.sets, TYPE.TXT)?.rdatas.length, 20);
    assert.is.not(facts.atApex(large, DEFAULTS), ofLarge);
    assert.equal(facts.atApex(large, DEFAULTS), ofLarge);
  }));

test.run();
