/** What a catalog lists, and which catalogs are broken (RFC 9432 sections 4 and 5.1). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { CatalogReader, type Listed } from '../../../../core/upkeep/catalog/members.ts';

const test = suite('members of a catalog');
const CATALOG = 'catalog.test.';

/** Lines of a name below the catalog, a type and data. */
function read(...lines: readonly string[]): Promise<Listed> {
  const reader = new CatalogReader(parseName(CATALOG));
  for (const line of lines) {
    const [name, type, ...rdata] = line.split(' ');
    const number = TYPE[type as keyof typeof TYPE];
    const owner = name === '@' ? parseName(CATALOG) : parseName(`${name}.${CATALOG}`);
    reader.add({ name: owner, type: number, rdata: parseRdata(number, rdata.join(' ')) });
  }
  return reader.finish();
}

const VERSION = 'version TXT "2"';
const problemOf = (listed: Listed): string => ('problem' in listed ? listed.problem : 'none');

test('members with their properties', async () => {
  const listed = await read(
    VERSION,
    '@ NS invalid.',
    'One.zones PTR A.test.',
    'two.zones PTR b.test.',
    'coo.two.zones PTR other.test.',
    'group.two.zones TXT "signed"',
    'group.two.zones TXT "anycast"',
    'coo.gone.zones PTR other.test.',
    'x.ext.two.zones TXT "ignored"',
    'zones TXT "ignored"',
    'a.b.c.zones PTR ignored.test.',
    'ext TXT "ignored"',
  );
  assert.is(problemOf(listed), 'none');
  const members = 'members' in listed ? [...listed.members.values()] : [];
  const nameOf = (id: string | null) => id && formatName(Buffer.from(id, 'latin1'));
  assert.equal(
    members.map(({ label, apexId, successorId }) => `${label} ${nameOf(apexId)} ${nameOf(successorId)}`),
    ['one a.test. null', 'two b.test. other.test.'],
  );
});

test('an empty catalog has no members', async () => {
  assert.equal(await read(VERSION), { members: new Map() });
});

for (const [title, lines, problem] of [
  ['without a version', ['a.zones PTR a.test.'], 'it has no TXT record at "version"'],
  ['with two versions', [VERSION, 'version TXT "1"'], 'it has several TXT records at "version"'],
  ['of another version', ['version TXT "1"'], 'its version is "1", not "2"'],
  [
    'with two zones of a member',
    [VERSION, 'a.zones PTR a.test.', 'a.zones PTR b.test.'],
    '"a.zones" has several PTR records',
  ],
  [
    'with a zone twice',
    [VERSION, 'a.zones PTR a.test.', 'b.zones PTR A.test.'],
    'two members are the same zone; one is "b.zones"',
  ],
  [
    'with two successors',
    [VERSION, 'a.zones PTR a.test.', 'coo.a.zones PTR x.test.', 'coo.a.zones PTR y.test.'],
    '"coo.a.zones" has several PTR records',
  ],
] as const)
  test(`a catalog ${title} is broken`, async () => assert.is(problemOf(await read(...lines)), problem));

test.run();
