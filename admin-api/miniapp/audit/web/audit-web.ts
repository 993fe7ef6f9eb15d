/**
 * Audits the web content of a package: pages first, each followed by the scripts that it loads,
 * then the remaining files.
 */

import { OPERATIONS } from '../../bridge/operations.ts';
import type { PackageFile } from '../content.ts';
import type { AuditContext } from '../context.ts';
import { wholeFile } from '../findings.ts';
import { auditMarkup } from '../markup/audit-markup.ts';
import { mayNameUncovered } from '../policy/covered.ts';
import { concludeCovered, NAMING } from '../reach/conclude.ts';
import { auditScript } from '../script/audit-script.ts';
import { reportTagged } from '../script/check-makers.ts';
import { followGiven, isKnownFunction } from '../script/check-timers.ts';
import { reportUndefined } from '../script/check-undefined.ts';
import { type SourceKind, SourceText } from '../source-text.ts';
import { auditStyle } from '../style/audit-style.ts';
import type { LoadKind, Piece, WebContext } from './context.ts';

const MARKUP = /\.(?:[sx]?html?|xht|phtml|svgz?|xml|xslt?|mhtml|rdf|rss|atom|mml|mathml|xul)$/i;
const STYLE = /\.css$/i;
const SCRIPT = /\.(?:js|mjs|cjs|jsx)$/i;

const SDK = 'host-sdk.js';
/** Maximum characters of scripts whose trees stay in memory. A tree takes about 60 times that. */
const MAX_KEPT_CHARACTERS = 2 << 20;
const HOST_PERMISSIONS = new Set([...OPERATIONS.values()].map(({ permission }) => permission));

interface WebOptions {
  /** Files that are not audited: a host-sdk.js that matches an issued release. */
  readonly exempt?: ReadonlySet<string>;
  /**
   * Called with each text after it was audited as web content, so that callers need not read and
   * decode the file again.
   */
  readonly onText?: (source: SourceText, kind: SourceKind) => void;
}

interface Pass {
  readonly web: WebContext;
  readonly exempt: ReadonlySet<string>;
  /** Audited files: the kind of content, a space and the path. */
  readonly done: Set<string>;
  /** Files that were audited as scripts of some kind. */
  readonly scripts: Set<string>;
  readonly onText: (source: SourceText, kind: SourceKind) => void;
}

export async function auditWeb(context: AuditContext, options: WebOptions = {}): Promise<void> {
  // Not spread: writes to `undeterminable` must reach the caller's context.
  const web: WebContext = Object.assign(context, {
    pieces: [],
    waiting: [],
    scripts: [],
    covered: [],
    classicScripts: 0,
    hasDataScript: false,
    retyped: [],
    isDocumentHandedOn: false,
    suspects: [],
    functions: new Set<string>(),
    texts: new Set<string>(),
    renamed: new Map(),
    timers: [],
    given: new Map(),
    makers: new Map(),
    passedOn: [],
    tagged: [],
    undefined: [],
    defined: new Set<string>(),
    redefined: new Set<string>(),
    members: new Set<string>(),
    room: MAX_KEPT_CHARACTERS,
    embedded: 0,
    globals: new Map(),
  });
  const { exempt = new Set<string>(), onText = () => {} } = options;
  const pass: Pass = { web, exempt, done: new Set(), scripts: new Set(), onText };
  const paths = [...context.files.keys()].sort(entryFirst(context.manifest?.entry));
  for (const path of paths) {
    if (/\.wasm$/i.test(path)) context.findings.add('webassembly', wholeFile(path), 'This file holds compiled code.');
    if (MARKUP.test(path) || (await isPage(web.files.get(path)!)))
      await auditFile(pass, path, 'markup', (source) => auditMarkup(source, 'file', web));
  }
  const background = context.manifest?.background?.entry;
  if (background !== undefined) await auditLoad(pass, background, 'background');
  for (const path of paths) {
    if (STYLE.test(path)) await auditLoad(pass, path, 'style');
    if (!SCRIPT.test(path) || exempt.has(path) || pass.scripts.has(path)) continue;
    if (path !== SDK)
      context.findings.add('script_unreferenced', wholeFile(path), 'No page, module or worker loads this file.');
    await auditLoad(pass, path, path.toLowerCase().endsWith('.mjs') ? 'module' : 'unknown');
  }
  if (web.hasDataScript)
    for (const at of web.retyped)
      context.findings.add(
        'script_element',
        at,
        'A script of another type, which a page has, may become one that runs.',
      );
  if (web.isDocumentHandedOn)
    for (const suspect of web.suspects)
      if (web.scripts[suspect.script].kind !== 'background')
        web.covered.push({ ...suspect, code: 'global_of_unknown', fix: undefined });
      else context.findings.add('global_of_unknown', suspect.position, suspect.message);
  followGiven(web);
  // Names added during iteration are visited too.
  for (const names of [web.functions, web.texts])
    for (const name of names) for (const other of web.renamed.get(name) ?? []) names.add(other);
  for (const timer of web.timers)
    if (!isKnownFunction(timer, web)) web.covered.push({ ...timer, code: 'timer_undeterminable', fix: undefined });
  reportTagged(web);
  concludeCovered(web, web.covered.some(({ code }) => NAMING.has(code)) && (await namesUncovered(web, exempt)));
  reportUndefined(web);
  checkScheduled(context);
  if (!context.undeterminable) checkUnused(context);
}

