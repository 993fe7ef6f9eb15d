/**
 * Checks the meaning of a document of origins that is valid against the schema. Host names are not
 * resolved here; the edge checks every address before it connects.
 */
import { X509Certificate } from 'node:crypto';
import { InvalidError } from '../../base/errors.ts';
import { contains, type Exemptions, mayConnect, type Prefix, readHost } from '../../net/address/index.ts';
import { checkedOrigins } from './checks.ts';
import { type OriginsDocument, type OriginsEntry, originKey, type PoolOrigin, protocolOf } from './document.ts';
import { LIMITS } from './limits.ts';
import { nameOf, pathOf, servesRulesOnly } from './match.ts';

export interface Fault {
  /** JSON pointer into the document. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

interface CheckOptions {
  /** Private networks that the operator allows. */
  readonly exemptions: Exemptions;
  /** The addresses of the cluster, which are not allowed as origins: requests would loop. */
  readonly own: readonly Prefix[];
}

/** All faults, in the order of the document. Empty: the document is valid. */
export function checkOrigins({ origins }: OriginsDocument, options: CheckOptions): Fault[] {
  const faults: Fault[] = [];
  const seen = new Map<string, number>();
  const labels = new Map<string, number>();
  for (const [i, entry] of origins.entries()) {
    const report = (field: string, code: string, message: string): void => {
      faults.push({ pointer: `/origins/${i}${field}`, code, message });
    };
    checkEntry(entry, options, report);
    const { label } = entry;
    if (label != null) {
      const first = labels.get(label);
      if (first === undefined) labels.set(label, i);
      else report('/label', 'duplicate_label', `"${label}" is also the label of entry ${first}; use another one.`);
    }
    if (servesRulesOnly(entry)) continue;
    const key = `${nameOf(entry)} ${pathOf(entry)}`;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, i);
    else
      report(
        '',
        'duplicate_entry',
        `Entry ${first} has the same name and path, "${nameOf(entry)}" and "${pathOf(entry)}"; put all origins into one pool.`,
      );
  }
  const { length } = checkedOrigins({ origins });
  if (length > LIMITS.checked)
    faults.push({
      pointer: '/origins',
      code: 'too_many_checks',
      message: `${length} origins have health checks; the limit is ${LIMITS.checked}. Entries with the same origin and the same check count once.`,
    });
  return faults;
}

type Report = (field: string, code: string, message: string) => void;

function checkEntry(entry: OriginsEntry, options: CheckOptions, report: Report): void {
  if (!isRelativeName(nameOf(entry)))
    report(
      '/name',
      'invalid_name',
      `"${entry.name}" is not a name relative to the domain; use "@", "www", "*.dev", or "*" for every name.`,
    );
  checkPath('/path', pathOf(entry), report);
  checkPool(entry.pool, options, report);
  if (entry.health != null) checkPath('/health/path', entry.health.path ?? '/', report);
  const { interval = Number.POSITIVE_INFINITY, timeout } = entry.health ?? {};
  if (timeout !== undefined && timeout > interval)
    report('/health/timeout', 'invalid_timeout', `The timeout of ${timeout} seconds is longer than the interval.`);
  checkSticky(entry, report);
  checkTls(entry, report);
}

function checkSticky({ sticky }: OriginsEntry, report: Report): void {
  if (sticky?.by === 'header' && sticky.header == null)
    report('/sticky/header', 'header_required', 'It hashes a header field; set "header" to its name.');
  if (sticky?.by === 'cookie_hash' && sticky.cookie === undefined)
    report('/sticky/cookie', 'cookie_required', 'It hashes a cookie of the application; set "cookie" to its name.');
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

function isRelativeName(name: string): boolean {
  if (name === '@' || name === '*') return true;
  const labels = name.split('.');
  if (labels[0] === '*') labels.shift();
  return name.length <= 253 && labels.every((label) => LABEL.test(label));
}

/** Characters of a path (RFC 3986 section 3.3), without a query. */
const PATH = /^\/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/;

function checkPath(field: string, path: string, report: Report): void {
  if (path.length > LIMITS.pathLength || !PATH.test(path))
    report(
      field,
      'invalid_path',
      `${JSON.stringify(path.slice(0, 80))} is not a path; begin with "/", without query and fragment.`,
    );
}

function checkPool(pool: readonly PoolOrigin[], options: CheckOptions, report: Report): void {
  const seen = new Map<string, number>();
  for (const [i, origin] of pool.entries()) {
    const field = `/pool/${i}`;
    checkHost(origin, options, (code, message) => report(`${field}/origin`, code, message));
    if (protocolOf(origin) === undefined)
      report(
        `${field}/protocol`,
        'protocol_required',
        `The protocol of port ${origin.port} is not known; set "protocol" to "http" or "https".`,
      );
    const key = originKey(origin);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, i);
    else report(field, 'duplicate_origin', `It is the same as origin ${first} of the pool; use its "weight" instead.`);
  }
  if (pool.every(({ weight }) => weight === 0))
    report('/pool', 'no_weight', 'All weights are 0; at least one origin needs a weight of 1 or more.');
}

