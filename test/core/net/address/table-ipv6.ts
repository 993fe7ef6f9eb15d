/**
 * The special-purpose ranges of IPv6: first and last address of each, and the neighbours just
 * outside where no row before has them.
 */
import type { Row } from './row.ts';

export const IPV6_ROWS: readonly Row[] = [
  // ::/8 Reserved by IETF
  { text: '::', verdict: 'private', reason: 'is in ::/128, "Unspecified Address"' },
  { text: 'ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in ::/8, "Reserved by IETF"' },
  { text: '100::', verdict: 'private', reason: 'is in 100::/64, "Discard-Only Address Block"' },
  // 100::/8 Reserved by IETF
  { text: '1ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in 100::/8, "Reserved by IETF"' },
  { text: '200::', verdict: 'private', reason: 'is in 200::/7, "Reserved by IETF (previously OSI NSAP)"' },
  // 200::/7 Reserved by IETF (previously OSI NSAP)
  {
    text: '3ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 200::/7, "Reserved by IETF (previously OSI NSAP)"',
  },
  { text: '400::', verdict: 'private', reason: 'is in 400::/6, "Reserved by IETF"' },
  // 400::/6 Reserved by IETF
  { text: '7ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in 400::/6, "Reserved by IETF"' },
  { text: '800::', verdict: 'private', reason: 'is in 800::/5, "Reserved by IETF"' },
  // 800::/5 Reserved by IETF
  { text: 'fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in 800::/5, "Reserved by IETF"' },
  { text: '1000::', verdict: 'private', reason: 'is in 1000::/4, "Reserved by IETF"' },
  // 1000::/4 Reserved by IETF
  {
    text: '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 1000::/4, "Reserved by IETF"',
  },
  { text: '2000::', verdict: 'public', reason: '' },
  // 2000::/3 Global Unicast
  { text: '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'public', reason: '' },
  { text: '4000::', verdict: 'private', reason: 'is in 4000::/3, "Reserved by IETF"' },
  // 4000::/3 Reserved by IETF
  {
    text: '5fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 4000::/3, "Reserved by IETF"',
  },
  { text: '6000::', verdict: 'private', reason: 'is in 6000::/3, "Reserved by IETF"' },
  // 6000::/3 Reserved by IETF
  {
    text: '7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 6000::/3, "Reserved by IETF"',
  },
  { text: '8000::', verdict: 'private', reason: 'is in 8000::/3, "Reserved by IETF"' },
  // 8000::/3 Reserved by IETF
  {
    text: '9fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 8000::/3, "Reserved by IETF"',
  },
  { text: 'a000::', verdict: 'private', reason: 'is in a000::/3, "Reserved by IETF"' },
  // a000::/3 Reserved by IETF
  {
    text: 'bfff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in a000::/3, "Reserved by IETF"',
  },
  { text: 'c000::', verdict: 'private', reason: 'is in c000::/3, "Reserved by IETF"' },
  // c000::/3 Reserved by IETF
  {
    text: 'dfff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in c000::/3, "Reserved by IETF"',
  },
  { text: 'e000::', verdict: 'private', reason: 'is in e000::/4, "Reserved by IETF"' },
  // e000::/4 Reserved by IETF
  {
    text: 'efff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in e000::/4, "Reserved by IETF"',
  },
  { text: 'f000::', verdict: 'private', reason: 'is in f000::/5, "Reserved by IETF"' },
  // f000::/5 Reserved by IETF
  {
    text: 'f7ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in f000::/5, "Reserved by IETF"',
  },
  { text: 'f800::', verdict: 'private', reason: 'is in f800::/6, "Reserved by IETF"' },
  // f800::/6 Reserved by IETF
  {
    text: 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in f800::/6, "Reserved by IETF"',
  },
  { text: 'fc00::', verdict: 'private', reason: 'is in fc00::/7, "Unique-Local"' },
  // fe00::/9 Reserved by IETF
  { text: 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in fc00::/7, "Unique-Local"' },
  { text: 'fe00::', verdict: 'private', reason: 'is in fe00::/9, "Reserved by IETF"' },
  {
    text: 'fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in fe00::/9, "Reserved by IETF"',
  },
  { text: 'fe80::', verdict: 'private', reason: 'is in fe80::/10, "Link-Local Unicast"' },
  // ::/96 IPv4-Compatible Address (deprecated)
  { text: '::ffff:ffff', verdict: 'private', reason: 'IPv4-compatible form (::/96' },
  { text: '::1:0:0', verdict: 'private', reason: 'is in ::/8, "Reserved by IETF"' },
  // ::/128 Unspecified Address
  { text: '::1', verdict: 'private', reason: 'is in ::1/128, "Loopback Address"' },
  // ::1/128 Loopback Address
  { text: '::2', verdict: 'private', reason: 'IPv4-compatible form (::/96' },
  // ::ffff:0:0/96 IPv4-mapped Address
  { text: '::fffe:ffff:ffff', verdict: 'private', reason: 'is in ::/8, "Reserved by IETF"' },
  { text: '::ffff:0:0', verdict: 'private', reason: 'IPv4-mapped form (::ffff:0:0/96' },
  { text: '::ffff:ffff:ffff', verdict: 'private', reason: 'IPv4-mapped form (::ffff:0:0/96' },
  { text: '::1:0:0:0', verdict: 'private', reason: 'is in ::/8, "Reserved by IETF"' },
  // ::ffff:0:0:0/96 IPv4-translated Address
  { text: '::fffe:ffff:ffff:ffff', verdict: 'private', reason: 'is in ::/8, "Reserved by IETF"' },
  { text: '::ffff:0:0:0', verdict: 'private', reason: 'IPv4-translated form (::ffff:0:0:0/96' },
  { text: '::ffff:0:ffff:ffff', verdict: 'private', reason: 'IPv4-translated form (::ffff:0:0:0/96' },
  { text: '::ffff:1:0:0', verdict: 'private', reason: 'is in ::/8, "Reserved by IETF"' },
  // 64:ff9b::/96 IPv4-IPv6 Translat.
  { text: '64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in ::/8, "Reserved by IETF"' },
  { text: '64:ff9b::', verdict: 'private', reason: 'NAT64 form (64:ff9b::/96' },
  { text: '64:ff9b::ffff:ffff', verdict: 'private', reason: 'NAT64 form (64:ff9b::/96' },
  { text: '64:ff9b::1:0:0', verdict: 'private', reason: 'is in ::/8, "Reserved by IETF"' },
  // 64:ff9b:1::/48 IPv4-IPv6 Translat.
  { text: '64:ff9b:0:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in ::/8, "Reserved by IETF"' },
  { text: '64:ff9b:1::', verdict: 'private', reason: 'NAT64 form (64:ff9b:1::/48' },
  { text: '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'NAT64 form (64:ff9b:1::/48' },
  { text: '64:ff9b:2::', verdict: 'private', reason: 'is in ::/8, "Reserved by IETF"' },
  // 100::/64 Discard-Only Address Block
  { text: '100::ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in 100::/64, "Discard-Only Address Block"' },
  { text: '100:0:0:1::', verdict: 'private', reason: 'is in 100:0:0:1::/64, "Dummy IPv6 Prefix"' },
  // 100:0:0:1::/64 Dummy IPv6 Prefix
  { text: '100::1:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in 100:0:0:1::/64, "Dummy IPv6 Prefix"' },
  { text: '100:0:0:2::', verdict: 'private', reason: 'is in 100::/8, "Reserved by IETF"' },
  // 5f00::/16 Segment Routing (SRv6) SIDs
  {
    text: '5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 4000::/3, "Reserved by IETF"',
  },
  { text: '5f00::', verdict: 'private', reason: 'is in 5f00::/16, "Segment Routing (SRv6) SIDs"' },
  {
    text: '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 5f00::/16, "Segment Routing (SRv6) SIDs"',
  },
  { text: '5f01::', verdict: 'private', reason: 'is in 4000::/3, "Reserved by IETF"' },
  // fc00::/7 Unique-Local
  // fe80::/10 Link-Local Unicast
  {
    text: 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in fe80::/10, "Link-Local Unicast"',
  },
  { text: 'fec0::', verdict: 'private', reason: 'is in fec0::/10, "Site-Local Unicast (deprecated)"' },
  // fec0::/10 Site-Local Unicast (deprecated)
  {
    text: 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in fec0::/10, "Site-Local Unicast (deprecated)"',
  },
  { text: 'ff00::', verdict: 'private', reason: 'is in ff00::/8, "Multicast"' },
  // ff00::/8 Multicast
  { text: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in ff00::/8, "Multicast"' },
  // 2001::/23 IETF Protocol Assignments
  { text: '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'public', reason: '' },
  { text: '2001::', verdict: 'private', reason: 'Teredo form (2001::/32' },
  {
    text: '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 2001::/23, "IETF Protocol Assignments"',
  },
  { text: '2001:200::', verdict: 'public', reason: '' },
  // 2001::/32 TEREDO
  { text: '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'Teredo form (2001::/32' },
  { text: '2001:1::', verdict: 'private', reason: 'is in 2001::/23, "IETF Protocol Assignments"' },
  // 2001:1::1/128 Port Control Protocol Anycast
  { text: '2001:1::1', verdict: 'private', reason: 'is in 2001:1::1/128, "Port Control Protocol Anycast"' },
  {
    text: '2001:1::2',
    verdict: 'private',
    reason: 'is in 2001:1::2/128, "Traversal Using Relays around NAT Anycast"',
  },
  // 2001:1::2/128 Traversal Using Relays around NAT Anycast
  {
    text: '2001:1::3',
    verdict: 'private',
    reason: 'is in 2001:1::3/128, "DNS-SD Service Registration Protocol Anycast"',
  },
  // 2001:1::3/128 DNS-SD Service Registration Protocol Anycast
  { text: '2001:1::4', verdict: 'private', reason: 'is in 2001::/23, "IETF Protocol Assignments"' },
  // 2001:2::/48 Benchmarking
  {
    text: '2001:1:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 2001::/23, "IETF Protocol Assignments"',
  },
  { text: '2001:2::', verdict: 'private', reason: 'is in 2001:2::/48, "Benchmarking"' },
  { text: '2001:2:0:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in 2001:2::/48, "Benchmarking"' },
  { text: '2001:2:1::', verdict: 'private', reason: 'is in 2001::/23, "IETF Protocol Assignments"' },
  // 2001:3::/32 AMT
  {
    text: '2001:2:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 2001::/23, "IETF Protocol Assignments"',
  },
  { text: '2001:3::', verdict: 'private', reason: 'is in 2001:3::/32, "AMT"' },
  { text: '2001:3:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in 2001:3::/32, "AMT"' },
  { text: '2001:4::', verdict: 'private', reason: 'is in 2001::/23, "IETF Protocol Assignments"' },
  // 2001:4:112::/48 AS112-v6
  {
    text: '2001:4:111:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 2001::/23, "IETF Protocol Assignments"',
  },
  { text: '2001:4:112::', verdict: 'private', reason: 'is in 2001:4:112::/48, "AS112-v6"' },
  { text: '2001:4:112:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in 2001:4:112::/48, "AS112-v6"' },
  { text: '2001:4:113::', verdict: 'private', reason: 'is in 2001::/23, "IETF Protocol Assignments"' },
  // 2001:10::/28 Deprecated (previously ORCHID)
  {
    text: '2001:f:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 2001::/23, "IETF Protocol Assignments"',
  },
  { text: '2001:10::', verdict: 'private', reason: 'is in 2001:10::/28, "Deprecated (previously ORCHID)"' },
  {
    text: '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 2001:10::/28, "Deprecated (previously ORCHID)"',
  },
  { text: '2001:20::', verdict: 'private', reason: 'is in 2001:20::/28, "ORCHIDv2"' },
  // 2001:20::/28 ORCHIDv2
  { text: '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in 2001:20::/28, "ORCHIDv2"' },
  {
    text: '2001:30::',
    verdict: 'private',
    reason: 'is in 2001:30::/28, "Drone Remote ID Protocol Entity Tags (DETs) Prefix"',
  },
  // 2001:30::/28 Drone Remote ID Protocol Entity Tags (DETs) Prefix
  {
    text: '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 2001:30::/28, "Drone Remote ID Protocol Entity Tags (DETs) Prefix"',
  },
  { text: '2001:40::', verdict: 'private', reason: 'is in 2001::/23, "IETF Protocol Assignments"' },
  // 2001:db8::/32 Documentation
  { text: '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'public', reason: '' },
  { text: '2001:db8::', verdict: 'private', reason: 'is in 2001:db8::/32, "Documentation"' },
  {
    text: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 2001:db8::/32, "Documentation"',
  },
  { text: '2001:db9::', verdict: 'public', reason: '' },
  // 2002::/16 6to4
  { text: '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'public', reason: '' },
  { text: '2002::', verdict: 'private', reason: '6to4 form (2002::/16' },
  { text: '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: '6to4 form (2002::/16' },
  { text: '2003::', verdict: 'public', reason: '' },
  // 2600:2d00:2:1000::/56 Google Cloud restricted APIs
  { text: '2600:2d00:2:fff:ffff:ffff:ffff:ffff', verdict: 'public', reason: '' },
  {
    text: '2600:2d00:2:1000::',
    verdict: 'private',
    reason: 'is in 2600:2d00:2:1000::/56, "Google Cloud restricted APIs"',
  },
  {
    text: '2600:2d00:2:10ff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 2600:2d00:2:1000::/56, "Google Cloud restricted APIs"',
  },
  { text: '2600:2d00:2:1100::', verdict: 'public', reason: '' },
  // 2600:2d00:2:2000::/56 Google Cloud private APIs
  { text: '2600:2d00:2:1fff:ffff:ffff:ffff:ffff', verdict: 'public', reason: '' },
  {
    text: '2600:2d00:2:2000::',
    verdict: 'private',
    reason: 'is in 2600:2d00:2:2000::/56, "Google Cloud private APIs"',
  },
  {
    text: '2600:2d00:2:20ff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 2600:2d00:2:2000::/56, "Google Cloud private APIs"',
  },
  { text: '2600:2d00:2:2100::', verdict: 'public', reason: '' },
  // Metadata services in special ranges: AWS, Google, Oracle, Linode, Scaleway, Azure
  { text: 'fd00:ec2::254', verdict: 'private', reason: 'is in fc00::/7, "Unique-Local"' },
  { text: 'fd20:ce::254', verdict: 'private', reason: 'is in fc00::/7, "Unique-Local"' },
  { text: 'fd00:c1::a9fe:a9fe', verdict: 'private', reason: 'is in fc00::/7, "Unique-Local"' },
  { text: 'fd00:a9fe:a9fe::1', verdict: 'private', reason: 'is in fc00::/7, "Unique-Local"' },
  { text: 'fd00:42::42', verdict: 'private', reason: 'is in fc00::/7, "Unique-Local"' },
  { text: 'fe80::1234:5678:9abc', verdict: 'private', reason: 'is in fe80::/10, "Link-Local Unicast"' },
  // 2620:4f:8000::/48 Direct Delegation AS112 Service
  { text: '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff', verdict: 'public', reason: '' },
  {
    text: '2620:4f:8000::',
    verdict: 'private',
    reason: 'is in 2620:4f:8000::/48, "Direct Delegation AS112 Service"',
  },
  {
    text: '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
    verdict: 'private',
    reason: 'is in 2620:4f:8000::/48, "Direct Delegation AS112 Service"',
  },
  { text: '2620:4f:8001::', verdict: 'public', reason: '' },
  // 3fff::/20 Documentation
  { text: '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'public', reason: '' },
  { text: '3fff::', verdict: 'private', reason: 'is in 3fff::/20, "Documentation"' },
  { text: '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', verdict: 'private', reason: 'is in 3fff::/20, "Documentation"' },
  { text: '3fff:1000::', verdict: 'public', reason: '' },
];
