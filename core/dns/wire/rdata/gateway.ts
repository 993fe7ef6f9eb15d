/**
 * Types that name gateways, relays or rendezvous servers: IPSECKEY (RFC 4025), AMTRELAY (RFC 8777),
 * HIP (RFC 8005).
 */
import { formatName } from '../name.ts';
import { TYPE } from '../types.ts';
import { formatIPv4, formatIPv6, parseIPv4, parseIPv6 } from './address.ts';
import type { FieldReader } from './field-reader.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { base64Data, formatBase64, formatHex, parseBase64, parseHex, u8 } from './kinds.ts';
import type { RdataWriter } from './rdata-writer.ts';
import type { WireReader } from './wire-reader.ts';

/** What a gateway is (RFC 4025 2.3, RFC 8777 4.2.3). */
const GATEWAY = { NONE: 0, IPV4: 1, IPV6: 2, NAME: 3 } as const;
const MAX_GATEWAY = GATEWAY.NAME;

function parseGateway(type: number, what: string, input: FieldReader, out: RdataWriter): void {
  if (type === GATEWAY.IPV4) out.bytes(parseIPv4(input, what));
  else if (type === GATEWAY.IPV6) out.bytes(parseIPv6(input, what));
  else if (type === GATEWAY.NAME) out.bytes(input.name(what));
  else if (input.word(what) !== '.') input.fail(what, 'must be "." when its type is 0');
}

function formatGateway(type: number, what: string, input: WireReader): string {
  if (type === GATEWAY.NONE) return '.';
  if (type === GATEWAY.IPV4) return formatIPv4(input.take(4));
  if (type === GATEWAY.IPV6) return formatIPv6(input.take(16));
  if (type === GATEWAY.NAME) return formatName(input.name());
  return input.fail(`the ${what} type ${type} is unknown`);
}

const publicKey = base64Data('public key');

/** Gateway type, algorithm, gateway and key. The key is optional (RFC 4025 2.6). */
const gatewayAndKey: FieldKind = {
  parse(input, out) {
    const type = input.integer('gateway type', MAX_GATEWAY);
    const algorithm = input.integer('algorithm', 0xff);
    out.u8(type);
    out.u8(algorithm);
    parseGateway(type, 'gateway', input, out);
    if (input.left > 0) publicKey.parse(input, out);
  },
  format(input) {
    const [type, algorithm] = [input.u8(), input.u8()];
    const gateway = `${type} ${algorithm} ${formatGateway(type, 'gateway', input)}`;
    return input.left === 0 ? gateway : `${gateway} ${publicKey.format(input)}`;
  },
  take(input, into) {
    const type = input.u8();
    into.gateway_type = type;
    into.algorithm = input.u8();
    into.gateway = formatGateway(type, 'gateway', input);
    into.public_key = formatBase64(input.rest());
  },
};

/** The bit before the type: whether discovery is optional (RFC 8777 4.2.2). */
const DISCOVERY_OPTIONAL = 0x80;

function readRelay(input: WireReader): [discovery: number, type: number, relay: string] {
  const byte = input.u8();
  const type = byte & ~DISCOVERY_OPTIONAL;
  return [byte >> 7, type, formatGateway(type, 'relay', input)];
}

const relay: FieldKind = {
  parse(input, out) {
    const isOptional = input.integer('discovery optional', 1);
    const type = input.integer('relay type', MAX_GATEWAY);
    out.u8(isOptional * DISCOVERY_OPTIONAL + type);
    parseGateway(type, 'relay', input, out);
  },
  format: (input) => readRelay(input).join(' '),
  take(input, into) {
    const [discovery, type, gateway] = readRelay(input);
    into.discovery_optional = discovery === 1;
    into.relay_type = type;
    into.relay = gateway;
  },
};

interface Identity {
  readonly algorithm: number;
  /** Hexadecimal. */
  readonly tag: string;
  /** Base64. */
  readonly key: string;
  readonly servers: readonly string[];
}

/** RFC 8005 section 5: lengths and algorithm come before tag and key. */
function readIdentity(input: WireReader): Identity {
  const tagLength = input.u8();
  const algorithm = input.u8();
  const keyLength = input.u16();
  if (tagLength === 0 || keyLength === 0) input.fail('the host identity tag or the public key is missing');
  const tag = formatHex(input.take(tagLength));
  const key = formatBase64(input.take(keyLength));
  const servers: string[] = [];
  while (input.left > 0) servers.push(formatName(input.name()));
  return { algorithm, tag, key, servers };
}

/** RFC 8005 section 6: tag and key are one word each. */
const identity: FieldKind = {
  parse(input, out) {
    const algorithm = input.integer('algorithm', 0xff);
    const tagText = input.word('host identity tag');
    const tag = parseHex(tagText);
    if (tag === undefined || tag.length === 0 || tag.length > 0xff)
      return input.fail('host identity tag', 'must be 1 to 255 pairs of hexadecimal digits', tagText);
    const keyText = input.word('public key');
    const key = parseBase64(keyText);
    if (key === undefined || key.length === 0 || key.length > 0xffff)
      return input.fail('public key', 'must be Base64 without spaces', keyText);
    out.u8(tag.length);
    out.u8(algorithm);
    out.u16(key.length);
    out.bytes(tag);
    out.bytes(key);
    while (input.left > 0) out.bytes(input.name('rendezvous server'));
  },
  format(input) {
    const { algorithm, tag, key, servers } = readIdentity(input);
    return [algorithm, tag, key, ...servers].join(' ');
  },
  take(input, into) {
    const { algorithm, tag, key, servers } = readIdentity(input);
    into.algorithm = algorithm;
    into.hit = tag;
    into.public_key = key;
    into.rendezvous_servers = servers;
  },
};

export const GATEWAY_ROWS: readonly RdataRow[] = [
  {
    type: TYPE.IPSECKEY,
    names: 'kept',
    example: '10 1 2 192.0.2.38 AQNRU3mG7TVTO2BkR47usntb102uFJtugbo6BSGvgqt4AQ==',
    fields: [u8('precedence'), gatewayAndKey],
  },
  { type: TYPE.AMTRELAY, names: 'kept', example: '10 0 1 203.0.113.15', fields: [u8('precedence'), relay] },
  {
    type: TYPE.HIP,
    names: 'kept',
    example: '2 200100107b1a74df365639cc39f1d578 AwEAAbdxyhNuSutc5EMzxTs9LBPCIkOFH8cIvM4p rvs.example.net.',
    fields: [identity],
  },
];
