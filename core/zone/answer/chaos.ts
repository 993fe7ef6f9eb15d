/**
 * Names of class CHAOS that identify a nameserver and its software (RFC 4892; `.bind` as in BIND).
 */
import { LOWER } from '../../dns/wire/name.ts';
import { CLASS_CHAOS, TYPE } from '../../dns/wire/types.ts';

/** Maximum bytes of a text: one character-string (RFC 1035 section 3.3). */
const MAX_TEXT = 255;

const VERSION_NAMES = ['version.bind', 'version.server'];
const IDENTITY_NAMES = ['hostname.bind', 'id.server'];

interface ChaosName {
  /** Wire format, lower case. */
  readonly name: Uint8Array;
  /** The TXT record after the question, with TTL 0. */
  readonly record: Uint8Array;
}

export class Chaos {
  readonly #entries: readonly ChaosName[];

  /** An empty text disables its names. */
  constructor(version: string, identity: string) {
    this.#entries = [...entriesOf(VERSION_NAMES, version), ...entriesOf(IDENTITY_NAMES, identity)];
  }

  /** The record of the name at packet[from, end), or null. Hot. */
  find(packet: Uint8Array, from: number, end: number): Uint8Array | null {
    for (let i = 0; i < this.#entries.length; i++) {
      const { name, record } = this.#entries[i];
      if (name.length !== end - from) continue;
      let k = 0;
      while (k < name.length && name[k] === LOWER[packet[from + k]]) k++;
      if (k === name.length) return record;
    }
    return null;
  }
}

function entriesOf(names: readonly string[], text: string): ChaosName[] {
  const bytes = Buffer.from(text, 'utf8').subarray(0, MAX_TEXT);
  if (bytes.length === 0) return [];
  // The owner is a pointer to the question.
  const record = Buffer.concat([
    Buffer.of(0xc0, 12, 0, TYPE.TXT, 0, CLASS_CHAOS, 0, 0, 0, 0, (bytes.length + 1) >>> 8, (bytes.length + 1) & 255),
    Buffer.of(bytes.length),
    bytes,
  ]);
  return names.map((name) => ({
    name: Buffer.concat([
      ...name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')])),
      Buffer.of(0),
    ]),
    record,
  }));
}
