/** Who may be a member, by what stands in etcd: a name alone opens nothing. */
import { createHash, X509Certificate } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StateError } from '../../../core/base/errors.ts';
import { type Applicant, admit, memberWith } from '../../../core/cluster/admission.ts';
import type { ClusterState, InvitationTerms, KnownMember } from '../../../core/cluster/members.ts';
import { keyPrintOf } from '../../../core/cluster/peer-tls.ts';
import { EtcdDamaged } from '../../../core/journal/etcd-client/errors.ts';
import { FEATURE_LEVEL, FIRST_LEVEL, KEY_LEVEL } from '../../../core/journal/feature-level.ts';
import { certificate, ecKey } from '../../support/certificate.ts';

const print = (text: string): string => createHash('sha256').update(text).digest('hex');
const OWN = print('own');
const ENTRY = '/node/member/b';

const EMPTY: ClusterState = {
  ...{ nodes: new Map(), live: new Set(), there: new Set(), sessions: new Map(), agreedLevel: FEATURE_LEVEL },
  ...{
    removed: new Set(),
    removedKeys: new Set(),
    invited: new Map(),
    used: new Map(),
    certificates: new Map(),
    renewals: new Map(),
    damaged: new Map(),
  },
  ...{ levelRevision: 1, revision: 1 },
};

const member = (name: string, more: Partial<KnownMember> = {}): [string, KnownMember] => [
  name,
  { name, address: '', version: '1', level: FEATURE_LEVEL, id: `id of ${name}`, key: print(name), ...more },
];
const A = member('a');
const session = (id: string, process: string) =>
  new Map([['b', { id, process, revision: 1, lease: '1' }]]) satisfies ClusterState['sessions'];

interface Case {
  readonly state: Partial<ClusterState>;
  readonly applicant?: Partial<Applicant>;
}

function outcomeOf({ state, applicant }: Case): string {
  const self = { name: 'b', address: '192.0.2.2:8301', version: '1', level: FEATURE_LEVEL, key: OWN };
  const given = { self, id: 'id of b', process: 'p', join: 'join', wasThere: false, entry: ENTRY, ...applicant };
  try {
    return admit(given, { ...EMPTY, ...state }, NOW);
  } catch (error) {
    if (error instanceof StateError) return error.code;
    if (error instanceof EtcdDamaged) return 'damaged';
    throw error;
  }
}

const own = member('b', { key: OWN });
const heir = member('b', { key: print('heir') });
const unnamed = member('b', { key: undefined, level: FIRST_LEVEL });
const NOW = 2_000_000;
const invited = (key: string, name: string, terms: InvitationTerms = {}) =>
  new Map([[key, { name, revision: 1, ...terms }]]);
const used = (join: string | null) => new Map([[OWN, join]]);
const at = (address: string) => ({ self: { name: 'b', address, version: '1', level: FEATURE_LEVEL, key: OWN } });
const issued = (key: string, name: string) => new Map([['01', { key, name, expires: 1 }]]);

