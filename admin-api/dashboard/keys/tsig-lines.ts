/** Configuration and commands for programs that use a TSIG key. */

export interface TsigKeyText {
  readonly name: string;
  readonly algorithm: string;
  readonly secret: string;
}

/** `server`: a nameserver of this service. `zone`: a domain that the key is valid for. */
export function nsupdateLines({ name, algorithm, secret }: TsigKeyText, server: string, zone: string): string {
  return [
    `nsupdate -y ${algorithm}:${name}:${secret} <<'EOF'`,
    `server ${server}`,
    `zone ${zone}`,
    `update add test.${zone}. 300 A 192.0.2.1`,
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
