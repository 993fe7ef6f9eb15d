/**
 * Rdata between its presentation form, its uncompressed wire form and its structured form. Parsed
 * rdata is normalised: names and CAA tags are in lower case. For normalised rdata, formatting and
 * parsing returns the same bytes.
 */
import { InvalidError } from '../../../base/errors.ts';
import { isPortable, portableTypeName, typeName } from '../mnemonics.ts';
import { LOWER, type Name, nameAt, ROOT } from '../name.ts';
import { isServiceBinding, TYPE } from '../types.ts';
import { formatGeneric, GENERIC_MARK, parseGeneric } from './data.ts';
import { FieldReader, type NameContext } from './field-reader.ts';
import { type Field, splitFields, toByteString } from './fields.ts';
import type { RdataObject, RdataRow } from './kind.ts';
import { formatHex } from './kinds.ts';
import { MAX_RDATA, RdataWriter } from './rdata-writer.ts';
import { RDATA_TABLE } from './table.ts';
import { WireReader } from './wire-reader.ts';

/** Used by one parse at a time: parsing never yields. */
const writer = new RdataWriter();

/** Names as we print them. */
const CANONICAL: NameContext = { apex: undefined, origin: ROOT, unicode: false, isTyped: false };

const GENERIC_EXAMPLE = '\\# 4 c0000201';

/**
 * One record's content as APIs take it. Names are absolute with or without the last dot, and may be
 * Unicode; `@` is `origin` (refused when there is none). `isTyped`: people typed it, so that names
 * with one label need the last dot, and URLs and addresses are no names. TXT without a leading
 * quote is one text, cut at 255 bytes; escapes count in it too. Every type takes the RFC 3597 form,
 * and a type that is not in the table only that. Throws InvalidError `invalid_content` or
 * `invalid_name`, for typed content also `relative_target` and `invalid_host`; pointer `/content`.
 */
export function parseRdata(type: number, text: string, origin?: Name, isTyped = false): Uint8Array {
  const content = toByteString(text.trim());
  const row = RDATA_TABLE.get(type);
  if (row?.parseBare && content !== '' && !content.startsWith('"') && !/^\\#(\s|$)/.test(content)) {
    const reader = new FieldReader(type, row.example, [], CANONICAL);
    row.parseBare(content, reader, writer.reset());
    return writer.finish();
  }
  try {
    return parse(type, row, splitFields(content), { apex: origin, origin: ROOT, unicode: true, isTyped });
  } catch (fault) {
    const [choice] = (fault instanceof InvalidError && fault.choices) || [];
    // A field that every choice leaves wrong is the fault to mend first.
    const other = choice === undefined ? undefined : faultIn(() => parseRdata(type, choice, origin, isTyped));
    throw other === undefined || other.choices !== undefined ? fault : other;
  }
}

function faultIn(work: () => void): InvalidError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidError) return error;
    throw error;
  }
}

/**
 * The same from the fields of a master file entry: names without the last dot are completed with
 * `origin`, and every TXT field is one string. Names are ASCII. Field texts are byte strings.
 * `onFault` receives the fault of bytes in RFC 3597 form that are kept though they are malformed.
 */
export function parseRdataFields(
  type: number,
  fields: readonly Field[],
  origin: Name,
  onFault?: (fault: string) => void,
): Uint8Array {
  const row = RDATA_TABLE.get(type);
  const names = { apex: origin, origin, unicode: false, isTyped: false };
  if (fields.length === 0 || !isGeneric(fields[0])) return parse(type, row, fields, names);
  const reader = new FieldReader(type, row?.example ?? GENERIC_EXAMPLE, fields, names);
  reader.word('mark');
  const rdata = parseGeneric(reader);
  const fault = findFault(type, rdata);
  if (fault === undefined) return normalize(row, rdata);
  if (onFault === undefined || !mayBeMalformed(type, rdata)) throw fault;
  onFault(fault.message);
  return rdata;
}

const isGeneric = ({ text, quoted }: Field): boolean => text === GENERIC_MARK && !quoted;

function parse(type: number, row: RdataRow | undefined, fields: readonly Field[], names: NameContext): Uint8Array {
  const reader = new FieldReader(type, row?.example ?? GENERIC_EXAMPLE, fields, names);
  if (fields.length > 0 && isGeneric(fields[0])) {
    reader.word('mark');
    return normalize(row, parseGeneric(reader));
  }
  if (row === undefined)
    return reader.fail('data', `must be in the form of RFC 3597: \\#, the number of bytes, hexadecimal digits`);
  writer.reset();
  for (const field of row.fields) field.parse(reader, writer);
  reader.end();
  return writer.finish();
}

/**
 * Well-formed wire bytes with the case of names and tags as the presentation form would have given
 * it.
 */
function normalize(row: RdataRow | undefined, rdata: Uint8Array): Uint8Array {
  if (row === undefined || row.isOpaque?.(rdata)) return rdata;
  const text = format(row, rdata);
  // An empty list has no other text than that of RFC 3597.
  return rdata.length === 0 ? rdata : parse(row.type, row, splitFields(text), CANONICAL);
}

function format(row: RdataRow, rdata: Uint8Array, asPortable = false): string {
  const reader = new WireReader(row.type, rdata, asPortable);
  let text = row.fields[0].format(reader);
  for (let i = 1; i < row.fields.length; i++) {
    const field = row.fields[i].format(reader);
    if (field !== '') text += ` ${field}`;
  }
  reader.end();
  return text;
}

