/**
 * Records as JSON, straight from their stored bytes: lists are the most read of all, and an object for each record takes several times as long. What comes
 * out is what JSON.stringify makes of viewRecord (view.ts); a test holds it to that.
 */
import type { AliasStates } from '../../core/alias/index.ts';
import { nameKey, nameOfKey, recordKeyParts } from '../../core/store/keys.ts';
import type { Entry } from '../../core/store/reader.ts';
import { type Domain, proxiedOf, RECORD_RDATA } from '../../core/store/rows.ts';
import { typeName } from '../../core/wire/mnemonics.ts';
import { formatRelative } from '../../core/wire/name.ts';
import { formatIPv4, formatIPv6, formatRdata, rdataToObject } from '../../core/wire/rdata/index.ts';
import { TYPE } from '../../core/wire/types.ts';
import { formatTime } from '../http/time.ts';
import { viewAlias } from './view.ts';

/** Bytes of labels that are written as they are, in JSON and as presentation form. */
const PLAIN = new Uint8Array(256);
for (const c of 'abcdefghijklmnopqrstuvwxyz0123456789-_*') PLAIN[c.charCodeAt(0)] = 1;

/** The records of one domain. */
export class RecordTexts {
  readonly #domain: Domain;
  /** Where the labels below the apex begin in a record's key. */
  readonly #below: number;
  readonly #aliases: Pick<AliasStates, 'of'>;
  /** Whether any of them tells of a target, which changes without the domain. */
  hasAlias = false;

  constructor(domain: Domain, aliases: Pick<AliasStates, 'of'>) {
    this.#domain = domain;
    this.#aliases = aliases;
    this.#below = 8 + nameKey(domain.apex).length;
  }

  of({ key, value }: Entry): string {
    const { nameEnd, type } = recordKeyParts(key);
    const created = formatTime(value.readUIntBE(4, 5));
    const updated = formatTime(value.readUIntBE(9, 5));
    return `{"id":"${key.toString('hex', key.length - 8)}","name":${this.#name(key, nameEnd)},"type":"${typeName(type)}",${contentText(type, value)},"proxied":${proxiedOf(value)},"created_at":"${created}","updated_at":"${updated}"${this.#alias(type, value)}}`;
  }

  #alias(type: number, value: Buffer): string {
    if (type !== TYPE.ALIAS) return '';
    this.hasAlias = true;
    return `,"alias":${JSON.stringify(viewAlias(this.#aliases.of(Uint8Array.from(value.subarray(RECORD_RDATA)))))}`;
  }

  #name(key: Buffer, end: number): string {
    const from = this.#below;
    if (from === end) return '"@"';
    let labels = 0;
    for (let i = from; i < end; i++)
      if (key[i] === 0) labels++;
      else if (PLAIN[key[i]] === 0) return JSON.stringify(formatRelative(nameOfKey(key, 8, end), this.#domain.apex));
    // The last byte closes the last label.
    const text = key.toString('latin1', from, end - 1);
    return `"${labels === 1 ? text : text.split('\0').reverse().join('.')}"`;
  }
}

/** Content, TTL and data. */
function contentText(type: number, value: Buffer): string {
  const ttl = value.readUInt32BE(0);
  if (type === TYPE.A) return addressText(formatIPv4(value, RECORD_RDATA), ttl);
  const rdata = value.subarray(RECORD_RDATA);
  if (type === TYPE.AAAA) return addressText(formatIPv6(rdata), ttl);
  return `"content":${JSON.stringify(formatRdata(type, rdata))},"ttl":${ttl},"data":${JSON.stringify(rdataToObject(type, rdata))}`;
}

const addressText = (address: string, ttl: number): string =>
  `"content":"${address}","ttl":${ttl},"data":{"address":"${address}"}`;
