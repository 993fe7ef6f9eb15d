/** `waypost proxy`: the proxy of a domain. */
import { type Command, Option } from 'commander';
import type { CommandContext } from '../base/command.ts';
import { wholeNumber } from '../base/numbers.ts';
import { count } from '../base/table.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';
import { addProxyCertificate } from './certificate.ts';
import { PROXY } from './document.ts';
import { describeOriginTest, describeProxy } from './proxy-status.ts';
import { addProxyTail } from './tail.ts';

type HstsAge = number | 'none';

const seconds = wholeNumber(0, 63_072_000);
/** Commander replaces null, so "none" becomes null in the request. */
const hstsAge = (text: string): HstsAge => (text === 'none' ? 'none' : seconds(text));
const toMaxAge = (age: HstsAge | undefined) => (age === 'none' ? null : age);

/** `on`: the name of "all" in earlier versions. */
const HEURISTIC_CHOICES = ['off', 'static', 'all', 'on'] as const;

interface OriginOptions {
  readonly port?: number;
  readonly protocol?: 'http' | 'https';
}

const originOptions = () => [
  option('--port <n>', 'the port of the origin (default: 443)').argParser(wholeNumber(1, 65_535)),
  new Option('--protocol <protocol>', 'default: https for port 443, http for port 80').choices(['http', 'https']),
];

