/** The names of certificates, from the records of a zone, and how each is validated. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { type Domain, domains, proxies, type RecordRow, records } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { type Plan, planOrder } from '../../../../edge/certificates/acme/plan.ts';
import { MAX_REFUSED } from '../../../../edge/certificates/acme/refused.ts';
import { MAX_ALL_NAMES } from '../../../../edge/certificates/acme/slots.ts';
import { ownZoneFacts } from '../../../../edge/certificates/acme/zone-facts.ts';
import {
  addressRecord,
  DEFAULTS,
  embedded,
  newDomain,
  newProxy,
  newRecord,
  withStore,
} from '../../../core/journal/fixture.ts';
import { DELEGATED } from './rig.ts';

const test = suite('certificates, planned names');
const ISSUER = { identities: ['ca.test'], others: [], accountUri: null };
const NEVER = new AbortController().signal;

interface Options {
  readonly others?: readonly string[];
  readonly mayDeepen?: boolean;
  readonly more?: (domain: Domain) => readonly RecordRow[];
}

/** The plan for a domain with addresses at these names. */
async function planOf(
  names: readonly string[],
  { mayDeepen = true, more = () => [], others = [] }: Options = {},
): Promise<Plan> {
  let plan: Plan | undefined;
  await withStore(embedded, async ({ environment, journal }) => {
    const domain = newDomain('example.net.');
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      draft.put(proxies, newProxy(domain));
      for (const row of [...names.map((name) => addressRecord(domain, name)), ...more(domain)]) draft.put(records, row);
    });
    const facts = ownZoneFacts(environment, new StoreReader(environment), DEFAULTS, domain, mayDeepen);
    plan = await planOrder(facts, DELEGATED, { ...ISSUER, others }, NEVER);
  });
  return plan!;
}

const caa = (domain: Domain, name: string, content: string) =>
  newRecord(domain, name, TYPE.CAA, parseRdata(TYPE.CAA, content));
const cname = (domain: Domain, name: string) => newRecord(domain, name, TYPE.CNAME, parseName('elsewhere.example.'));
const BASE = ['example.net', '*.example.net'];

test('the apex and its wildcard, deeper names by themselves, and wildcards of parents with several', async () => {
  const { names, refused } = await planOf(['@', 'www', 'www.shop', 'a.b.c', '*.dev', 'x.lab', 'y.lab', 'lab']);
  assert.equal(
    [...names.keys()].sort(),
    [...BASE, 'www.shop.example.net', 'a.b.c.example.net', '*.dev.example.net', '*.lab.example.net'].sort(),
  );
  assert.ok([...names.values()].every((method) => method === 'dns-01'));
  assert.equal([...refused], []);
});

test('names that are not proxied need no certificate', async () => {
  const { names } = await planOf(['@'], {
    more: (domain) => [{ ...addressRecord(domain, 'mail.office'), proxied: false }],
  });
  assert.equal([...names.keys()], BASE);
});

test('where _acme-challenge of a name leads elsewhere, the name is validated by http-01', async () => {
  const { names, refused } = await planOf(['@', 'www', 'www.shop', '*.dev'], {
    more: (domain) => [cname(domain, '_acme-challenge'), cname(domain, '_acme-challenge.dev')],
  });
  assert.equal([...names].sort(), [
    ['example.net', 'http-01'],
    ['www.example.net', 'dns-01'],
    ['www.shop.example.net', 'dns-01'],
  ]);
  assert.match(refused.get('*.dev.example.net')!, /_acme-challenge\.dev\.example\.net has a CNAME record/);
});

test('CAA records at a name, and issuewild, forbid only what they are for', async () => {
  const { names, refused } = await planOf(['@', 'www', 'a.shop', 'b.shop', 'a.lab'], {
    more: (domain) => [caa(domain, 'shop', '0 issuewild ";"'), caa(domain, 'lab', '0 issue "other.example"')],
  });
  assert.equal([...names.keys()].sort(), [...BASE, 'a.shop.example.net', 'b.shop.example.net'].sort());
  assert.match(refused.get('a.lab.example.net')!, /CAA record at lab\.example\.net .* does not allow ca\.test/);
  assert.match(refused.get('a.lab.example.net')!, /add a CAA record to lab\.example\.net/);
});

test('a refusal by CAA names the fallback authority, too', async () => {
  const { refused } = await planOf(['@', 'a.lab'], {
    others: ['fallback.test'],
    more: (domain) => [caa(domain, 'lab', '0 issue "other.example"')],
  });
  const why = refused.get('a.lab.example.net')!;
  assert.match(why, /does not allow ca\.test to issue/);
  assert.match(
    why,
    /add CAA records to lab\.example\.net with the contents 0 issue "ca\.test" and 0 issue "fallback\.test"\./,
  );
});

test('while nodes have an older version, only the apex is validated by dns-01', async () => {
  const { names, refused } = await planOf(['@', 'www.shop', '*.dev'], { mayDeepen: false });
  assert.equal(
    [...names],
    [
      ['example.net', 'dns-01'],
      ['*.example.net', 'dns-01'],
      ['www.shop.example.net', 'http-01'],
    ],
  );
  assert.match(refused.get('*.dev.example.net')!, /older version/);
});

test('a large zone: names below one parent count once, and the plan is bounded', async () => {
  const { names } = await planOf([
    ...Array.from({ length: 700 }, (_, i) => `n${i}`),
    ...Array.from({ length: 300 }, (_, i) => `n${i}.z`),
  ]);
  assert.equal([...names.keys()].sort(), [...BASE, '*.z.example.net'].sort());
  const wide = await planOf(Array.from({ length: MAX_ALL_NAMES + 300 }, (_, i) => `a.n${i}`));
  // The apex, its wildcard, and some more than the certificates have room for.
  assert.is(wide.names.size, MAX_ALL_NAMES + MAX_REFUSED + 2);
});

test.run();
