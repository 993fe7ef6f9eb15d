/** Looks for properties of a master file that a person must know about. */
import { type Finding, finding, type Position } from './source.ts';

/** Bytes at the start of the binary formats of BIND: version 2 or 3 of "raw" and "map". */
const isBinary = (bytes: Uint8Array): boolean =>
  bytes.length >= 8 && bytes[0] === 0 && bytes[1] === 0 && bytes[2] === 0 && (bytes[3] === 2 || bytes[3] === 3);

/** Findings of one zone. The position is that of the file. */
export function examineMaster(zone: string, file: string, bytes: Uint8Array): Finding[] {
  const at: Position = { file, line: 1 };
  if (isBinary(bytes))
    return [
      {
        severity: 'error',
        code: 'binary_file',
        zone,
        at,
        message: 'The file has a binary format of BIND.',
        next: `Write it as text: named-compilezone -f raw -F text -o ${zone}.zone ${zone} ${file}`,
      },
    ];
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const found: Finding[] = [];
  // A search for bytes is much faster than one for a pattern.
  if (['RRSIG', 'rrsig'].some((word) => buffer.includes(word)) && /^[^;"]*\sRRSIG\s/im.test(buffer.toString('latin1')))
    found.push(finding.signed(zone, at));
  if (buffer.includes('$') && /^\$GENERATE\s/im.test(buffer.toString('latin1')))
    found.push({
      severity: 'warning',
      code: 'generate',
      zone,
      at,
      message: 'The records of $GENERATE are imported one by one; an export does not have the directive.',
    });
  return found;
}
