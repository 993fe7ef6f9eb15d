/**
 * A zone of SVCB and HTTPS records, and what goes with each of them (RFC 9460 4.1): `owner TYPE`, a
 * set each.
 */
import { parseMaster } from '../../core/dns/wire/master/index.ts';
import { parseName } from '../../core/dns/wire/name.ts';
import type { ResourceRecord } from '../../core/dns/wire/types.ts';

export const APEX = parseName('s.test.');
export const inZone = (text: string): Uint8Array => parseName(text, APEX);

const FILE = `$TTL 300
@ SOA ns h 1 2 3 4 5
@ NS ns.example.
h A 192.0.2.2
h A 192.0.2.3
h AAAA 2001:db8::2
c CNAME h
c2 CNAME c
o CNAME x.example.
loop CNAME loop2
loop2 CNAME loop
m HTTPS 1 h alpn=h2
dot HTTPS 1 . alpn=h2
dot A 192.0.2.4
none HTTPS 0 .
none A 192.0.2.5
al HTTPS 0 h
alc HTTPS 0 c
mc HTTPS 1 c alpn=h2
mc2 HTTPS 1 c2 alpn=h2
mo HTTPS 1 o
ml HTTPS 1 loop
t HTTPS 1 h alpn=h3
t A 192.0.2.6
alt HTTPS 0 t
altc HTTPS 0 ct
ct CNAME t
other SVCB 0 t
svc SVCB 1 h
sv2 SVCB 0 svc
ring HTTPS 0 ring2
ring2 HTTPS 0 ring
mt HTTPS 1 t
*.w HTTPS 1 .
*.w A 192.0.2.10
mw HTTPS 1 foo.w
cm CNAME m
d NS ns.d
ns.d A 192.0.2.20
hd HTTPS 1 ns.d
back HTTPS 1 toback
toback CNAME back
*.v CNAME tov
*.q CNAME toq
toq HTTPS 1 *.q
tov HTTPS 1 x.v
out HTTPS 1 x.example.
two HTTPS 1 h
two HTTPS 2 t
two HTTPS 3 .
two A 192.0.2.7
*.r HTTPS 1 .
*.r HTTPS 2 *.r
*.r HTTPS 3 foo.r
*.r AAAA 2001:db8::8
*.r A 192.0.2.8
mr HTTPS 1 foo.r
cr CNAME foo.r
ar HTTPS 0 foo.r
`;

export const ZONE: readonly ResourceRecord[] = parseMaster(Buffer.from(FILE), { origin: APEX }).records;

/** The question, and the sets of the additional section in their order. */
export const SERVICES: Readonly<Record<string, readonly string[]>> = {
  'm HTTPS': ['h A', 'h AAAA'],
  'dot HTTPS': ['dot A'],
  'none HTTPS': [],
  'al HTTPS': ['h A', 'h AAAA'],
  'alc HTTPS': ['c CNAME', 'h A', 'h AAAA'],
  'mc HTTPS': ['c CNAME', 'h A', 'h AAAA'],
  'mc2 HTTPS': ['c2 CNAME', 'c CNAME', 'h A', 'h AAAA'],
  'mo HTTPS': ['o CNAME'],
  'ml HTTPS': ['loop CNAME', 'loop2 CNAME'],
  'alt HTTPS': ['t HTTPS', 't A', 'h A', 'h AAAA'],
  'altc HTTPS': ['ct CNAME', 't HTTPS', 't A', 'h A', 'h AAAA'],
  'other SVCB': ['t A'],
  'svc SVCB': ['h A', 'h AAAA'],
  'sv2 SVCB': ['svc SVCB', 'h A', 'h AAAA'],
  'ring HTTPS': ['ring2 HTTPS'],
  'mt HTTPS': ['t A'],
  'x.w HTTPS': ['x.w A'],
  'mw HTTPS': ['foo.w A'],
  'cm HTTPS': ['h A', 'h AAAA'],
  'hd HTTPS': [],
  'back HTTPS': ['toback CNAME'],
  'toback HTTPS': [],
  'tov HTTPS': ['x.v CNAME'],
  'y.v HTTPS': ['x.v CNAME'],
  'x.v HTTPS': [],
  'y.q HTTPS': ['*.q CNAME'],
  '*.q HTTPS': [],
  'out HTTPS': [],
  'two HTTPS': ['h A', 'h AAAA', 't A', 'two A'],
  // The wildcard's own name is a name like others (RFC 4592 section 3.3), which "." and a target
  // both may name (RFC 9460 section 2.5).
  'x.r HTTPS': ['x.r A', 'x.r AAAA', '*.r A', '*.r AAAA', 'foo.r A', 'foo.r AAAA'],
  '*.r HTTPS': ['*.r A', '*.r AAAA', 'foo.r A', 'foo.r AAAA'],
  'foo.r HTTPS': ['foo.r A', 'foo.r AAAA', '*.r A', '*.r AAAA'],
  'mr HTTPS': ['foo.r A', 'foo.r AAAA'],
  'cr HTTPS': ['foo.r A', 'foo.r AAAA', '*.r A', '*.r AAAA'],
  'ar HTTPS': ['foo.r HTTPS', 'foo.r A', 'foo.r AAAA', '*.r A', '*.r AAAA'],
};
