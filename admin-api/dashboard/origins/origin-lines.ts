/** Origins as lines of text: `origin.example.net`, `http://203.0.113.9:8080 2` with a weight. */

export interface OriginLine {
  readonly origin: string;
  readonly port?: number;
  readonly protocol?: 'http' | 'https';
  readonly weight?: number;
}

const LINE = /^(?:(https?):\/\/)?(\[[^\]]*\]|[^\s:/]+|[0-9a-f:]+)(?::(\d+))?\/?(?:\s+(\d+))?$/i;

/** An invalid line still becomes an origin, so the API reports its fault. */
export function readOriginLines(text: string): OriginLine[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').map(readLine);
}

function readLine(line: string): OriginLine {
  const match = LINE.exec(line);
  if (match === null) return { origin: line };
  const [, protocol, host, port, weight] = match;
  return {
    origin: host.replace(/^\[|\]$/g, ''),
    ...(port !== undefined && { port: Number(port) }),
    ...(protocol !== undefined && { protocol: protocol.toLowerCase() as 'http' | 'https' }),
    ...(weight !== undefined && { weight: Number(weight) }),
  };
}

/** As a URL: an IPv6 address has brackets (RFC 3986 section 3.2.2). */
export function formatOrigin({ origin, port, protocol }: Required<Omit<OriginLine, 'weight'>>): string {
  return `${protocol}://${origin.includes(':') ? `[${origin}]` : origin}:${port}`;
}

/** The line of an origin: with its weight, unless it is that of a new one. */
export function formatOriginLine(line: OriginLine): string {
  const { weight = 1 } = line;
  const url = formatOrigin(withDefaults(line));
  return weight === 1 ? url : `${url} ${weight}`;
}

/** Port and protocol follow from each other, as in the API. */
export function withDefaults({ origin, port, protocol }: OriginLine): Required<Omit<OriginLine, 'weight'>> {
  const used = protocol ?? (port === 80 ? 'http' : 'https');
  return { origin, protocol: used, port: port ?? (used === 'http' ? 80 : 443) };
}