/** Undefined: the bytes are not well-formed. They were stored before the type had a row. */
function tryFormat(row: RdataRow, rdata: Uint8Array, asPortable: boolean): string | undefined {
  try {
    return format(row, rdata, asPortable);
  } catch (error) {
    if (error instanceof InvalidError) return undefined;
    throw error;
  }
}

/**
 * The canonical presentation form: names absolute with the last dot, addresses by RFC 5952, strings
 * quoted. RFC 3597 form for types that are not in the table, and for bytes that are not
 * well-formed.
 */
export function formatRdata(type: number, rdata: Uint8Array): string {
  const row = RDATA_TABLE.get(type);
  return (row && tryFormat(row, rdata, false)) ?? formatGeneric(rdata);
}

/**
 * Type and rdata for a master file that other servers read. RFC 3597 form for types that BIND 9.18,
 * Knot 3.2 or NSD 4.6 do not know; `keyN` for such keys of SVCB and HTTPS.
 */
export function formatPortable(type: number, rdata: Uint8Array): string {
  const row = isPortable(type) ? RDATA_TABLE.get(type) : undefined;
  return `${portableTypeName(type)}\t${(row && tryFormat(row, rdata, true)) ?? formatGeneric(rdata)}`;
}

/**
 * The content as an object, so that programs need not parse the text: the fields of the type, names
 * absolute with the last dot. `rdata`, in hexadecimal, where formatRdata gives the RFC 3597 form.
 */
export function rdataToObject(type: number, rdata: Uint8Array): RdataObject {
  const row = RDATA_TABLE.get(type);
  const object: RdataObject = {};
  try {
    if (row === undefined) return { rdata: formatHex(rdata) };
    const reader = new WireReader(type, rdata);
    for (const field of row.fields) field.take(reader, object);
    reader.end();
    return object;
  } catch (error) {
    if (error instanceof InvalidError) return { rdata: formatHex(rdata) };
    throw error;
  }
}

/**
 * The canonical form of DNSSEC (RFC 4034 6.2, RFC 6840 5.1): names in lower case, but for those of
 * types that came later (RFC 3597 section 7). Throws InvalidError as checkRdata.
 */
export function signedRdata(type: number, rdata: Uint8Array): Uint8Array {
  const row = RDATA_TABLE.get(type);
  if (row?.names === undefined || row.names === 'kept') return rdata;
  const reader = new WireReader(type, rdata);
  const starts: number[] = [];
  reader.nameStarts = starts;
  for (const field of row.fields) field.format(reader);
  reader.end();
  const lowered = Uint8Array.from(rdata);
  // The length of a label is no capital.
  for (const start of starts)
    for (let p = start, length = nameAt(rdata, start).length; length > 0; p++, length--) lowered[p] = LOWER[rdata[p]];
  return lowered;
}

/**
 * Throws InvalidError `invalid_content` when the bytes are not well-formed rdata of the type:
 * lengths, uncompressed names of at most 255 bytes, digests of the right size. Types that are not
 * in the table can hold any bytes.
 */
export function checkRdata(type: number, rdata: Uint8Array): void {
  if (rdata.length > MAX_RDATA)
    throw new InvalidError(
      'invalid_content',
      `${typeName(type)} content is longer than the maximum of ${MAX_RDATA} bytes.`,
      {
        pointer: '/content',
      },
    );
  const row = RDATA_TABLE.get(type);
  if (row !== undefined && !row.isOpaque?.(rdata)) format(row, rdata);
}

/** The error of checkRdata; undefined: the bytes are well-formed. */
export const findFault = (type: number, rdata: Uint8Array): InvalidError | undefined =>
  faultIn(() => checkRdata(type, rdata));

/** Types without names that the service reads. */
const READ: ReadonlySet<number> = new Set([TYPE.A, TYPE.AAAA, TYPE.NSEC3, TYPE.NSEC3PARAM]);
/** Types with names that nothing reads, so that their bytes are copied only. */
const COPIED: ReadonlySet<number> = new Set([TYPE.HIP, TYPE.IPSECKEY, TYPE.AMTRELAY, TYPE.A6]);

/**
 * Whether malformed bytes of a zone file or a transfer are served as they are, as by Knot and NSD:
 * this server reads only addresses, names and what denies them.
 */
export function mayBeMalformed(type: number, rdata: Uint8Array): boolean {
  if (rdata.length > MAX_RDATA) return false;
  if (isServiceBinding(type)) return hasTarget(type, rdata);
  return COPIED.has(type) || (!READ.has(type) && RDATA_TABLE.get(type)?.names === undefined);
}

function hasTarget(type: number, rdata: Uint8Array): boolean {
  try {
    const reader = new WireReader(type, rdata);
    reader.u16();
    reader.name();
    return true;
  } catch {
    return false;
  }
}

/**
 * Rdata from the network as we store it: names and tags in lower case. Its names are uncompressed
 * already. Throws InvalidError `invalid_content` as checkRdata.
 */
export function canonicalRdata(type: number, rdata: Uint8Array): Uint8Array {
  checkRdata(type, rdata);
  return normalize(RDATA_TABLE.get(type), rdata);
}

/** The fault in well-formed rdata that other servers load, as a message; undefined: none. */
export function findDoubt(type: number, rdata: Uint8Array): string | undefined {
  const row = RDATA_TABLE.get(type);
  // Malformed bytes have no fields; the import has warned about them.
  const doubt = row?.doubt && tryFormat(row, rdata, false) !== undefined ? row.doubt(rdata) : undefined;
  return doubt && `${typeName(type)} content: ${doubt}. Write it like: ${row?.example}`;
}
