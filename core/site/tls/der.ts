/** An element of DER (X.690) that OpenSSL has already parsed. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/** X.690 sections 8.1.2 and 8.1.3. An incomplete element ends the list. */
export function elementsOf(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const tag = bytes[at];
    const first = bytes[at + 1];
    const size = first < 0x80 ? 0 : first & 0x7f;
    if (size > 4 || at + 2 + size > bytes.length) break;
    const length = size === 0 ? first : bytes.readUIntBE(at + 2, size);
    const from = at + 2 + size;
    elements.push({ tag, content: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return elements;
}