export function addProxyCommands(program: Command, context: CommandContext): void {
  const proxy = addAccountGroup(program, 'proxy', 'the proxy in front of the web servers of a domain', [
    'waypost proxy set example.com origin.example.net',
    'waypost proxy on example.com',
    'waypost proxy status example.com',
  ]);
  addVerb(proxy, context, {
    usage: 'set <domain> <origin>',
    about: 'set the origin server: a public address or host name',
    options: [
      ...originOptions(),
      option(
        '--hsts <seconds>',
        'the HSTS max-age for browsers; 0 revokes it, "none" sends no HSTS header (default: unchanged)',
      ).argParser(hstsAge),
      new Option(
        '--heuristic-freshness <which>',
        'responses without a lifetime that get one from Last-Modified: none, of static files, or all (default: unchanged; static for a new proxy)',
      ).choices(HEURISTIC_CHOICES),
      new Option(
        '--forwarded-header <state>',
        'whether requests to the origin have the header Forwarded (default: unchanged; on for a new proxy)',
      ).choices(['on', 'off']),
      new Option(
        '--lenient-responses <state>',
        'whether LF alone may end a line of the head of responses; only for origins that cannot be mended (default: unchanged; off for a new proxy)',
      ).choices(['on', 'off']),
    ],
    more: 'This command does not turn the proxy on or off.',
    examples: [
      'waypost proxy set example.com origin.example.net',
      'waypost proxy set example.com 198.51.101.7 --port 8080 --protocol http',
      'waypost proxy set example.com origin.example.net --hsts 31536000',
    ],
    async run(
      call: Call<
        OriginOptions & {
          hsts?: HstsAge;
          heuristicFreshness?: (typeof HEURISTIC_CHOICES)[number];
          forwardedHeader?: 'on' | 'off';
          lenientResponses?: 'on' | 'off';
        }
      >,
      [domainName, origin],
    ) {
      const { port, protocol, hsts, heuristicFreshness, forwardedHeader, lenientResponses } = call.options;
      const { id: domain_id } = await call.domain(domainName);
      const heuristics = heuristicFreshness === 'on' ? 'all' : heuristicFreshness;
      const body = await call.api.PUT(PROXY, {
        params: { path: { domain_id } },
        body: {
          origin,
          port,
          protocol,
          hsts_max_age: toMaxAge(hsts),
          heuristics,
          forwarded_header: forwardedHeader && forwardedHeader === 'on',
          lenient_responses: lenientResponses && lenientResponses === 'on',
        },
      });
      call.show(body, ...describeProxy(body));
      return true;
    },
  });
  addVerb(proxy, context, {
    usage: 'test <domain> <origin>',
    about: 'test an origin before it is set: its addresses, connection, certificate, and response',
    options: originOptions(),
    more: 'The exit code is 1 if a step fails. Nothing is changed.',
    examples: ['waypost proxy test example.com origin.example.net'],
    async run(call: Call<OriginOptions>, [domainName, origin]) {
      const { port, protocol } = call.options;
      const { id: domain_id } = await call.domain(domainName);
      const params = { path: { domain_id } };
      const body = await call.api.POST(`${PROXY}/test-origin`, { params, body: { origin, port, protocol } });
      call.show(body, ...describeOriginTest(origin, body.test));
      return body.test.ok;
    },
  });
  for (const [name, enable, about] of [
    ['on', true, 'turn the proxy on: proxied names resolve to the addresses of the proxy'],
    ['off', false, 'turn the proxy off: all names resolve to their own records'],
  ] as const) {
    addVerb(proxy, context, {
      usage: `${name} <domain>`,
      about,
      examples: [`waypost proxy ${name} example.com`],
      async run(call, [domainName]) {
        const { id: domain_id } = await call.domain(domainName);
        const body = await call.api.POST(`${PROXY}/toggle`, { params: { path: { domain_id } }, body: { enable } });
        call.show(body, ...describeProxy(body));
        return true;
      },
    });
  }
  addVerb(proxy, context, {
    usage: 'status <domain>',
    about: 'show the origin, the certificate, and names that reveal the origin’s address',
    examples: ['waypost proxy status example.com', 'waypost proxy status example.com --json | jq .proxy.exposed'],
    async run(call, [domainName]) {
      const { id: domain_id } = await call.domain(domainName);
      const body = await call.api.GET(PROXY, { params: { path: { domain_id } } });
      call.show(body, ...describeProxy(body));
      return true;
    },
  });
  addVerb(proxy, context, {
    usage: 'hsts <domain>',
    about: 'set whether browsers use only https for the domain (Strict-Transport-Security)',
    options: [
      option(
        '--max-age <seconds>',
        'how long browsers remember it; 0 revokes it, "none" sends no HSTS header (default: unchanged)',
      ).argParser(hstsAge),
      new Option('--include-subdomains <state>', 'for all names below the host too (default: unchanged)').choices([
        'on',
        'off',
      ]),
      new Option('--preload <state>', 'allow browsers to list the domain (default: unchanged)').choices(['on', 'off']),
    ],
    examples: [
      'waypost proxy hsts example.com --max-age 300',
      'waypost proxy hsts example.com --max-age 31536000 --include-subdomains on --preload on',
      'waypost proxy hsts example.com --max-age none',
    ],
    async run(
      call: Call<{ maxAge?: HstsAge; includeSubdomains?: 'on' | 'off'; preload?: 'on' | 'off' }>,
      [domainName],
    ) {
      const { maxAge, includeSubdomains, preload } = call.options;
      const { id: domain_id } = await call.domain(domainName);
      const body = await call.api.PATCH(PROXY, {
        params: { path: { domain_id } },
        body: {
          hsts_max_age: toMaxAge(maxAge),
          hsts_include_subdomains: includeSubdomains && includeSubdomains === 'on',
          hsts_preload: preload && preload === 'on',
        },
      });
      call.show(body, ...describeProxy(body));
      return true;
    },
  });
  addVerb(proxy, context, {
    usage: 'purge <domain>',
    about: 'purge the cache of the domain on every node, or the given part of it',
    options: [
      // Not --url, which is the URL of the daemon in every command.
      option('--resource <url...>', 'the responses for exactly these URLs'),
      option('--prefix <prefix...>', 'all URLs that start with this prefix'),
      option('--tag <tag...>', 'all responses with this cache tag'),
      option('--prefetch', 'fetch the URLs, or up to 100 of the most requested responses, from the origin again'),
    ],
    examples: [
      'waypost proxy purge example.com',
      'waypost proxy purge example.com --resource https://www.example.com/a.css https://www.example.com/b.js',
      'waypost proxy purge example.com --prefix https://www.example.com/news/ --tag home',
      'waypost proxy purge example.com --prefetch',
    ],
    async run(call: Call<{ resource?: string[]; prefix?: string[]; tag?: string[]; prefetch?: true }>, [domainName]) {
      const { resource: urls, prefix: prefixes, tag: tags, prefetch } = call.options;
      const { id: domain_id, domain } = await call.domain(domainName);
      const params = { path: { domain_id } };
      const body = await call.api.POST(`${PROXY}/purge`, { params, body: { urls, prefixes, tags, prefetch } });
      const parts = [
        ['URL', urls],
        ['prefix', prefixes],
        ['tag', tags],
      ] as const;
      const narrowed = parts.flatMap(([noun, given]) => (given === undefined ? [] : [count(given.length, noun)]));
      const what = narrowed.join(', ') || 'everything';
      call.show(body, `purging ${what} of ${domain} (id ${body.purge.id})`);
      return true;
    },
  });
  addProxyTail(proxy, context);
  addProxyCertificate(proxy, context);
}
