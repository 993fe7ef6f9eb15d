/** Requests as a browser sends them. */

/** The host of the requests and of the certificates. */
export const DOMAIN = 'example.com';
export const HOST = `www.${DOMAIN}`;

/** Paths and what they are answered with: bytes of the body. */
export const BODIES = { '/small': 2000, '/large': 100_000 } as const;
export type Path = keyof typeof BODIES;

/** Chrome's twelve on a click, with 500 bytes of cookies, as login and analytics leave them. */
export const BROWSER_HEADERS: readonly (readonly [name: string, value: string])[] = [
  [
    'user-agent',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  ],
  ['accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8'],
  ['accept-encoding', 'gzip, deflate, br, zstd'],
  ['accept-language', 'en-GB,en;q=0.9,de;q=0.8'],
  ['referer', 'https://www.example.com/catalogue/shoes/running?sort=price&page=3'],
  ['sec-ch-ua', '"Chromium";v="131", "Not_A Brand";v="24", "Google Chrome";v="131"'],
  ['sec-ch-ua-mobile', '?0'],
  ['sec-ch-ua-platform', '"Linux"'],
  ['sec-fetch-dest', 'document'],
  ['sec-fetch-mode', 'navigate'],
  ['sec-fetch-site', 'same-origin'],
  ['cookie', cookies(500)],
];

function cookies(length: number): string {
  let text = 'session=';
  for (let seed = 1; text.length < length; seed = (seed * 48_271) % 2_147_483_647)
    text += text.length % 90 < 10 ? `; c${seed % 97}=` : (seed % 1_000_000).toString(36);
  return text.slice(0, length);
}
