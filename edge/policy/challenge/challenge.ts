/**
 * The challenge for visitors of a site: a proof of work that a browser solves in a second or two,
 * or a short wait. A visitor that passes it receives a cookie. The cookie is bound to the domain
 * and the client's network, and is valid on every node. Clients that do not accept HTML receive 403
 * with plain text.
 *
 * A rule or a document requires the challenge with one call. The call answers the request unless
 * the visitor has passed:
 *
 *     if (!challenge.demand(exchange, site)) return;
 */
import { type ChallengeTerms, USUAL_PROTECTION } from '../../../core/site/protection/compile.ts';
import { fieldValue } from '../../cache/rules/fields.ts';
import { siteHost } from '../../http/exchange/authority.ts';
import type { Exchange } from '../../http/exchange/exchange.ts';
import { requestId } from '../../origin/origin.ts';
import { answerError, type ErrorPage } from '../../sites/error-page.ts';
import type { Site } from '../../sites/site.ts';
import { PAGE_FIELDS, renderPage, SOLUTION_PATH } from './page.ts';
import { ChallengeTokens, type Holder, isSolution } from './token.ts';

interface ChallengeOptions {
  /** Equal on all nodes. The first key signs; every key verifies. */
  readonly keys: readonly Uint8Array[];
  /** The network of the visitor. */
  networkOf(exchange: Exchange): string;
  /** The scheme that the visitor used. */
  schemeOf(exchange: Exchange): 'http' | 'https';
  /** Called with each response that the challenge has sent. */
  onAnswer(exchange: Exchange, site: Site, status: number, bytes: number, requestId: string): void;
  /** Seconds since 1970. */
  readonly now?: () => number;
}

const COOKIE = 'waypost-pass';
/** Maximum bytes of a form, which has a token, a nonce and a path. */
const MAX_FORM = 8192;
/** Matches a path on the same host: `//` and `/\` would lead to another host. */
const TARGET = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,2048}$/;
/** Maximum seconds of a pass that the visitor got by waiting. */
const MAX_WAITED_PASS = 900;
const DOT_SEGMENTS = /\.\.|%2e/i;

const REQUIRED: ErrorPage = {
  status: 403,
  code: 'challenge_required',
  title: 'This site checks its visitors',
  visitor: 'Open the site in a browser first; it then gets a cookie that lets further requests pass.',
  owner: 'Paths for programs can be left out of the challenge: "except" in the protection of the domain.',
};

export class Challenge {
  readonly #tokens: ChallengeTokens;

  constructor(private readonly options: ChallengeOptions) {
    this.#tokens = new ChallengeTokens(options.keys);
  }

