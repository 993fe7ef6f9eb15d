/** Content types of the files of a package, by their names, as hosts serve them. */

const TEXT = '; charset=utf-8';

const TYPES: ReadonlyMap<string, string> = new Map([
  ...['html', 'htm'].map((name) => [name, `text/html${TEXT}`] as const),
  ...['js', 'mjs', 'cjs'].map((name) => [name, `text/javascript${TEXT}`] as const),
  ...['xhtml', 'xht'].map((name) => [name, `application/xhtml+xml${TEXT}`] as const),
  ...['json', 'map', 'geojson'].map((name) => [name, `application/json${TEXT}`] as const),
  ...['txt', 'md'].map((name) => [name, `text/plain${TEXT}`] as const),
  ...['jpg', 'jpeg'].map((name) => [name, 'image/jpeg'] as const),
  ...['ogg', 'oga'].map((name) => [name, 'audio/ogg'] as const),
  ['css', `text/css${TEXT}`],
  ['csv', `text/csv${TEXT}`],
  ['vtt', `text/vtt${TEXT}`],
  ['xml', `application/xml${TEXT}`],
  ['svg', `image/svg+xml${TEXT}`],
  ['webmanifest', `application/manifest+json${TEXT}`],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['bmp', 'image/bmp'],
  ['ico', 'image/x-icon'],
  ['woff', 'font/woff'],
  ['woff2', 'font/woff2'],
  ['ttf', 'font/ttf'],
  ['otf', 'font/otf'],
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['opus', 'audio/ogg'],
  ['mp4', 'video/mp4'],
  ['m4v', 'video/mp4'],
  ['webm', 'video/webm'],
  ['ogv', 'video/ogg'],
  ['wasm', 'application/wasm'],
]);

/** Of a file whose name has no known extension. Browsers neither show nor run it. */
const UNKNOWN = 'application/octet-stream';

export function contentTypeOf(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1].toLowerCase();
  return (extension === undefined ? undefined : TYPES.get(extension)) ?? UNKNOWN;
}

/** A document in which scripts run. */
export const isPage = (type: string): boolean => type.startsWith('text/html');
/** A document of XML, in which scripts run as well. */
export const isXml = (type: string): boolean => /^[a-z]+\/(?:[a-z]+\+)?xml\b/.test(type);
