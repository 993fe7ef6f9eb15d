/** Derived rows: the state of each zone, and the totals of each account. */

/** The derived row of a zone. */
export interface ZoneState {
  /** SOA serial (RFC 1982). */
  readonly serial: number;
  /** Journal sequence of the last change. */
  readonly revision: number;
  readonly recordCount: number;
  /** Seconds since 1970. */
  readonly updatedAt: number;
  /** Size of its rows: see row-owner.ts. */
  readonly bytes: number;
}

export const EMPTY_ZONE: ZoneState = { serial: 0, revision: 0, recordCount: 0, updatedAt: 0, bytes: 0 };

const ZONE_STATE_BYTES = 25;

/** Rows of earlier versions lack the byte count. The daemon adds it when it starts. */
export const hasZoneBytes = (value: Buffer): boolean => value.length === ZONE_STATE_BYTES;

export function decodeZoneState(value: Buffer | undefined): ZoneState {
  if (value === undefined) return EMPTY_ZONE;
  return {
    serial: value.readUInt32BE(0),
    revision: value.readUIntBE(4, 6),
    recordCount: value.readUInt32BE(10),
    updatedAt: value.readUIntBE(14, 5),
    bytes: hasZoneBytes(value) ? value.readUIntBE(19, 6) : 0,
  };
}

export function encodeZoneState(state: ZoneState, bytes = state.bytes): Buffer {
  const value = Buffer.allocUnsafe(ZONE_STATE_BYTES);
  value.writeUInt32BE(state.serial, 0);
  value.writeUIntBE(state.revision, 4, 6);
  value.writeUInt32BE(state.recordCount, 10);
  value.writeUIntBE(state.updatedAt, 14, 5);
  value.writeUIntBE(bytes, 19, 6);
  return value;
}

/** The stored totals of an account. */
export interface Usage {
  readonly domains: number;
  readonly records: number;
  /** Size of its rows: see row-owner.ts. */
  readonly bytes: number;
  /** Bytes of its audit entries. */
  readonly audit: number;
}

const USAGE_BYTES = 24;

export const NO_USAGE: Usage = { domains: 0, records: 0, bytes: 0, audit: 0 };

export function decodeUsage(value: Buffer | undefined): Usage {
  if (value === undefined) return NO_USAGE;
  // Rows of earlier versions lack the byte count. The daemon adds it when it starts.
  const hasBytes = value.length === USAGE_BYTES;
  return {
    domains: value.readUIntBE(0, 6),
    records: value.readUIntBE(6, 6),
    bytes: hasBytes ? value.readUIntBE(12, 6) : 0,
    audit: hasBytes ? value.readUIntBE(18, 6) : 0,
  };
}

export function encodeUsage({ domains: domainCount, records: recordCount, bytes, audit }: Usage): Buffer {
  const value = Buffer.allocUnsafe(USAGE_BYTES);
  value.writeUIntBE(domainCount, 0, 6);
  value.writeUIntBE(recordCount, 6, 6);
  value.writeUIntBE(bytes, 12, 6);
  value.writeUIntBE(audit, 18, 6);
  return value;
}
