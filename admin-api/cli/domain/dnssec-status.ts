/** Describes the DNSSEC state of a domain for people. */
import { asObject, type Json } from '../base/client.ts';
import { rowsOf } from '../base/pages.ts';
import { shown } from '../base/table.ts';

/** `body`: the whole response. */
export function describeDnssec(domain: string, body: Json): [string, ...string[]] {
  const error = asObject(body.error);
  const parent = asObject(body.parent);
  if (body.status === 'off')
    return [`${domain}: not signed`, `  next: Sign it with "waypost dnssec enable ${domain}".`];
  return [
    `${domain}: ${shown(body.status)}`,
    `  next         ${shown(body.next_step)}`,
    ...(body.next_at ? [`  expected     ${shown(body.next_at)} UTC`] : []),
    ...rowsOf(body.keys).map(
      ({ key_tag, state, created_at }) =>
        `  key          ${shown(key_tag)}, ${shown(state)}, since ${shown(created_at)}`,
    ),
    ...rowsOf(body.ds).map(({ record }) => `  ds           ${shown(record)}`),
    parent === undefined ? '  parent       not asked yet' : parentLine(parent),
    `  signatures   valid until ${shown(asObject(body.signatures)?.earliest_expiry)} or later`,
    ...(error === undefined ? [] : [`  error        ${shown(error.message)}`]),
  ];
}

function parentLine({ zone, ds, servers, answered, checked_at }: Json): string {
  const records = Array.isArray(ds) && ds.length > 0 ? `DS ${ds.map(shown).join('; ')}` : 'no DS';
  return `  parent       ${shown(zone) === '-' ? 'the root zone' : shown(zone)}: ${records} (${shown(answered)} of ${shown(servers)} servers, ${shown(checked_at)})`;
}

/** The fields of registrars' forms. */
export function describeForms(domain: string, body: Json): [string, ...string[]] {
  const ds = rowsOf(body.ds);
  const dnskey = rowsOf(body.dnskey);
  if (ds.length === 0) {
    const next =
      body.status === 'off'
        ? `Sign the zone with "waypost dnssec enable ${domain}".`
        : 'Remove all DS records at the registrar.';
    return [`${domain}: no DS record`, `  next: ${next}`];
  }
  const fields = (row: Json, names: readonly (readonly [string, string])[]): string[] =>
    names.map(([label, name]) => `  ${label.padEnd(13)}${shown(row[name])}`);
  return [
    `${domain}: enter one of these forms at the registrar`,
    ...ds.flatMap((row) => ['', 'Form with a DS record:', ...fields(row, DS_FIELDS), '', `  ${shown(row.record)}`]),
    ...dnskey.flatMap((row) => ['', 'Form with a DNSKEY record:', ...fields(row, DNSKEY_FIELDS)]),
    '',
    `${shown(body.next_step)}`,
  ];
}

const DS_FIELDS = [
  ['Key tag', 'key_tag'],
  ['Algorithm', 'algorithm'],
  ['Digest type', 'digest_type'],
  ['Digest', 'digest'],
] as const;

const DNSKEY_FIELDS = [
  ['Flags', 'flags'],
  ['Protocol', 'protocol'],
  ['Algorithm', 'algorithm'],
  ['Public key', 'public_key'],
] as const;
