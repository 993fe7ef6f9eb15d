/** Removes secrets and customer data from text, and finds remaining secrets. */
import { isIP } from 'node:net';

/** A secret that this process has read, and its name for people. */
export interface KnownSecret {
  /** Such as `admin.password` or the path of a file. Never the value. */
  readonly name: string;
  readonly value: string;
}

/** Shorter values would match ordinary text. */
const MIN_SECRET = 6;
export const HIDDEN = '(secret)';

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
  [/AGE-SECRET-KEY-[A-Z0-9-]+/gi, HIDDEN],
  // Credentials of HTTP (RFC 9110 11.4), and a JSON Web Token.
  [/\b(Bearer|Basic|Digest)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${HIDDEN}`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, HIDDEN],
  [/\bwps?_\w+/g, HIDDEN],
  // The user information of a URL (RFC 3986 3.2.1).
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"']+@/gi, `$1${HIDDEN}@`],
  // Prose: "the password is …", followed by a word with a digit or a capital.
  [/\b(pass(?:word|phrase)\s+(?:is\s+)?)(?=\S*[\dA-Z])\S{6,}/g, `$1${HIDDEN}`],
  // Fields and parameters of URLs: key=value, "key":"value".
  [
    /(["']?\b[\w.-]*(?:password|passwd|secret|token|api_?key|access_?key|private_?key|signature|credential|cookie)s?["']?\s*[=:]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;&"')}\]]+)/gi,
    `$1${HIDDEN}`,
  ],
];

/** The line of the first start (admin-api/cli/node/welcome.ts), which stays in the journal. */
const FIRST_PASSWORD = /has the password\s+(\S+)/g;

/** Passwords that the daemon logs on purpose. Other lines may contain them too. */
export const secretsInLog = (log: string): KnownSecret[] =>
  [...log.matchAll(FIRST_PASSWORD)].map(([, value]) => ({ name: 'the password of the first start', value }));

/** Removes apparent secrets from free text, such as log lines. */
export function hideCredentials(text: string): string {
  return PATTERNS.reduce((rest, [pattern, instead]) => rest.replaceAll(pattern, instead), text);
}

/** Removes the user information and the values of parameters from URLs in a setting. */
export function hideInUrl(text: string): string {
  return text
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]+@/gi, `$1${HIDDEN}@`)
    .replaceAll(/([?&][^=&\s]+=)[^&\s#]+/g, `$1${HIDDEN}`);
}

export function hideSecrets(text: string, secrets: readonly KnownSecret[]): string {
  let rest = text;
  for (const { value } of [...secrets].sort((a, b) => b.value.length - a.value.length))
    if (value.length >= MIN_SECRET) for (const form of formsOf(value)) rest = rest.replaceAll(form, HIDDEN);
  return rest;
}

/** Possible encodings of a value in a text. */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  const forms = [
    ...[value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), encodeURI(value)],
    ...[base64, bytes.toString('base64url'), bytes.toString('hex'), bytes.toString('hex').toUpperCase()],
  ];
  return [...new Set(forms)].filter(({ length }) => length >= MIN_SECRET);
}

/** Names of the secrets that a text contains in any encoding. */
export function findSecrets(text: string, secrets: readonly KnownSecret[]): string[] {
  const found = secrets.filter(
    ({ value }) => value.length >= MIN_SECRET && formsOf(value).some((f) => text.includes(f)),
  );
  return found.map(({ name }) => name);
}

/** Fields of logs and reports that contain names and addresses of customers. */
const FIELDS =
  /(["']?\b(?:domain|zone|apex|name|owner|host|hostname|sni|account|login|user|email|url|path|target|origin|qname|query|subject|client|address|from|record|content)["']?\s*[=:]\s*)("(?:[^"\\]|\\.)*"|[^\s,;"')}\]]+)/gi;
const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const HOST = /(?:[\w*-]+\.)+[a-z][\w-]*\.?/gi;
const ADDRESS = /(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})(?![\w:])/gi;

/** Replaces each customer name with a number, which is the same at each occurrence. */
export class NameHider {
  readonly #domains: ReadonlySet<string>;
  readonly #serviceNames: ReadonlySet<string>;
  readonly #numbers = new Map<string, number>();

  /**
   * `domains`: apexes in lower case. `serviceNames`: names and addresses of the service, which are
   * kept.
   */
  constructor(domains: Iterable<string>, serviceNames: Iterable<string>) {
    this.#domains = new Set(domains);
    this.#serviceNames = new Set(serviceNames);
  }

  /** Replaces names in domains of the store. */
  hideDomains(text: string): string {
    return text.replaceAll(HOST, (match) => {
      const name = match.toLowerCase().replace(/\.$/, '');
      if (this.#serviceNames.has(name)) return match;
      for (let rest = name; rest !== ''; rest = rest.slice(rest.indexOf('.') + 1)) {
        if (this.#domains.has(rest)) return `(name ${this.#number(name)})`;
        if (!rest.includes('.')) break;
      }
      return match;
    });
  }

  /** Also replaces fields with names, e-mail addresses and IP addresses. For logs. */
  hideAll(text: string): string {
    return this.hideDomains(text)
      .replaceAll(FIELDS, (match, field: string, value: string) => {
        const plain = value.replace(/^"(.*)"$/, '$1');
        if (this.#serviceNames.has(plain.toLowerCase())) return match;
        const quote = value.startsWith('"') ? '"' : '';
        return `${field}${quote}(name ${this.#number(plain)})${quote}`;
      })
      .replaceAll(EMAIL, (match) => `(name ${this.#number(match)})`)
      .replaceAll(ADDRESS, (match) =>
        isIP(match) === 0 || this.#serviceNames.has(match) ? match : `(address ${this.#number(match)})`,
      );
  }

  #number(name: string): number {
    const number = this.#numbers.get(name) ?? this.#numbers.size + 1;
    this.#numbers.set(name, number);
    return number;
  }
}