const CASES: readonly (readonly [string, string, Case])[] = [
  ['a member', 'known', { state: { nodes: new Map([A, own]) } }],
  ['another data folder with the same key', 'known', { state: { nodes: new Map([own]) }, applicant: { id: 'other' } }],
  ['the first node of an empty etcd', 'first', { state: {} }],
  ['an invitation', 'invited', { state: { nodes: new Map([A]), invited: invited(OWN, 'b') } }],
  ['an invitation that expires later', 'invited', { state: { invited: invited(OWN, 'b', { expires: 2001 }) } }],
  ['an expired invitation', 'invitation_expired', { state: { invited: invited(OWN, 'b', { expires: 2000 }) } }],
  [
    'a member whose invitation is left, and has expired',
    'known',
    { state: { nodes: new Map([own]), invited: invited(OWN, 'b', { expires: 1 }) } },
  ],
  [
    'an invitation for its address',
    'invited',
    { state: { invited: invited(OWN, 'b', { hosts: ['b.example.net', '192.0.2.2'] }) } },
  ],
  [
    'an invitation for its name, as address',
    'invited',
    {
      state: { invited: invited(OWN, 'b', { hosts: ['192.0.2.9'] }) },
      applicant: at('B:8301'),
    },
  ],
  [
    'an invitation for an IPv6 address',
    'invited',
    {
      state: { invited: invited(OWN, 'b', { hosts: ['2001:db8::2'] }) },
      applicant: at('[2001:db8::2]:8301'),
    },
  ],
  [
    'an invitation for another address',
    'other_address',
    { state: { invited: invited(OWN, 'b', { hosts: ['192.0.2.9'] }) } },
  ],
  ['a member that used its invitation', 'known', { state: { nodes: new Map([own]), used: used('join') } }],
  ['an invitation that was used elsewhere', 'invitation_used', { state: { nodes: new Map([own]), used: used('x') } }],
  [
    'an invitation that an earlier version used',
    'invitation_used',
    { state: { nodes: new Map([own]), used: used(null) } },
  ],
  [
    'a used invitation, while the name is free',
    'invitation_used',
    { state: { nodes: new Map([A]), used: used('x'), invited: invited(OWN, 'b') } },
  ],
  ['an invitation for another name', 'no_member', { state: { nodes: new Map([A]), invited: invited(OWN, 'c') } }],
  ["another key's invitation", 'no_member', { state: { nodes: new Map([A]), invited: invited(print('x'), 'b') } }],
  ['an invitation for another, and no member yet', 'no_member', { state: { invited: invited(print('x'), 'a') } }],
  ['no invitation', 'no_member', { state: { nodes: new Map([A]) } }],
  ['no invitation, with a new data folder', 'no_member', { state: { nodes: new Map([A]) }, applicant: { id: 'new' } }],
  ['its name was given to another', 'no_member', { state: { nodes: new Map([A, heir]) } }],
  ['the invitation for its name again', 'invited', { state: { nodes: new Map([heir]), invited: invited(OWN, 'b') } }],
  ['its key was removed', 'removed', { state: { nodes: new Map([A]), removedKeys: new Set([OWN]) } }],
  ['its key was removed, all else too', 'removed', { state: { removedKeys: new Set([OWN]) } }],
  ['another key was removed, the last one', 'no_member', { state: { removedKeys: new Set([print('x')]) } }],
  [
    'removed, and invited all the same',
    'removed',
    { state: { removedKeys: new Set([OWN]), invited: invited(OWN, 'b') } },
  ],
  ['its data was removed', 'removed', { state: { nodes: new Map([own]), removed: new Set(['id of b']) } }],
  ['an older entry, first start', 'adopted', { state: { nodes: new Map([A, unnamed]), agreedLevel: KEY_LEVEL - 1 } }],
  [
    "an older entry of another's data",
    'no_member',
    { state: { nodes: new Map([A, unnamed]), agreedLevel: KEY_LEVEL - 1 }, applicant: { id: 'new' } },
  ],
  ['an older entry, when all have keys', 'no_member', { state: { nodes: new Map([A, unnamed]) } }],
  ['its entry went while it ran', 'restored', { state: { nodes: new Map([A]) }, applicant: { wasThere: true } }],
  ['its entry is unreadable', 'damaged', { state: { nodes: new Map([A]), damaged: new Map([[ENTRY, 'x']]) } }],
  [
    'its entry is unreadable, its certificate is not',
    'restored',
    { state: { damaged: new Map([[ENTRY, 'x']]), certificates: issued(OWN, 'b') } },
  ],
  ['its own session', 'known', { state: { nodes: new Map([own]), sessions: session('id of b', 'p') } }],
  ['its restart', 'known', { state: { nodes: new Map([own]), sessions: session('id of b', 'q') } }],
  ['a session of other data', 'name_taken', { state: { nodes: new Map([own]), sessions: session('other', 'q') } }],
  ['a session that is unreadable', 'known', { state: { nodes: new Map([own]), sessions: session('', '') } }],
  [
    'it was replaced',
    'name_taken',
    { state: { nodes: new Map([own]), sessions: session('id of b', 'q') }, applicant: { wasThere: true } },
  ],
  ['a higher level', 'feature_level', { state: { nodes: new Map([own]), agreedLevel: FEATURE_LEVEL + 1 } }],
];

for (const [what, expected, given] of CASES) test(what, () => assert.is(outcomeOf(given), expected));

test('a certificate belongs to the member with its key, whatever its name', () => {
  const [key, other] = [ecKey(), ecKey()];
  const pem = certificate({ name: 'b', key, dnsNames: ['b'] });
  const shown = new X509Certificate(pem);
  const sameName = new X509Certificate(certificate({ name: 'b', key: other, dnsNames: ['b'] }));
  const reissued = new X509Certificate(certificate({ name: 'b', key, dnsNames: ['b'], to: 5 }));
  const bound = { name: 'b', address: '', version: '', key: keyPrintOf(pem) };
  for (const acceptsNames of [true, false]) {
    assert.is(memberWith(shown, [bound], acceptsNames), 'b');
    assert.is(memberWith(reissued, [bound], acceptsNames), 'b');
    assert.is(memberWith(sameName, [bound], acceptsNames), undefined);
    assert.is(memberWith(shown, [{ ...bound, name: 'c' }], acceptsNames), undefined);
    const nameOnly = { name: 'b', address: '', version: '' };
    assert.is(memberWith(shown, [nameOnly], acceptsNames), acceptsNames ? 'b' : undefined);
  }
});

test.run();
