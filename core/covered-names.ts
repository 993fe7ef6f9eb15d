/** The host names that a certificate is for: the DNS names of its subjectAltName (RFC 6125 6.4, RFC 9525 6.3). */

const ENTRY = /([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/y;
const HOST_NAME = /^(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/;
const SHOWN = 5;

export class CoveredNames {
  private readonly exact = new Set<string>();
  /** What stands behind `*.`. */
  private readonly wildcards = new Set<string>();

  /** `text`: as X509Certificate gives it, `DNS:a.example, DNS:*.b.example, IP Address:192.0.2.1`, with quotes around what holds commas. */
  constructor(text: string | undefined) {
    ENTRY.lastIndex = 0;
    for (let entry = ENTRY.exec(text ?? ''); entry !== null && entry[0] !== ''; entry = ENTRY.exec(text ?? ''))
      if (entry[1] === 'DNS') this.add(entry[2]);
  }

  /** Of names that were read from a certificate before, as `list` gives them. */
  static of(names: readonly string[]): CoveredNames {
    const covered = new CoveredNames(undefined);
    for (const name of names) covered.add(name);
    return covered;
  }

  /** All of them, wildcards with their `*.`. */
  list(): string[] {
    return [...this.exact, ...[...this.wildcards].map((name) => `*.${name}`)];
  }

  private add(text: string): void {
    const name = text.toLowerCase().replace(/\.$/, '');
    if (!HOST_NAME.test(name)) return;
    if (!name.startsWith('*.')) this.exact.add(name);
    // Browsers take none for a whole top-level domain.
    else if (name.includes('.', 2)) this.wildcards.add(name.slice(2));
  }

  get size(): number {
    return this.exact.size + this.wildcards.size;
  }

  /** `host`: in A-labels, lower case, without the last dot. A wildcard stands for one whole label; a name that is one itself needs the same. */
  covers(host: string): boolean {
    return this.exact.has(host) || this.wildcards.has(host.slice(host.indexOf('.') + 1));
  }

  /** Some of them, for messages. */
  shown(): string {
    const all = this.list();
    const rest = all.length - SHOWN;
    return `${all.slice(0, SHOWN).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  }
}
