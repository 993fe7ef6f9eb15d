/** The file with header fields for the collector, such as credentials. */
import { ConfigError } from '../../base/errors.ts';
import { readPrivateFile } from '../../base/private-file.ts';

/** A field name (RFC 9110 section 5.1), and a value of visible characters and inner spaces. */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)[ \t]*$/;
/** Fields that the exporter sets itself. */
const RESERVED = /^(?:content-|host$|transfer-encoding$|connection$)/i;

/**
 * Reads lines of the form `name: value`; empty lines and lines that begin with `#` are ignored.
 * Throws ConfigError, whose message never has a value.
 */
export function readHeadersFile(file: string): Record<string, string> {
  const text = readPrivateFile(file);
  if (text === undefined) throw new ConfigError('bad_headers_file', `traces.headers_file: ${file} does not exist.`);
  const headers: Record<string, string> = {};
  text.split('\n').forEach((line, i) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return;
    const [, name, value] = FIELD.exec(trimmed) ?? [];
    if (name === undefined || RESERVED.test(name))
      throw new ConfigError(
        'bad_headers_file',
        `traces.headers_file: line ${i + 1} of ${file} is not a header field; write "name: value".`,
      );
    headers[name] = value;
  });
  return headers;
}
