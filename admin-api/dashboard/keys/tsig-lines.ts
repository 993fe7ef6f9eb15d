/** Configuration and commands for programs that use a TSIG key. */

export interface TsigKeyText {
  readonly name: string;
  readonly algorithm: string;
  readonly secret: string;
}

interface UpdateExample {
  /** A nameserver of this service. */
  readonly server: string;
  /** A domain that the key is valid for. */
  readonly zone: string;
  /** A record that it may add, as a line of a zone file. */
  readonly record: string;
}

export function nsupdateLines(
  { name, algorithm, secret }: TsigKeyText,
  { server, zone, record }: UpdateExample,
): string {
  return [
    `nsupdate -y ${algorithm}:${name}:${secret} <<'EOF'`,
    `server ${server}`,
    `zone ${zone}`,
    `update add ${record}`,
    'send',
    'EOF',
  ].join('\n');
}

export function transferLine({ name, algorithm, secret }: TsigKeyText, server: string, zone: string): string {
  return `dig @${server} -y ${algorithm}:${name}:${secret} ${zone} AXFR`;
}

/** Lines for named.conf of BIND. */
export function bindKey({ name, algorithm, secret }: TsigKeyText): string {
  return `key "${name}" {\n    algorithm ${algorithm};\n    secret "${secret}";\n};`;
}
