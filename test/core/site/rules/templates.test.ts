/** The templates do what they say: compiled, and by the reference. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkRules, RULE_TEMPLATES, RuleSet, safeLocation, TextTemplate } from '../../../../core/site/rules/index.ts';
import { interpret } from '../../../reference/rules.ts';
import { outcomeOf, requestOf } from './request.ts';

const test = suite('templates of rules');

const BROWSER = 'user-agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const DAY = 'kept for 86400 s unless the origin says otherwise';
const PAGE = 'kept for 300 s unless the origin says otherwise';
const SECURITY =
  'X-Content-Type-Options: nosniff; X-Frame-Options: SAMEORIGIN; Referrer-Policy: strict-origin-when-cross-origin; ' +
  'Permissions-Policy: camera=(), geolocation=(), microphone=()';

/** By the template's name: requests (see request.ts), and what happens with them. */
const TEMPLATES: Readonly<Record<string, readonly (readonly [request: string, result: string])[]>> = {
  'www-to-apex': [
    ['https://www.example.com/', 'redirect 301 https://example.com/'],
    ['http://www.example.com/a%20b/?c=d&e=%26', 'redirect 301 https://example.com/a%20b/?c=d&e=%26'],
    ['POST https://www.example.com/form?x', 'redirect 301 https://example.com/form?x'],
    ['https://www.example.com//evil.test/?', 'redirect 301 https://example.com//evil.test/?'],
    ['https://example.com/a?b', 'served'],
    ['https://shop.example.com/', 'served'],
    ['https://www.shop.example.com/', 'served'],
  ],
  'block-bad-bots': [
    ['/ | user-agent: Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)', 'deny 403'],
    ['/ | user-agent: MJ12BOT/v1.4.8', 'deny 403'],
    ['POST /login | user-agent: sqlmap/1.8#stable (https://sqlmap.org)', 'deny 403'],
    ['/ | user-agent: Nuclei - Open-source project', 'deny 403'],
    ['/robots.txt | user-agent: AhrefsBot/7.0', 'served'],
    ['/robots.txt?x=y | user-agent: AhrefsBot/7.0', 'served'],
    ['/robots.txt/x | user-agent: AhrefsBot/7.0', 'deny 403'],
    ['/a/robots.txt | user-agent: AhrefsBot/7.0', 'deny 403'],
    [`/ | ${BROWSER}`, 'served'],
    ['/ | user-agent: Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'served'],
    ['/AhrefsBot', 'served'],
  ],
  'cache-static': [
    ['/logo.png', DAY],
    ['/app.JS?v=2', DAY],
    ['/fonts/a%2Ewoff2', DAY],
    ['HEAD /style.css', DAY],
    ['POST /style.css', 'served'],
    ['/', 'served'],
    ['/page.html', 'served'],
    ['/png', 'served'],
    ['/index.php?file=a.png', 'served'],
    ['/logo.png/', 'served'],
  ],
  'security-headers': [
    ['/', SECURITY],
    ['POST https://any.example.com/x?y', SECURITY],
  ],
  next: [
    ['/', 'kept for at most 60 s'],
    ['HEAD /blog/a-post?_rsc=1a2b3', 'kept for at most 60 s'],
    ['/_next/data/Xy/index.json', 'kept for at most 60 s'],
    ['/_next/static/chunks/main-1a2b3.js', 'served'],
    ['/_next/image?url=%2Fa.png&w=640&q=75', 'served'],
    ['/ | cookie: __prerender_bypass=1a2b3', 'past the cache'],
    ['/ | cookie: theme=dark; __next_preview_data=x', 'past the cache'],
  ],
  wordpress: [
    ['/', PAGE],
    ['HEAD /2026/11/a-post/?utm_source=x', PAGE],
    ['POST /', 'served'],
    ['/ | cookie: theme=dark', PAGE],
    // Pages that are not for everybody.
    ['/ | cookie: wordpress_logged_in_5f2b=ann', 'past the cache'],
    ['/ | cookie: theme=dark; wordpress_logged_in_5f2b=ann', 'past the cache'],
    ['/ | cookie: wordpress_sec_5f2b=x', 'past the cache'],
    ['/ | cookie: comment_author_5f2b=ann', 'past the cache'],
    ['/ | cookie: comment_author_email_5f2b=ann', 'past the cache'],
    ['/ | cookie: wp-postpass_5f2b=x', 'past the cache'],
    ['/shop/ | cookie: woocommerce_items_in_cart=1', 'past the cache'],
    ['/shop/ | cookie: woocommerce_cart_hash=x', 'past the cache'],
    ['/shop/ | cookie: wp_woocommerce_session_5f2b=x', 'past the cache'],
    ['/ | cookie: x_wordpress_logged_in_5f2b=ann', PAGE],
    ['/ | cookie: wordpress_test_cookie=1', PAGE],
    ['/wp-admin/index.php', 'past the cache'],
    ['/wp-login.php', 'past the cache'],
    ['/wp-json/wp/v2/posts', 'past the cache'],
    ['/cart/', 'past the cache'],
    ['/checkout/', 'past the cache'],
    ['/my-account/', 'past the cache'],
    // Files.
    ['/wp-content/themes/a/style.css?ver=6', DAY],
    ['/wp-includes/js/jquery.js', DAY],
    ['/wp-content/uploads/2026/a.jpg | cookie: wordpress_logged_in_5f2b=ann', 'past the cache'],
    ['/wp-cron.php', 'served'],
    // Private ones.
    ['POST /xmlrpc.php', 'deny 403'],
    ['/XMLRPC.php', 'deny 403'],
    ['/wp-config.php', 'deny 403'],
    ['/readme.html', 'deny 403'],
    ['/license.txt', 'deny 403'],
    ['/wp-content/uploads/2026/shell.php', 'deny 403'],
    ['/wp-content/uploads/a.PHP7', 'deny 403'],
    ['/wp-content/uploads/a.phtml', 'deny 403'],
    ['/.git/config', 'deny 403'],
    ['/a/.env', 'deny 403'],
    ['/%2ehtaccess', 'deny 403'],
    ['/.well-known/security.txt', PAGE],
    // Attempts to sign in: see `passes`.
    ['POST /wp-login.php', 'past the cache'],
    ['POST /wp-login.php | over the limit', 'limit'],
    ['/wp-login.php | over the limit', 'past the cache'],
    ['POST /wp-comments-post.php | over the limit', 'served'],
  ],
};

/** In a domain of its own, as both the compiled rules and the reference see it. */
function resultOf(name: string, text: string): string {
  const rules = RULE_TEMPLATES.find((template) => template.name === name)!.rules('example.com');
  assert.equal(checkRules({ rules }), []);
  const isOver = text.endsWith(' | over the limit');
  const request = requestOf(text.replace(' | over the limit', ''));
  const set = new RuleSet({ rules });
  const outcome = outcomeOf(set, request, () => !isOver);
  assert.equal(
    outcome,
    interpret({ rules }, request, () => !isOver),
    'the reference',
  );
  assert.is(outcome.target, request.target);
  if (outcome.stoppedBy !== null) {
    const { action, match } = rules[outcome.stoppedBy];
    if (action.type === 'deny') return `deny ${action.status ?? 403}`;
    if (action.type !== 'redirect') return action.type;
    const location = safeLocation(new TextTemplate(action.location, match?.path).expand(request));
    return `redirect ${action.status ?? 302} ${location}`;
  }
  const { cache } = outcome;
  if (cache === 'bypass') return 'past the cache';
  if (cache !== null && cache.max >= 0) return `kept for at most ${cache.max} s`;
  if (cache !== null) return `kept for ${cache.ttl} s${cache.override ? '' : ' unless the origin says otherwise'}`;
  const headers = rules.flatMap(({ action }) =>
    action.type === 'set_response_header' && outcome.responseHeaders[action.name.toLowerCase()] === action.value
      ? [`${action.name}: ${action.value}`]
      : [],
  );
  return headers.length === 0 ? 'served' : headers.join('; ');
}

for (const [name, rows] of Object.entries(TEMPLATES))
  for (const [request, result] of rows)
    test(`${name}: ${request}`, () => {
      assert.is(resultOf(name, request), result);
    });

test('every template is tested', () => {
  assert.equal(
    Object.keys(TEMPLATES),
    RULE_TEMPLATES.map(({ name }) => name),
  );
});

test('WordPress: parameters of campaigns are no part of the key', () => {
  const rules = RULE_TEMPLATES.find(({ name }) => name === 'wordpress')!.rules('example.com');
  const set = new RuleSet({ rules });
  const request = requestOf('/post?utm_source=a&page=2&fbclid=b&gclid=c');
  assert.is(outcomeOf(set, request).stoppedBy, null);
  assert.is(set.changes.keyPathOf(request.target, []), '/post?page=2');
});

test.run();
