/**
 * Serializes stored records to JSON without an object for each, which would take several times as
 * long. Lists are the most frequent reads. A test compares the result with viewRecord (view.ts).
 */

import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatRelative } from '../../../core/dns/wire/name.ts';
import { formatIPv4, formatIPv6, formatRdata, rdataToObject } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { idAt, nameKey, nameOfKey, recordKeyParts } from '../../../core/store/keys.ts';
import type { Entry } from '../../../core/store/raw-reader.ts';
import { type Domain, proxiedOf, RECORD_RDATA } from '../../../core/store/rows.ts';
import type { AliasStates } from '../../../core/upkeep/alias/index.ts';
import { formatTime } from '../../http/time.ts';
import { type DomainTargets, recordOf } from '../targets/target-warnings.ts';
import type { FindComment } from './comment.ts';
import type { FindPtr } from './ptrs.ts';
import { viewAlias } from './view.ts';

/** 1: the byte of a label needs no escape, neither in JSON nor in presentation format. */
const NEEDS_NO_ESCAPE = new Uint8Array(256);
for (const c of 'abcdefghijklmnopqrstuvwxyz0123456789-_*') NEEDS_NO_ESCAPE[c.charCodeAt(0)] = 1;

/** The records of one domain. */
export class RecordSerializer {
  /** Offset of the first label below the apex in the key of a record. */
  readonly #labelsStart: number;
  /** Whether the text has the state of a target, which changes without the domain. */
  hasTarget = false;

  constructor(
    private readonly domain: Domain,
    private readonly aliases: Pick<AliasStates, 'of'>,
    private readonly targets: Pick<DomainTargets, 'mayWarn' | 'find'>,
    private readonly findComment: FindComment,
    private readonly findPtr: FindPtr,
  ) {
    this.#labelsStart = 8 + nameKey(domain.apex).length;
  }

  serialize({ key, value }: Entry): string {
    const { nameEnd, type } = recordKeyParts(key);
    const created = formatTime(value.readUIntBE(4, 5));
    const updated = formatTime(value.readUIntBE(9, 5));
    const comment = this.findComment({ key });
    const ptr = this.findPtr({ key }) ? ',"ptr":true' : '';
    return `{"id":${idAt(key, key.length - 8)},"name":${this.#serializeName(key, nameEnd)},"type":"${typeName(type)}",${serializeContent(type, value)},"proxied":${proxiedOf(value)},"comment":${comment === null ? null : JSON.stringify(comment)}${ptr},"created_at":"${created}","updated_at":"${updated}"${this.#serializeTarget(type, key, value)}}`;
  }

  #serializeTarget(type: number, key: Buffer, value: Buffer): string {
    if (!this.targets.mayWarn(type)) return '';
    this.hasTarget = true;
    const warning = this.targets.find(recordOf(key, value));
    const warnings = warning === null ? '' : `,"warnings":${JSON.stringify([warning])}`;
    return `${type === TYPE.ALIAS ? this.#serializeAlias(value) : ''}${warnings}`;
  }

  #serializeAlias(value: Buffer): string {
    const state = this.aliases.of(Uint8Array.from(value.subarray(RECORD_RDATA)), this.domain.accountId);
    return `,"alias":${JSON.stringify(viewAlias(state))}`;
  }

  #serializeName(key: Buffer, end: number): string {
    const from = this.#labelsStart;
    if (from === end) return '"@"';
    let labels = 0;
    for (let i = from; i < end; i++)
      if (key[i] === 0) labels++;
      else if (NEEDS_NO_ESCAPE[key[i]] === 0)
        return JSON.stringify(formatRelative(nameOfKey(key, 8, end), this.domain.apex));
    // Without the last byte, which ends the last label.
    const text = key.toString('latin1', from, end - 1);
    return `"${labels === 1 ? text : text.split('\0').reverse().join('.')}"`;
  }
}

/** Content, TTL and data. */
function serializeContent(type: number, value: Buffer): string {
  const ttl = value.readUInt32BE(0);
  if (type === TYPE.A) return serializeAddress(formatIPv4(value, RECORD_RDATA), ttl);
  const rdata = value.subarray(RECORD_RDATA);
  if (type === TYPE.AAAA) return serializeAddress(formatIPv6(rdata), ttl);
  return `"content":${JSON.stringify(formatRdata(type, rdata))},"ttl":${ttl},"data":${JSON.stringify(rdataToObject(type, rdata))}`;
}

const serializeAddress = (address: string, ttl: number): string =>
  `"content":"${address}","ttl":${ttl},"data":{"address":"${address}"}`;
