/**
 * The host names that a certificate is for: the DNS names of its subjectAltName (RFC 6125 6.4, RFC
 * 9525 6.3).
 */

const ENTRY = /([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/y;
const HOST_NAME = /^(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/;
const SHOWN = 5;

export class CoveredNames {
  private constructor(
    /** Without duplicates. Wildcards follow the other names and start with `*.`. */
    private readonly names: readonly string[],
  ) {}

  /**
   * `text`: `subjectAltName` of X509Certificate, such as `DNS:a.example, DNS:*.b.example, IP
   * Address:192.0.2.1`. Values that contain commas are quoted.
   */
  static read(text: string | undefined): CoveredNames {
    const names = new Set<string>();
    ENTRY.lastIndex = 0;
    for (let entry = ENTRY.exec(text ?? ''); entry !== null && entry[0] !== ''; entry = ENTRY.exec(text ?? '')) {
      const name = entry[2].toLowerCase().replace(/\.$/, '');
      if (entry[1] === 'DNS' && HOST_NAME.test(name) && !/^\*\.[^.]*$/.test(name)) names.add(name);
    }
    const [exact, wildcards] = [false, true].map((is) => [...names].filter((name) => name.startsWith('*.') === is));
    return new CoveredNames([...exact, ...wildcards]);
  }

  /** `names`: a list that `list` returned earlier. */
  static of(names: readonly string[]): CoveredNames {
    return new CoveredNames(names);
  }

  list(): readonly string[] {
    return this.names;
  }

  get size(): number {
    return this.names.length;
  }

  /**
   * `host`: in A-labels, lower case, without the last dot. A wildcard matches exactly one label. A
   * wildcard host is covered only by the same wildcard.
   */
  covers(host: string): boolean {
    const parent = host.slice(host.indexOf('.') + 1);
    // Browsers reject a wildcard for a whole top-level domain.
    return this.names.includes(host) || (parent.includes('.') && this.names.includes(`*.${parent}`));
  }

  /** The first names, for messages. */
  shown(): string {
    const rest = this.size - SHOWN;
    return `${this.names.slice(0, SHOWN).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  }
}
