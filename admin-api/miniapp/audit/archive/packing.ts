/** Checks whether an entry can be unpacked, and the declared sizes against the limits. */
import { type Findings, PACKAGE, wholeFile } from '../findings.ts';
import type { Entry } from './central-directory.ts';
import { EXTRA } from './extra-fields.ts';
import { type PackageLimits, RATIO_FROM } from './limits.ts';

const STORED = 0;
export const DEFLATE = 8;

/** Flags: traditional encryption, strong encryption, encrypted directory (APPNOTE.TXT 4.4.4). */
const ENCRYPTED = (1 << 0) | (1 << 6) | (1 << 13);
/** Flags: compression level (two bits), data descriptor, names in UTF-8. */
const KNOWN_FLAGS = (1 << 1) | (1 << 2) | (1 << 3) | (1 << 11);
const HAS_DESCRIPTOR = 1 << 3;

/**
 * Highest accepted version of the format, times ten. Deflate, folders and ZIP64 need 45 at most;
 * Info-ZIP supports 46. Readers skip or refuse entries that need more.
 */
const MAX_VERSION = 46;

/** False: cannot be unpacked; a finding is added. */
export function canUnpack(entry: Entry, shown: string, findings: Findings): boolean {
  const at = wholeFile(shown);
  const { version, flags, method, size, compressedSize } = entry;
  if ((flags & ENCRYPTED) !== 0 || entry.extra.has(EXTRA.aes) || entry.extra.has(EXTRA.strongEncryption))
    findings.add('archive_encrypted', at, 'It is encrypted.');
  else if ((flags & ~KNOWN_FLAGS) !== 0)
    findings.add('archive_flags', at, `Its flags (0x${flags.toString(16)}) ask for what readers do not know.`);
  else if (version > MAX_VERSION)
    findings.add('archive_version', at, `It needs version ${version / 10} of the format, which not all readers know.`);
  else if (method !== STORED && method !== DEFLATE)
    findings.add('archive_method', at, `It is packed by method ${method}.`);
  else if (method === STORED && size !== compressedSize)
    findings.add('archive_header_mismatch', at, 'It is stored, but its packed and unpacked sizes differ.');
  else if (method === STORED && (flags & HAS_DESCRIPTOR) !== 0 && size > 0)
    findings.add('archive_data_descriptor', at, 'Its size follows its data, of which nothing tells the end.');
  else return true;
  return false;
}

/**
 * Sums the declared sizes of all entries. An entry that unpacks to more bytes than declared is
 * damaged.
 */
export class Budget {
  #size = 0;
  #compressed = 0;

  constructor(
    private readonly limits: PackageLimits,
    private readonly findings: Findings,
  ) {}

  /**
   * False: unpacking it would exceed a limit; a finding is added. The finding for the total size is
   * added once.
   */
  allows({ size, compressedSize }: Entry, shown: string): boolean {
    const { fileBytes, totalBytes, ratio } = this.limits;
    if (size > fileBytes) {
      this.findings.add(
        'archive_file_too_large',
        wholeFile(shown),
        `It has ${size} bytes unpacked; ${fileBytes} are allowed.`,
      );
      return false;
    }
    if (size > RATIO_FROM && size > ratio * compressedSize) {
      this.findings.add(
        'archive_ratio',
        wholeFile(shown),
        `${compressedSize} bytes unpack to ${size}, more than ${ratio} times as many.`,
      );
      return false;
    }
    const before = this.#size;
    this.#size += size;
    this.#compressed += compressedSize;
    if (this.#size <= totalBytes) return true;
    if (before <= totalBytes)
      this.findings.add(
        'archive_content_too_large',
        PACKAGE,
        `Its files have more than the allowed ${totalBytes} bytes unpacked.`,
      );
    return false;
  }

  /**
   * Checks the ratio of all entries together, except those rejected for their own size or ratio.
   */
  finish(): void {
    const { ratio } = this.limits;
    if (this.#size > RATIO_FROM && this.#size > ratio * this.#compressed)
      this.findings.add(
        'archive_ratio',
        PACKAGE,
        `${this.#compressed} bytes unpack to ${this.#size}, more than ${ratio} times as many.`,
      );
  }
}
