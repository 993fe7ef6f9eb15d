/**
 * The request of an endpoint's example for curl, the command line and the TypeScript client. Its
 * URL and token are those of the environment: WAYPOST_URL and WAYPOST_TOKEN.
 */
import { format } from 'node:util';
import type { Route } from '../route.ts';

export type PathValues = Readonly<Record<string, string | number>>;

type Sampled = Pick<
  Route,
  'method' | 'path' | 'scope' | 'query' | 'body' | 'bodyTypes' | 'form' | 'responseType' | 'response' | 'example'
>;

/** As in `x-codeSamples` of Redoc and others. */
export interface CodeSample {
  readonly lang: string;
  readonly label: 'curl' | 'CLI' | 'TypeScript';
  readonly source: string;
}

/** `values`: of the parameters in the path. */
export function samplesOf(route: Sampled, values: PathValues): CodeSample[] {
  const { command } = route.example ?? {};
  return [
    { lang: 'Shell', label: 'curl', source: curlOf(route, values) },
    ...(command === undefined ? [] : [{ lang: 'Shell', label: 'CLI', source: command } as const]),
    { lang: 'TypeScript', label: 'TypeScript', source: typeScriptOf(route, values) },
  ];
}

function curlOf(route: Sampled, values: PathValues): string {
  const { method, path, scope, bodyTypes, form, responseType, example = {} } = route;
  const { query = {}, body, file } = example;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]));
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
  );
  const isUsual = method === (body === undefined && file === undefined ? 'GET' : 'POST');
  const options = [
    ...(responseType === 'text/event-stream' ? ['-N'] : []),
    ...(kindOf(route) === 'blob' ? ['-o file'] : []),
    ...(isUsual ? [] : [`-X ${method}`]),
  ];
  const lines = [['curl', ...options, `"$WAYPOST_URL${filled}${search.size === 0 ? '' : `?${search}`}"`].join(' ')];
  if (scope !== null) lines.push('-H "Authorization: Bearer $WAYPOST_TOKEN"');
  if (form !== undefined) lines.push(`-F ${fileField(form)}=@${file}`);
  else if (file !== undefined) lines.push(`-H "Content-Type: ${bodyTypes?.[0]}"`, `--data-binary @${file}`);
  else if (body !== undefined) lines.push(`--json '${sourceOf(body, JSON_STYLE).replaceAll("'", "'\\''")}'`);
  return lines.join(' \\\n  ');
}

/** The field of a form that has the file. */
const fileField = ({ properties }: NonNullable<Route['form']>): string => Object.keys(properties)[0];

function typeScriptOf(route: Sampled, values: PathValues): string {
  const { method, path, scope, bodyTypes, form, response, example = {} } = route;
  const { query, body, file } = example;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const params = {
    ...(names.length > 0 && { path: Object.fromEntries(names.map((name) => [name, values[name]])) }),
    ...(query !== undefined && { query }),
  };
  const hasParams = Object.keys(params).length > 0;
  const before = [
    ...(file === undefined ? [] : ["import { openAsBlob } from 'node:fs';"]),
    ...["import { createClient } from 'waypost-client';", ''],
    `const waypost = createClient({ url: process.env.WAYPOST_URL${scope === null ? '' : ', token: process.env.WAYPOST_TOKEN'} });`,
  ];
  const rows = listIn(route);
  if (rows !== undefined) {
    const call = withOptions(`waypost.list('${path}', '${rows}'`, hasParams ? fieldsOf(params) : []);
    return [...before, `for await (const item of ${call}) {`, '  console.log(item);', '}'].join('\n');
  }
  const options = hasParams ? [`params: ${literal(params)}`] : [];
  if (form !== undefined) {
    before.push('const form = new FormData();');
    before.push(`form.append('${fileField(form)}', await openAsBlob('${file}'), '${file}');`);
    options.push('body: form');
  } else if (file !== undefined) options.push(`body: await openAsBlob('${file}', { type: '${bodyTypes?.[0]}' })`);
  else if (body !== undefined) options.push(`body: ${literal(body)}`);
  const kind = kindOf(route);
  if (kind !== 'json') options.push(`parseAs: '${kind}'`);
  const [field] = Object.keys(response?.properties ?? {});
  const variable = {
    json: field === undefined ? undefined : `{ ${field} }`,
    text: 'text',
    blob: 'file',
    stream: 'stream',
  }[kind];
  const call = withOptions(
    `${variable === undefined ? '' : `const ${variable} = `}await waypost.${method}('${path}'`,
    options,
  );
  const read = kind === 'stream' ? ['for await (const bytes of stream) process.stdout.write(bytes);'] : [];
  return [...before, `${call};`, ...read].join('\n');
}

/** How the client reads the response. */
function kindOf({ response, responseType }: Sampled): 'json' | 'text' | 'stream' | 'blob' {
  if (response !== undefined || responseType === undefined || responseType === 'application/json') return 'json';
  if (responseType === 'text/event-stream') return 'stream';
  return /^text\/|typescript$/.test(responseType) ? 'text' : 'blob';
}

/** The field with the list of a response in pages. */
function listIn({ query, response }: Sampled): string | undefined {
  const properties: Readonly<Record<string, { readonly type?: string }>> = response?.properties ?? {};
  if (query?.cursor === undefined) return undefined;
  return Object.keys(properties).find((name) => properties[name].type === 'array');
}

/** Characters of a line, and of a value on one line. */
const WIDTH = 90;
const SHORT = 70;

/** `call`: the source up to the options. */
function withOptions(call: string, options: readonly string[]): string {
  if (options.length === 0) return `${call})`;
  const line = `${call}, { ${options.join(', ')} })`;
  if (!line.includes('\n') && line.length <= WIDTH) return line;
  return `${call}, {\n${options.map((option) => `  ${indented(option)},\n`).join('')}})`;
}

interface Style {
  text(value: string): string;
  key(name: string): string;
  /** After the last item of several lines. */
  readonly trailing: '' | ',';
}

const JSON_STYLE: Style = { text: JSON.stringify, key: (name) => JSON.stringify(name), trailing: '' };
const TYPESCRIPT_STYLE: Style = {
  text: (value) => format('%o', value),
  key: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : `'${name}'`),
  trailing: ',',
};

/** A list or an object is on one line if it is short. */
function sourceOf(value: unknown, style: Style): string {
  if (typeof value === 'string') return style.text(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const isList = Array.isArray(value);
  const parts = isList ? value.map((item) => sourceOf(item, style)) : fieldsOf(value, style);
  const [open, close] = isList ? '[]' : '{}';
  if (parts.length === 0) return open + close;
  const blank = isList ? '' : ' ';
  const line = open + blank + parts.join(', ') + blank + close;
  if (line.length <= SHORT && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `  ${indented(part)}`).join(',\n')}${style.trailing}\n${close}`;
}

const fieldsOf = (value: object, style: Style = TYPESCRIPT_STYLE): string[] =>
  Object.entries(value).map(([name, inner]) => `${style.key(name)}: ${sourceOf(inner, style)}`);

const literal = (value: unknown): string => sourceOf(value, TYPESCRIPT_STYLE);

const indented = (text: string): string => text.replaceAll('\n', '\n  ');
