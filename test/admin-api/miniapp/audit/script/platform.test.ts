/**
 * What of the web platform reaches hardware, storage, the network or other documents around Host.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditedScript, codesOf } from '../web/audited.ts';

const test = suite('admin-api/miniapp/audit/script/platform');

/** `k` is a function of another script. Code of the finding, and the scripts that have it. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  direct_network: [
    'new BroadcastChannel("x")',
    'const { BroadcastChannel: B } = window; new B("x")',
    'navigator.locks.request("x", () => {})',
    'new TCPSocket("127.0.0.1", 1)',
    'new UDPSocket({})',
    'document.browsingTopics()',
    'navigator.joinAdInterestGroup({}, 1)',
  ],
  direct_storage: [
    'sharedStorage.set("a", "b")',
    'window.sharedStorage.worklet',
    'navigator.storageBuckets.open("x")',
    'launchQueue.setConsumer(() => {})',
    'document.requestStorageAccess()',
    'webkitResolveLocalFileSystemURL("x")',
    'document.documentElement.parentNode.cookie = "a=b"',
  ],
  direct_device: [
    'document.execCommand("copy")',
    'const d = document; d["exec" + "Command"]("PASTE")',
    'k().execCommand("cut")',
    'speechSynthesis.speak(k())',
    'queryLocalFonts()',
    'getScreenDetails()',
    'navigator.keyboard.lock()',
    'navigator.virtualKeyboard.show()',
    'navigator.devicePosture.type',
    'new PressureObserver(() => {})',
    'new PresentationRequest("a.html")',
    'navigator.setAppBadge(1)',
    'navigator.registerProtocolHandler("web+a", "?%s")',
    'navigator.requestMediaKeySystemAccess("x", [])',
    'new FaceDetector()',
    'new ProximitySensor()',
    'addEventListener("devicelight", () => {})',
    'PublicKeyCredential.isConditionalMediationAvailable()',
    'getDigitalGoodsService("x")',
    'navigator.ml.createContext()',
  ],
  global_of_unknown: [
    'k().sharedStorage.set("a", "b")',
    'k().speechSynthesis.cancel()',
    'k().queryLocalFonts()',
    'k().parentNode.write(1)',
    'k().parentNode.cookie',
  ],
  navigation_undeterminable: [
    'location = document.title',
    'location.href = document.title',
    'location.assign(document.body.textContent)',
    'location.replace(document.forms[0].elements.x.value)',
    'open(document.referrer)',
    'location.href = window.name',
    'location.href = history.state',
    'location.href = document.title + ".html"',
    'const a = document.createElement("a"); a.href = document.title; a.click()',
    'addEventListener("message", (event) => { location.href = event.source })',
  ],
  markup_with_code: [
    'document.documentElement.parentNode.write("<script>go()</scr" + "ipt>")',
    'document.body.parentNode.parentNode.write("<p onclick=go()>")',
    'document.head.parentElement.parentNode.writeln("<p onclick=go()>")',
    'document.doctype.parentNode.write("<p onclick=go()>")',
    'document.childNodes[0].parentNode.write("<p onclick=go()>")',
    'document.querySelector("html").parentNode.write("<p onclick=go()>")',
    'const d = document.documentElement.parentNode; d.write("<p onclick=go()>")',
    'document.body.appendHTMLUnsafe("<p onclick=go()>")',
    'document.body.prependHTMLUnsafe("<p onclick=go()>")',
    'document.body.beforeHTMLUnsafe("<p onclick=go()>")',
    'document.body.afterHTMLUnsafe("<p onclick=go()>")',
    'document.body.replaceWithHTMLUnsafe("<p onclick=go()>")',
    'document.body.setHTMLUnsafe("<p onclick=go()>")',
    'Document.parseHTMLUnsafe("<p onclick=go()>")',
  ],
  markup_undeterminable: [
    'document.body.appendHTMLUnsafe(k())',
    'const add = document.body.appendHTMLUnsafe.bind(document.body); add(k())',
    'document.body.streamHTMLUnsafe()',
    'document.body.streamAppendHTMLUnsafe({ runScripts: true })',
  ],
};

for (const [code, scripts] of Object.entries(FOUND))
  for (const script of scripts)
    test(`${code}: ${script}`, async () => {
      const found = codesOf(await auditedScript(script));
      assert.ok(found.includes(code), `${code}, not ${found}`);
    });

/** Without a finding. */
const SOUND: readonly string[] = [
  'if (typeof speechSynthesis === "undefined" || "sharedStorage" in window) console.log(1)',
  'new MessageChannel().port1.postMessage(1)',
  'document.queryCommandSupported("copy"); document.execCommand("bold")',
  'location.href = location.pathname',
  'location.href = location.href',
  'location.href = "page.html?title=" + document.title',
  'location.hash = document.title',
  'location.assign(document.URL)',
  'document.title = location.hash',
  'document.getElementById("a").parentNode.remove()',
  'const p = document.documentElement.parentNode; p.addEventListener("click", () => {})',
  'const stream = { write() {} }; stream.write(1)',
  'document.body.setHTML("<b>x</b>")',
  'document.body.setHTMLUnsafe("<b>x</b>")',
  'const model = { locks: 1, keyboard: { lock() {} } }; model.keyboard.lock(model.locks)',
  'matchMedia("(display-mode: standalone)").matches; requestAnimationFrame(() => {})',
  'new IntersectionObserver(() => {}); document.startViewTransition(() => {}); document.body.animate([], 1)',
  'screen.orientation.type; navigator.language; navigator.onLine; navigator.hardwareConcurrency',
];

for (const script of SOUND) test(script, async () => assert.equal(await auditedScript(script), []));

test.run();
