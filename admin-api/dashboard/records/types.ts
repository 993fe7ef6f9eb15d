/**
 * Types of records that can be created, the usual ones first, each with an example of its value.
 */
export const RECORD_TYPES: Readonly<Record<string, string>> = {
  A: '192.0.2.1',
  AAAA: '2001:db8::1',
  CNAME: 'www.example.com',
  ALIAS: 'app.example.net',
  MX: '10 mail.example.com',
  TXT: '"v=spf1 mx -all"',
  NS: 'ns1.example.net',
  SRV: '10 5 5060 sip.example.com',
  CAA: '0 issue "ca.example"',
  HTTPS: '1 . alpn=h2',
  SVCB: '1 svc.example.com',
  PTR: 'host.example.com',
  TLSA: '3 1 1 0b9fa5a59eed715c26c1020c711b4f6ec42d58b0015e14337a39dad301c5afc3',
  SSHFP: '4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789',
  DS: '60485 13 2 0b9fa5a59eed715c26c1020c711b4f6ec42d58b0015e14337a39dad301c5afc3',
  DNAME: 'example.net',
  NAPTR: '100 10 "s" "SIP+D2U" "" _sip._udp.example.com',
  LOC: '52 22 23.0 N 4 53 32.0 E 0.0m',
  URI: '10 1 "https://example.com/"',
};

/** Offered TTLs in seconds. 1: automatic. */
export const TTL_PRESETS: readonly number[] = [1, 60, 300, 3600, 14_400, 86_400];