  /** True: the visitor has passed. False: the request has been answered. */
  demand(exchange: Exchange, site: Site, terms?: ChallengeTerms): boolean {
    const { difficulty, wait, except } = terms ?? (site.documents?.protection ?? USUAL_PROTECTION).challenge;
    if (isExempt(exchange.path, except)) return true;
    const holder = this.#holderOf(exchange, site);
    const pass = passOf(exchange);
    if (pass !== undefined && this.#tokens.isPass(pass, holder, this.#now())) return true;
    if (acceptsPage(exchange)) this.#sendPage(exchange, site, holder, { difficulty, wait }, targetOf(exchange));
    else this.#refuse(exchange, site);
    return false;
  }

  /** Whether a request submits a solution, which `takeSolution` then answers. */
  isSolution({ method, path }: Exchange): boolean {
    return method === 'POST' && path === SOLUTION_PATH;
  }

  async takeSolution(exchange: Exchange, site: Site): Promise<void> {
    const form = await readForm(exchange);
    if (exchange.isEnded) return;
    const { validFor, difficulty, wait } = (site.documents?.protection ?? USUAL_PROTECTION).challenge;
    const holder = this.#holderOf(exchange, site);
    const now = this.#now();
    const [token, nonce, to] = ['token', 'nonce', 'to'].map((name) => form?.get(name) ?? '');
    const target = TARGET.test(to) ? to : '/';
    const puzzle = this.#tokens.readPuzzle(token, holder, now);
    const isSolved = puzzle !== undefined && isSolution(token, nonce, puzzle.difficulty);
    if (isSolved || (puzzle !== undefined && now >= puzzle.issuedAt + puzzle.wait)) {
      const seconds = isSolved ? validFor : Math.min(validFor, MAX_WAITED_PASS);
      const cookie = this.#cookie(exchange, this.#tokens.createPass(now + seconds, holder), seconds);
      exchange.respond(303, [
        'location',
        target,
        'set-cookie',
        cookie,
        'cache-control',
        'no-store',
        'content-length',
        '0',
      ]);
      exchange.end();
      this.options.onAnswer(exchange, site, 303, 0, '');
    } else if (acceptsPage(exchange))
      this.#sendPage(exchange, site, holder, puzzle ?? { difficulty, wait }, target, token);
    else this.#refuse(exchange, site);
  }

  /** `token`: the visitor's current puzzle, whose wait continues. Empty: creates a puzzle. */
  #sendPage(
    exchange: Exchange,
    site: Site,
    holder: Holder,
    { difficulty, wait, issuedAt }: { difficulty: number; wait: number; issuedAt?: number },
    target: string,
    token = '',
  ): void {
    const now = this.#now();
    const isReused = issuedAt !== undefined;
    const puzzle = isReused ? token : this.#tokens.createPuzzle({ issuedAt: now, difficulty, wait }, holder);
    const waitLeft = isReused ? Math.max(1, issuedAt + wait - now) : wait;
    const host = siteHost(exchange.authority);
    const body = Buffer.from(renderPage({ host, token: puzzle, difficulty, wait: waitLeft, target }));
    exchange.respond(403, [
      ...['content-type', 'text/html; charset=utf-8', 'content-length', String(body.length)],
      ...['cache-control', 'no-store', 'x-content-type-options', 'nosniff', 'server', 'waypost'],
      ...PAGE_FIELDS,
    ]);
    exchange.end(body);
    this.options.onAnswer(exchange, site, 403, exchange.method === 'HEAD' ? 0 : body.length, '');
  }

  #refuse(exchange: Exchange, site: Site): void {
    const id = requestId();
    const bytes = answerError(exchange, REQUIRED, id, site.documents?.errorPages);
    this.options.onAnswer(exchange, site, REQUIRED.status, bytes, id);
  }

  #cookie(exchange: Exchange, pass: string, seconds: number): string {
    // RFC 6265bis section 4.1.3.2: browsers bind a cookie with this prefix to the host.
    const [prefix, secure] = this.options.schemeOf(exchange) === 'https' ? ['__Host-', '; Secure'] : ['', ''];
    return `${prefix}${COOKIE}=${pass}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  }

  #holderOf(exchange: Exchange, { domainId }: Site): Holder {
    return { domainId, network: this.options.networkOf(exchange) };
  }

  #now(): number {
    return this.options.now?.() ?? Math.floor(Date.now() / 1000);
  }
}

function isExempt(path: string, prefixes: readonly string[]): boolean {
  if (prefixes.length === 0 || DOT_SEGMENTS.test(path)) return false;
  return prefixes.some((prefix) => path.startsWith(prefix));
}

/** Whether the client can show a page: it accepts text/html and loads a document. */
function acceptsPage({ headers, protocol }: Exchange): boolean {
  if (protocol !== '') return false;
  const destination = fieldValue(headers, 'sec-fetch-dest');
  if (destination !== undefined && destination !== 'document' && destination !== 'iframe') return false;
  return /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:[\s,]|$))/i.test(fieldValue(headers, 'accept') ?? '');
}

/** The path to return to with GET. The body of the refused request is lost. */
const targetOf = ({ path }: Exchange): string => (TARGET.test(path) ? path : '/');

function passOf({ headers }: Exchange): string | undefined {
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] !== 'cookie') continue;
    const pass = PASS.exec(headers[i + 1])?.[1];
    if (pass !== undefined) return pass;
  }
  return undefined;
}
const PASS = new RegExp(`(?:^|;\\s*)(?:__Host-)?${COOKIE}=([A-Za-z0-9_-]{1,64})(?:;|$)`);

/** Undefined: the body is too long or incomplete. */
async function readForm({ body }: Exchange): Promise<URLSearchParams | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (let part = await body.read(); part !== null; part = await body.read()) {
      length += part.length;
      if (length > MAX_FORM) {
        body.discard();
        return undefined;
      }
      parts.push(part);
    }
  } catch {
    return undefined;
  }
  return new URLSearchParams(Buffer.concat(parts).toString('latin1'));
}