function checkHost(
  { origin }: PoolOrigin,
  { exemptions, own }: CheckOptions,
  report: (code: string, message: string) => void,
): void {
  try {
    const host = readHost(origin, exemptions);
    if (host.kind === 'name') return;
    const verdict = mayConnect(host.bytes, exemptions);
    const { canonical, bytes } = host;
    if (!verdict.public)
      report(
        'private_origin',
        `The address ${canonical} ${verdict.reason}. An origin must be reachable on the public Internet.`,
      );
    else if (exemptions !== true && exemptions.length === 0 && own.some((prefix) => contains(prefix, bytes)))
      report(
        'origin_loop',
        `${canonical} is this service itself, so requests would loop. Give the address of the server.`,
      );
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    report(error.code, error.message);
  }
}

/** A host with an optional port (RFC 9110 section 7.2). */
const HOST_FIELD = /^(?:[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;
const SERVER_NAME = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/i;
/** The base64 of 32 bytes. */
const PIN = /^[A-Za-z0-9+/]{43}=$/;

function checkTls(entry: OriginsEntry, report: Report): void {
  const { host, server_name, ca, pins, client_certificate, pool, version, proxy_protocol } = entry;
  if (host != null && !HOST_FIELD.test(host))
    report('/host', 'invalid_host', 'It is not a value of the Host field; use a host name, perhaps with a port.');
  if (server_name != null && !SERVER_NAME.test(server_name))
    report('/server_name', 'invalid_server_name', 'It is not a host name.');
  if (ca != null && !areCertificates(ca))
    report('/ca', 'invalid_certificate', 'It must be one or more certificates in PEM form.');
  for (const [i, pin] of (pins ?? []).entries())
    if (!PIN.test(pin)) report(`/pins/${i}`, 'invalid_pin', 'It must be the base64 of 32 bytes: a SHA-256.');
  if (client_certificate != null && !areCertificates(client_certificate.certificate))
    report(
      '/client_certificate/certificate',
      'invalid_certificate',
      'It must be certificates in PEM form, leaf first.',
    );
  const isPlain = pool.every((origin) => protocolOf(origin) === 'http');
  for (const [field, value] of [
    ['server_name', server_name],
    ['ca', ca],
    ['pins', pins],
    ['client_certificate', client_certificate],
  ] as const)
    if (value != null && isPlain)
      report(
        `/${field}`,
        'tls_required',
        `"${field}" has no effect with the protocol http; set the protocol to https.`,
      );
  if (proxy_protocol !== undefined && proxy_protocol !== 'none' && version !== undefined && version !== '1.1')
    report(
      '/proxy_protocol',
      'invalid_proxy_protocol',
      'A connection of HTTP/2 carries requests of several visitors; set the version to "1.1", or proxy_protocol to "none".',
    );
  if (version === 'h2c' && pool.some((origin) => protocolOf(origin) === 'https'))
    report('/version', 'invalid_version', '"h2c" is HTTP/2 without TLS; use "2" for origins with https.');
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

function areCertificates(pem: string): boolean {
  const found = pem.match(CERTIFICATE) ?? [];
  if (found.length === 0 || pem.replace(CERTIFICATE, '').trim() !== '') return false;
  try {
    for (const text of found) new X509Certificate(text);
    return true;
  } catch {
    return false;
  }
}
