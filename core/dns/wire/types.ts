/** Numbers of the DNS protocol (IANA "Domain Name System (DNS) Parameters"). */

export const CLASS_IN = 1;
/** RFC 1035 3.2.4. */
export const CLASS_CHAOS = 3;

export const RCODE = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  YXDOMAIN: 6,
  YXRRSET: 7,
  NXRRSET: 8,
  NOTAUTH: 9,
  NOTZONE: 10,
  BADVERS: 16,
  BADCOOKIE: 23,
} as const;

/** RFC 6895 2.2. */
export const OPCODE = { QUERY: 0, NOTIFY: 4, UPDATE: 5 } as const;

export const TYPE = {
  A: 1,
  NS: 2,
  MD: 3,
  MF: 4,
  CNAME: 5,
  SOA: 6,
  MB: 7,
  MG: 8,
  MR: 9,
  WKS: 11,
  PTR: 12,
  HINFO: 13,
  MINFO: 14,
  MX: 15,
  TXT: 16,
  RP: 17,
  AFSDB: 18,
  X25: 19,
  ISDN: 20,
  RT: 21,
  NSAP: 22,
  'NSAP-PTR': 23,
  SIG: 24,
  KEY: 25,
  PX: 26,
  GPOS: 27,
  AAAA: 28,
  LOC: 29,
  NXT: 30,
  EID: 31,
  NIMLOC: 32,
  SRV: 33,
  ATMA: 34,
  NAPTR: 35,
  KX: 36,
  CERT: 37,
  A6: 38,
  DNAME: 39,
  SINK: 40,
  OPT: 41,
  APL: 42,
  DS: 43,
  SSHFP: 44,
  IPSECKEY: 45,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  DHCID: 49,
  NSEC3: 50,
  NSEC3PARAM: 51,
  TLSA: 52,
  SMIMEA: 53,
  HIP: 55,
  NINFO: 56,
  RKEY: 57,
  TALINK: 58,
  CDS: 59,
  CDNSKEY: 60,
  OPENPGPKEY: 61,
  CSYNC: 62,
  ZONEMD: 63,
  SVCB: 64,
  HTTPS: 65,
  DSYNC: 66,
  HHIT: 67,
  BRID: 68,
  SPF: 99,
  NID: 104,
  L32: 105,
  L64: 106,
  LP: 107,
  EUI48: 108,
  EUI64: 109,
  TSIG: 250,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
  URI: 256,
  CAA: 257,
  AVC: 258,
  DOA: 259,
  AMTRELAY: 260,
  RESINFO: 261,
  WALLET: 262,
  CLA: 263,
  IPN: 264,
  TA: 32768,
  DLV: 32769,
  /**
   * A name that returns the addresses of its target. Private type with PowerDNS's number. It is
   * stored and shown, but never sent on the wire.
   */
  ALIAS: 65401,
} as const;

/** Private type in which BIND stores the progress of its signer. */
export const SIGNER_STATE = 65534;

/**
 * Positions of domain names in the rdata of types whose names may be compressed (RFC 3597 section
 * 4: only the types of RFC 1035). `skip`: bytes before the first name. `names`: number of
 * consecutive names. Bytes after the last name are copied unchanged.
 */
export const COMPRESSIBLE: ReadonlyMap<number, { readonly skip: number; readonly names: number }> = new Map([
  [TYPE.NS, { skip: 0, names: 1 }],
  [TYPE.MD, { skip: 0, names: 1 }],
  [TYPE.MF, { skip: 0, names: 1 }],
  [TYPE.CNAME, { skip: 0, names: 1 }],
  [TYPE.SOA, { skip: 0, names: 2 }],
  [TYPE.MB, { skip: 0, names: 1 }],
  [TYPE.MG, { skip: 0, names: 1 }],
  [TYPE.MR, { skip: 0, names: 1 }],
  [TYPE.PTR, { skip: 0, names: 1 }],
  [TYPE.MINFO, { skip: 0, names: 2 }],
  [TYPE.MX, { skip: 2, names: 1 }],
]);

/** Types of records whose addresses are at another name. */
export const LEADING_TYPES: readonly number[] = [TYPE.ALIAS, TYPE.CNAME];

/**
 * Offset of the host name in the rdata of types that refer to the host of a service, such as NS and
 * MX. It must not be an alias (RFC 2181 10.3, RFC 2782), and its addresses go into the additional
 * section (RFC 1035 3.3).
 */
export const HOST_TARGET: ReadonlyMap<number, number> = new Map([
  [TYPE.NS, 0],
  [TYPE.MX, 2],
  [TYPE.SRV, 6],
]);

/** The same in SVCB and HTTPS, where it may be an alias (RFC 9460). */
export const SERVICE_TARGET = 2;

export function isServiceBinding(type: number): boolean {
  return type === TYPE.SVCB || type === TYPE.HTTPS;
}

/** A record. Names are absolute, in uncompressed wire form and lower case. TTL in seconds. */
export interface ResourceRecord {
  readonly name: Uint8Array;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Uint8Array;
}

/**
 * Maximum CNAMEs and DNAMEs followed for an answer; a longer chain is cut. Resolvers give up at 8
 * to 16.
 */
export const MAX_SOURCES = 16;

export interface RRset {
  readonly type: number;
  /** Seconds. */
  readonly ttl: number;
  /** In canonical order (RFC 4034 6.3). Names in them are uncompressed and in lower case. */
  readonly rdatas: readonly Uint8Array[];
}
