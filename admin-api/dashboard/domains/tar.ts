/** Writes files into a tar archive (POSIX.1-1988, ustar). */

export interface ArchivedFile {
  /** At most 100 bytes, ASCII. */
  readonly name: string;
  readonly content: Uint8Array;
}

const BLOCK = 512;
const NAME_BYTES = 100;

/** `time`: modification time of all files, seconds since 1970. */
export function createTar(files: readonly ArchivedFile[], time: number): Uint8Array[] {
  const parts = files.flatMap(({ name, content }) => [
    header(name.slice(-NAME_BYTES), content.length, time),
    content,
    new Uint8Array((BLOCK - (content.length % BLOCK)) % BLOCK),
  ]);
  // Two empty blocks end an archive.
  return [...parts, new Uint8Array(2 * BLOCK)];
}

function header(name: string, size: number, time: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const write = (at: number, text: string): void => {
    for (let i = 0; i < text.length; i++) block[at + i] = text.charCodeAt(i);
  };
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  write(0, name);
  write(100, octal(0o644, 7));
  write(108, octal(0, 7));
  write(116, octal(0, 7));
  write(124, octal(size, 11));
  write(136, octal(time, 11));
  // The checksum is computed with spaces in its own field.
  write(148, ' '.repeat(8));
  write(156, '0');
  write(257, 'ustar');
  write(263, '00');
  write(
    148,
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
  );
  return block;
}