/** Whether a text of the package may name a feature that the policy does not cover. */
async function namesUncovered({ files, scripts }: WebContext, exempt: ReadonlySet<string>): Promise<boolean> {
  const texts = new Map(scripts.map(({ source }) => [source.file, source.text]));
  for (const file of files.values()) {
    if (exempt.has(file.path) || !TEXT.test(file.path)) continue;
    const text = texts.get(file.path) ?? (await file.read())?.toString('latin1');
    if (text !== undefined && mayNameUncovered(text)) return true;
  }
  return false;
}

/** Files that may contain a script, or a name that a script reads. */
const TEXT = /\.(?:[cm]?jsx?|[sx]?html?|svg|xml|css|json|map|md|txt|csv|vtt|webmanifest)$/i;

/** File types that browsers do not sniff. */
const KNOWN =
  /\.(?:json|map|md|txt|csv|png|jpe?g|gif|webp|avif|bmp|ico|mp3|m4a|aac|og[gav]|opus|wav|flac|mp4|m4v|webm|mov|vtt|woff2?|ttf|otf|eot|wasm|pdf|zip)$/i;
/** The beginning of an HTML page (WHATWG MIME Sniffing, 7.1). */
const PAGE =
  /^\s*<(?:!--|\?xml\s|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>])/i;
const SNIFFED_BYTES = 1445;

/** Browsers sniff the content of files of unknown type. */
async function isPage(file: PackageFile): Promise<boolean> {
  if (KNOWN.test(file.path) || STYLE.test(file.path) || SCRIPT.test(file.path)) return false;
  const bytes = await file.read();
  return bytes !== undefined && PAGE.test(bytes.toString('latin1', 0, SNIFFED_BYTES).replace(/^\xef\xbb\xbf/, ''));
}

/** Reports scheduled tasks without a handler in the manifest. */
function checkScheduled({ findings, manifest, used }: AuditContext): void {
  const scheduled = used.get('background');
  if (scheduled === undefined || manifest?.background?.events.includes('schedule')) return;
  findings.add('host_schedule_unheard', scheduled, 'background.events in manifest.json does not list "schedule".');
}

/** Reports permissions that no call needs. */
function checkUnused({ findings, manifest, used }: AuditContext): void {
  for (const permission of manifest?.permissions ?? [])
    if (HOST_PERMISSIONS.has(permission) && !used.has(permission))
      findings.add(
        'host_permission_unused',
        wholeFile('manifest.json'),
        `No script calls an operation of Host that needs ${permission}.`,
      );
}

async function auditLoad(pass: Pass, path: string, kind: LoadKind): Promise<void> {
  const { web } = pass;
  if (kind === 'style')
    await auditFile(pass, path, kind, (source) => auditStyle(source, 0, source.text.length, false, web));
  else {
    pass.scripts.add(path);
    await auditFile(pass, path, kind, (source) => auditScript(source, 0, source.text.length, kind, web));
  }
}

/** Audits the files that are queued because other content loads them. */
async function auditWaiting(pass: Pass): Promise<void> {
  for (const { path, kind } of pass.web.waiting.splice(0)) await auditLoad(pass, path, kind);
}

/**
 * Audits a file, then the files that it loads, then its embedded pieces. Script files mostly
 * precede inline scripts, hence the order.
 */
async function auditFile(
  pass: Pass,
  path: string,
  kind: LoadKind | 'markup',
  audit: (source: SourceText) => void,
): Promise<void> {
  const { web, done } = pass;
  const key = `${kind} ${path}`;
  if (done.has(key) || pass.exempt.has(path)) return;
  done.add(key);
  const source = await sourceOf(web, web.files.get(path));
  if (source === undefined) return;
  audit(source);
  pass.onText(source, kind === 'markup' || kind === 'style' ? kind : 'script');
  const pieces = web.pieces.splice(0);
  if (kind === 'markup') web.classicScripts += classicOf(pass, pieces);
  await auditWaiting(pass);
  for (let index = 0; index < pieces.length; index++) {
    auditPiece(pieces[index], web);
    for (const piece of web.pieces.splice(0)) pieces.push(piece);
  }
  await auditWaiting(pass);
}

function classicOf({ web, exempt }: Pass, pieces: readonly Piece[]): number {
  const inPage = pieces.filter(
    (piece) => piece.type === 'script' && (piece.kind === 'script' || piece.kind === 'handler'),
  );
  return inPage.length + web.waiting.filter(({ path, kind }) => kind === 'script' && !exempt.has(path)).length;
}

function auditPiece(piece: Piece, web: WebContext): void {
  const { source } = piece;
  switch (piece.type) {
    case 'script':
      auditScript(source, piece.start, piece.end, piece.kind, web);
      break;
    case 'style':
      auditStyle(source, piece.start, piece.end, piece.inline, web);
      break;
    case 'markup':
      auditMarkup(source, piece.origin, web);
      break;
  }
}

async function sourceOf(web: WebContext, file: PackageFile | undefined): Promise<SourceText | undefined> {
  const bytes = await file?.read();
  if (file === undefined || bytes === undefined) return undefined;
  try {
    return new SourceText(file.path, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    web.findings.add('text_not_utf8', wholeFile(file.path), 'This file is not UTF-8.');
    // Audited as Latin-1, which preserves all ASCII characters.
    return new SourceText(file.path, bytes.toString('latin1'));
  }
}

const entryFirst =
  (entry: string | undefined) =>
  (a: string, b: string): number =>
    Number(b === entry) - Number(a === entry) || (a < b ? -1 : 1);
