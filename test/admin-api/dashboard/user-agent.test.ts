/** How the list of signed-in browsers names them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describeBrowser } from '../../../admin-api/dashboard/user-agent.ts';

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0';

const CASES: readonly (readonly [string | null, string])[] = [
  [`Mozilla/5.0 (X11; Linux x86_64) ${CHROME} Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/130.0.0.0`, 'Edge on Windows'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, 'Chrome on Android'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
    'Safari on iOS',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  ['curl/8.5.0', 'curl'],
  ['<img src=x>', '<img src=x>'],
  ['x'.repeat(100), 'x'.repeat(60)],
  ['', 'Unknown browser'],
  [null, 'Unknown browser'],
];

test('browser and system by the User-Agent', () => {
  for (const [userAgent, expected] of CASES) assert.is(describeBrowser(userAgent), expected);
});

test.run();
