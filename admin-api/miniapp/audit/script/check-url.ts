/** Checks URLs that a script passes to elements, workers and the location. */
import type { AnyNode } from 'acorn';
import { locate } from '../web/location.ts';
import { loadScript } from '../web/references.ts';
import { type Gravity, placeOf, report, type ScriptView, written } from './script-view.ts';
import { PLACEHOLDER, type Value, type Values } from './values.ts';

/** The use of a URL. */
export type UrlRole =
  /** `source`: the source of an unknown element. */
  'resource' | 'source' | 'script' | 'worker' | 'link' | 'navigation';

export function checkUrl(view: ScriptView, node: AnyNode, values: Values, role: UrlRole): void {
  for (const value of values) {
    if (value.kind === 'fetched') {
      if (role === 'script' || role === 'worker')
        report(view, 'fetched_code', node, `What Host.network.fetch has brought is the URL of a ${role}.`);
      continue;
    }
    const url = value.kind === 'constant' ? String(value.value) : value.kind === 'text' ? value.start : undefined;
    if (url === undefined || isUnset(view, value, values)) continue;
    const location = locate(url, view.source.file);
    if (location.kind === 'code')
      report(
        view,
        'javascript_url',
        node,
        `${written(view, node)} is a javascript: URL.`,
        undefined,
        (NO_OP.test(url) || THROW_STATEMENT.test(url)) && value.kind === 'constant' ? { level: 'notice' } : {},
      );
    else if (role === 'worker') checkWorker(view, node, url, value.kind === 'constant');
    else if (location.kind === 'remote') {
      if (role === 'script') report(view, 'remote_script', node, `A script is loaded from ${location.host}.`);
      else if (role === 'source')
        report(view, 'remote_source', node, `Something, which may be a script, is loaded from ${location.host}.`);
      else if (role === 'resource') report(view, 'remote_resource', node, `Something is loaded from ${location.host}.`);
      else if (role === 'navigation' || location.isDevice)
        report(view, 'remote_navigation', node, `The app navigates to ${location.host}.`);
    } else if ((role === 'script' || role === 'source') && location.kind === 'file' && value.kind === 'constant')
      loadIfThere(view, node, location.path, role);
    else if (role === 'script' && (location.kind === 'data' || location.kind === 'blob'))
      report(view, 'remote_script', node, `A script is loaded from a ${location.kind}: URL.`);
  }
  if (role === 'navigation' && values.some(isOpen))
    report(view, 'navigation_undeterminable', node, `Where ${written(view, node)} leads cannot be determined.`);
  if (role === 'worker' && values.some(({ kind }) => kind !== 'constant' && kind !== 'fetched'))
    report(view, 'worker_undeterminable', node, `Which script ${written(view, node)} is cannot be determined.`);
}

/** `javascript:void(0)` */
const NO_OP = /^javascript:(?:void(?: 0|\(0\))|0|false|""|'')?;?$/i;

/** React's replacement for a javascript: URL. */
const THROW_STATEMENT = /^javascript:throw (?:new )?Error\((?:'[^'\\]*'|"[^"\\]*")\);?$/;

/** An initial value of a variable that later holds a URL, unless a file has that name. */
function isUnset(view: ScriptView, value: Value, values: Values): boolean {
  if (value.kind !== 'constant' || values.length === 1) return false;
  if (value.value === '') return true;
  return (value.value === null || value.value === undefined) && !view.context.files.has(String(value.value));
}

/** The beginning of the URL is unknown. */
function isOpen(value: Value): boolean {
  switch (value.kind) {
    case 'text':
      return value.start.startsWith(PLACEHOLDER);
    // Texts of the document, and globals of other scripts.
    case 'global':
      return !OF_PAGE.has(value.path);
    case 'unknown':
    case 'fetched':
    case 'receiver':
      return true;
    default:
      return false;
  }
}

/** The URL of the page, and its parts that a URL of the package may begin with. */
const OF_PAGE = new Set([
  ...['location', 'location.href', 'location.origin', 'location.pathname', 'location.search', 'location.hash'],
  ...['document.URL', 'document.documentURI', 'document.baseURI', 'origin'],
]);

/** Loads an existing file as a script. An unknown element may load media or a page instead. */
function loadIfThere(view: ScriptView, node: AnyNode, path: string | undefined, role: UrlRole): void {
  const isThere = path !== undefined && view.context.files.has(path);
  if (isThere && (role === 'script' || !MEDIA.test(path))) load(view, node, path, 'script');
}

const MEDIA =
  /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|svg|mp3|m4a|aac|ogg|oga|opus|wav|flac|mp4|m4v|webm|mov|ogv|vtt|html?|xhtml)$/i;

function checkWorker(view: ScriptView, node: AnyNode, url: string, isKnown: boolean): void {
  const location = locate(url, view.source.file);
  if (location.kind !== 'file') {
    const where = location.kind === 'remote' ? location.host : `a ${location.kind}: URL`;
    // The policy blocks workers from blob: URLs.
    const gravity: Gravity = location.kind === 'blob' ? { reached: 'review' } : {};
    report(view, 'worker_from_code', node, `A worker is started from ${where}.`, undefined, gravity);
    return;
  }
  if (!isKnown) return;
  // Relative to the page, or with import.meta.url relative to the script. The file must exist at
  // one of the two paths.
  const { files, manifest } = view.context;
  const { path } = location;
  const ofPage = locate(url, manifest?.entry ?? '');
  const isOfPage = ofPage.kind === 'file' && ofPage.path !== undefined && files.has(ofPage.path);
  if (isOfPage && ofPage.path !== path) load(view, node, ofPage.path, 'script');
  if (!isOfPage || (path !== undefined && files.has(path))) load(view, node, path, 'script');
}

export function load(view: ScriptView, node: AnyNode, path: string | undefined, kind: 'script' | 'module'): void {
  loadScript(view.context, path, kind, placeOf(view, node));
}
