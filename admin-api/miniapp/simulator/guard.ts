/**
 * The first script of each page of an app in the simulator. It reports to the page around the frame
 * what the browser refuses without a report: windows, forms, downloads, dialogs. It also relays the
 * console. The sandbox does not depend on it, with two exceptions for browsers that do not know
 * Connection-Allowlist: WebRTC, and frames in which WebRTC would be there again.
 *
 * It keeps what it needs in variables before the app runs, and the app reaches none of them. What
 * an app sees of its page is as without the guard.
 */
import { LEVELS, LONGEST_DETAIL, LONGEST_TEXT } from './notices.ts';

/** Notices of a page at once, and in each second after that. */
const BURST = 200;
const PER_SECOND = 50;

/** Of browsers, as text, since no code of Node has their types. ES2017, as the SDK. */
export const GUARD = `(function () {
'use strict';
var me = document.currentScript;
if (me) me.remove();
if (window === parent) return;
var apply = Reflect.apply, define = Reflect.defineProperty, describe = Reflect.getOwnPropertyDescriptor;
var page = parent, send = parent.postMessage, text = String, now = performance.now.bind(performance);
var Failure = DOMException, later = setTimeout, isArray = Array.isArray;
var join = Array.prototype.join, slice = String.prototype.slice, stringify = JSON.stringify;
var tokens = ${BURST}, filledAt = now(), dropped = 0, summary = false;

function post(message) {
  message.waypost = 'guard';
  try { apply(send, page, [message, '*']); } catch (error) {}
}
function notify(notice) {
  var time = now();
  tokens = tokens + (time - filledAt) / 1000 * ${PER_SECOND};
  if (tokens > ${BURST}) tokens = ${BURST};
  filledAt = time;
  if (tokens >= 1) { tokens--; post({ type: 'notice', notice: notice }); return; }
  dropped++;
  if (!summary) { summary = true; later(function () {
    var count = dropped;
    dropped = 0; summary = false;
    post({ type: 'notice', notice: { kind: 'dropped', count: count } });
  }, 1000); }
}
function cut(value, limit) {
  var result = '';
  try { result = apply(slice, text(value), [0, limit]); } catch (error) { result = '(no text)'; }
  return result;
}
function block(attempt, detail) {
  notify({ kind: 'blocked', attempt: attempt, detail: cut(detail, ${LONGEST_DETAIL}) });
}

// The console.
function show(value) {
  try {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return value.stack && value.stack.indexOf(text(value)) === 0 ? value.stack : text(value) + '\\n' + value.stack;
    if (typeof value === 'object' && value !== null) {
      var json = stringify(value);
      return json === '{}' || json === undefined ? text(value) : json;
    }
    return text(value);
  } catch (error) { return '(no text)'; }
}
function print(level, values) {
  var parts = [];
  for (var i = 0; i < values.length && i < 32; i++) define(parts, i, { value: cut(show(values[i]), ${LONGEST_TEXT}), writable: true, enumerable: true, configurable: true });
  notify({ kind: 'console', level: level, text: cut(apply(join, parts, [' ']), ${LONGEST_TEXT}) });
}
${JSON.stringify(LEVELS)}.forEach(function (level) {
  wrap(console, level, function (values) { print(level, values); });
});
listen(window, 'error', function (event) {
  if (event.message === undefined) return;
  print('error', [event.error instanceof Error ? event.error : event.message]);
});
listen(window, 'unhandledrejection', function (event) { print('error', ['Not caught:', event.reason]); });

// Functions that the sandbox refuses: reported, and then called.
function listen(target, type, listener) {
  target.addEventListener(type, function (event) { if (event.isTrusted) listener(event); }, true);
}
function wrap(owner, name, report) {
  var property = owner && describe(owner, name);
  if (!property || typeof property.value !== 'function') return;
  var original = property.value;
  var wrapped = new Proxy(original, { apply: function (target, self, values) {
    try { report(values, self); } catch (error) {}
    return apply(target, self, values);
  } });
  define(owner, name, { value: wrapped, writable: property.writable, enumerable: property.enumerable, configurable: property.configurable });
}
function wrapMade(name, report) {
  var property = describe(window, name);
  if (!property || typeof property.value !== 'function') return;
  define(window, name, { value: new Proxy(property.value, { construct: function (target, values, made) {
    try { report(values); } catch (error) {}
    return Reflect.construct(target, values, made);
  } }), writable: true, enumerable: false, configurable: true });
}
function wrapRead(owner, name, attempt, field) {
  var property = owner && describe(owner, name);
  if (!property || !property[field || 'get']) return;
  var original = property[field || 'get'];
  property[field || 'get'] = new Proxy(original, { apply: function (target, self, values) {
    block(attempt, name);
    return apply(target, self, values);
  } });
  define(owner, name, property);
}
var prototypeOf = function (name) { return window[name] && window[name].prototype; };

wrap(window, 'open', function (values) { block('popup', values.length ? values[0] : 'about:blank'); });
['alert', 'confirm', 'prompt', 'print'].forEach(function (name) {
  wrap(window, name, function (values) { block('dialog', name + (values.length ? ': ' + text(values[0]) : '')); });
});
wrap(prototypeOf('HTMLFormElement'), 'submit', function (values, form) { block('form', form.action); });
// An app that handles its form prevents the default, if in a later listener.
window.addEventListener('submit', function (event) {
  later(function () { if (!event.defaultPrevented) block('form', event.target.action); });
});
['requestFullscreen', 'webkitRequestFullscreen', 'requestPointerLock'].forEach(function (name) {
  wrap(prototypeOf('Element'), name, function () { block('device', name); });
});
['localStorage', 'sessionStorage', 'indexedDB', 'caches', 'cookieStore'].forEach(function (name) { wrapRead(window, name, 'storage'); });
wrapRead(prototypeOf('Document'), 'cookie', 'storage');
wrapRead(prototypeOf('Document'), 'cookie', 'storage', 'set');
wrapRead(prototypeOf('Navigator'), 'serviceWorker', 'worker');
['Worker', 'SharedWorker'].forEach(function (name) { wrapMade(name, function (values) { block('worker', values[0]); }); });

// Downloads and links to other windows by a click, or by click() of an element that is in no
// document.
function checkLink(link, event) {
  var isOther = link.protocol !== 'javascript:' && (link.origin !== location.origin || link.protocol !== location.protocol);
  if (link.hasAttribute('download')) block('download', link.href);
  else if (link.target && link.target !== '_self') block(link.target === '_blank' ? 'popup' : 'navigation', link.target + ' ' + link.href);
  else if (isOther) block('navigation', link.href);
  // The page around refuses it as well, but then the app is gone.
  if (isOther && event) event.preventDefault();
}
var isLink = function (node) { return node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement; };
function checkClick(event) {
  var path = event.composedPath();
  for (var i = 0; i < path.length; i++) {
    if (isLink(path[i]) && path[i].href) return checkLink(path[i], event);
  }
}
window.addEventListener('click', checkClick, true);
wrap(prototypeOf('HTMLElement'), 'click', function (values, node) { if (isLink(node) && !node.isConnected && node.href) checkLink(node); });

// What the Permissions-Policy and Connection-Allowlist refuse.
if (window.ReportingObserver) {
  new ReportingObserver(function (reports) {
    reports.forEach(function (report) {
      var body = report.body || {};
      if (report.type === 'permissions-policy-violation') block('device', body.featureId);
      else if (report.type !== 'csp-violation') print('warn', [report.type, body.message || stringify(body)]);
    });
  }, { buffered: true }).observe();
}

// WebRTC.
['RTCPeerConnection', 'webkitRTCPeerConnection', 'mozRTCPeerConnection'].forEach(function (name) {
  if (!window[name]) return;
  var refuse = function () {
    block('webrtc', name);
    throw new Failure('The sandbox has no WebRTC.', 'NotAllowedError');
  };
  var original = window[name];
  var refused = new Proxy(function () {}, {
    apply: refuse, construct: refuse,
    get: function (target, key) { return key === 'prototype' ? {} : undefined; },
  });
  try { original.prototype.constructor = refused; } catch (error) {}
  define(window, name, { value: refused, writable: true, enumerable: false, configurable: true });
});

// Frames: about:blank and srcdoc are not subject to frame-src. What removes them calls nothing that
// an app can replace; what only reports may.
var FRAMES = 'iframe, frame, object, embed, fencedframe, portal';
var queryDocument = Document.prototype.querySelectorAll, queryPart = DocumentFragment.prototype.querySelectorAll;
var query = Element.prototype.querySelectorAll, remove = Element.prototype.remove;
var shadowOf = describe(Element.prototype, 'shadowRoot').get;
var Observer = MutationObserver, observe = Observer.prototype.observe;
function drop(node) {
  try {
    block('frame', node.localName + ' ' + (node.getAttribute('src') || node.getAttribute('data') || (node.hasAttribute('srcdoc') ? 'srcdoc' : 'about:blank')));
  } catch (error) {}
  apply(remove, node, []);
}
function dropAll(root) {
  var list = apply(root === document ? queryDocument : queryPart, root, [FRAMES]);
  for (var i = 0, node; (node = list[i]) !== undefined; i++) drop(node);
}
// Connection-Allowlist stops these, without a report.
function checkHint(node) {
  var hint = /(?:^|\\s)(preconnect|dns-prefetch|prerender)(?:\\s|$)/i.exec(node.rel);
  if (hint && node.href) block('connection', hint[1] + ' ' + node.href);
}
function watchShadow(node) {
  var root = apply(shadowOf, node, []);
  if (root !== null) watch(root);
}
function look(node) {
  if (node.nodeType !== 1) return;
  if (node.localName === 'link') checkHint(node);
  var all = apply(query, node, ['link[rel]']), i, child;
  for (i = 0; (child = all[i]) !== undefined; i++) checkHint(child);
  // Shadow roots of markup.
  watchShadow(node);
  all = apply(query, node, ['*']);
  for (i = 0; (child = all[i]) !== undefined; i++) watchShadow(child);
}
function report(record) {
  if (record.type === 'attributes') { if (record.target.localName === 'link') checkHint(record.target); }
  else for (var i = 0; i < record.addedNodes.length; i++) look(record.addedNodes[i]);
}
var watched = new WeakSet(), isWatched = watched.has.bind(watched), setWatched = watched.add.bind(watched);
function watch(root) {
  if (isWatched(root)) return;
  setWatched(root);
  var observer = new Observer(function (records) {
    dropAll(root);
    for (var i = 0; i < records.length; i++) try { report(records[i]); } catch (error) {}
  });
  apply(observe, observer, [root, { childList: true, subtree: true, attributes: true, attributeFilter: ['rel', 'href'] }]);
  dropAll(root);
}
watch(document);
var attach = Element.prototype.attachShadow;
define(Element.prototype, 'attachShadow', { value: new Proxy(attach, { apply: function (target, self, values) {
  var root = apply(target, self, values);
  watch(root);
  return root;
} }), writable: true, enumerable: true, configurable: true });

// Shows that the app's scripts come to an end.
listen(window, 'message', function (event) {
  var data = event.data;
  if (event.source !== page || typeof data !== 'object' || data === null || data.waypost !== 'ping') return;
  event.stopImmediatePropagation();
  post({ type: 'pong', id: data.id });
});
post({ type: 'pong', id: 0 });
})();
`;
