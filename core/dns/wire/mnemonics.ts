/**
 * Type mnemonics (IANA "Resource Record (RR) TYPEs") and the `TYPEn` form of RFC 3597 section 5.
 */

const NAMES: readonly (readonly [number, string])[] = Object.entries(
  // One row a decade keeps the registry checkable by eye. A dash stands for an unassigned number.
  {
    1: 'A NS MD MF CNAME SOA MB MG MR NULL',
    11: 'WKS PTR HINFO MINFO MX TXT RP AFSDB X25 ISDN',
    21: 'RT NSAP NSAP-PTR SIG KEY PX GPOS AAAA LOC NXT',
    31: 'EID NIMLOC SRV ATMA NAPTR KX CERT A6 DNAME SINK',
    41: 'OPT APL DS SSHFP IPSECKEY RRSIG NSEC DNSKEY DHCID NSEC3',
    51: 'NSEC3PARAM TLSA SMIMEA - HIP NINFO RKEY TALINK CDS CDNSKEY',
    61: 'OPENPGPKEY CSYNC ZONEMD SVCB HTTPS DSYNC HHIT BRID',
    99: 'SPF UINFO UID GID UNSPEC NID L32 L64 LP EUI48 EUI64',
    128: 'NXNAME',
    249: 'TKEY TSIG IXFR AXFR MAILB MAILA ANY URI CAA AVC DOA AMTRELAY RESINFO WALLET CLA IPN',
    32768: 'TA DLV',
    // Private use (RFC 6895 3.1).
    65401: 'ALIAS',
  },
).flatMap(([first, row]) => row.split(' ').map((name, i) => [Number(first) + i, name] as const));

const BY_NUMBER: ReadonlyMap<number, string> = new Map(NAMES.filter(([, name]) => name !== '-'));
const BY_NAME: ReadonlyMap<string, number> = new Map([...BY_NUMBER].map(([type, name]) => [name, type]));

/**
 * Longest text that can name a type: "NSEC3PARAM" and "OPENPGPKEY" have 10 characters, "TYPE65535"
 * has 9.
 */
const MAX_MNEMONIC = 10;

/** The type's mnemonic, or `TYPEn` when it has none. */
export function typeName(type: number): string {
  return BY_NUMBER.get(type) ?? `TYPE${type}`;
}

/**
 * The types whose mnemonics and presentation formats BIND 9.18, Knot 3.2 and NSD 4.6 all read, and
 * ALIAS, which PowerDNS reads. Not KEY: a KEY without a key is read by BIND only.
 */
const PORTABLE: ReadonlyMap<number, string> = new Map(
  (
    'A NS CNAME SOA PTR HINFO MINFO MX TXT RP AFSDB RT AAAA LOC SRV NAPTR KX CERT DNAME APL DS SSHFP IPSECKEY ' +
    'RRSIG NSEC DNSKEY DHCID NSEC3 NSEC3PARAM TLSA SMIMEA CDS CDNSKEY OPENPGPKEY CSYNC ZONEMD SVCB HTTPS SPF NID L32 ' +
    'L64 LP EUI48 EUI64 URI CAA ALIAS'
  )
    .split(' ')
    .flatMap((name) => [...BY_NUMBER].filter(([, other]) => other === name)),
);

export function isPortable(type: number): boolean {
  return PORTABLE.has(type);
}

/**
 * The name of a type in a master file for other servers: TYPEn where one of them has no mnemonic.
 */
export function portableTypeName(type: number): string {
  return PORTABLE.get(type) ?? `TYPE${type}`;
}

/**
 * The number of a mnemonic or of `TYPEn`, in any case; undefined when the text is neither. As other
 * servers, reads `n` with leading zeros.
 */
export function parseType(text: string): number | undefined {
  if (text.length > MAX_MNEMONIC) return undefined;
  const upper = text.toUpperCase();
  const number = BY_NAME.get(upper);
  if (number !== undefined) return number;
  const digits = /^TYPE(\d{1,5})$/.exec(upper)?.[1];
  return digits !== undefined && Number(digits) <= 0xffff ? Number(digits) : undefined;
}

/**
 * Whether a zone can hold records of the type. Not: 0 (reserved), OPT, and the meta types and query
 * types 128–255 (RFC 6895 section 3.1). 65535 is reserved, but other servers load and serve it.
 */
export function isDataType(type: number): boolean {
  return type > 0 && type <= 0xffff && type !== 41 && !(type >= 128 && type <= 255);
}

/** Every type that has a mnemonic, as [number, mnemonic]. */
export const MNEMONICS: Iterable<readonly [number, string]> = [...BY_NUMBER];
