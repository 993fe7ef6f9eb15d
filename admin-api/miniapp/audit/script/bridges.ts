/**
 * Globals that other app containers add to the browser's. Each is a path from the global object.
 */
const of = (paths: string): string[] => paths.split(/\s+/);

export const BRIDGES: ReadonlySet<string> = new Set([
  // Web views of Android, iOS and Windows.
  ...of('Android AndroidInterface AndroidFunction JSInterface JSBridge jsBridge WebViewJavascriptBridge'),
  ...of('WKWebViewJavascriptBridge WVJBCallbacks dsBridge _dsbridge _dswk external.invoke Windows'),
  // Other mini-app platforms.
  ...of('wx my swan tt qq ks jd dd uni plus qh WeixinJSBridge WeixinJSCore AlipayJSBridge ToutiaoJSBridge'),
  ...of('__wxjs_environment requirePlugin requireMiniProgram TelegramWebviewProxy TelegramGameProxy HWH5'),
  // Containers of apps for devices, desktops and television.
  ...of('PhoneGap phonegap CapacitorWeb androidBridge Titanium Ti NativeScriptGlobals tns weex'),
  ...of('__TAURI__ __TAURI_INTERNALS__ __TAURI_IPC__ __TAURI_INVOKE__ electron electronAPI ipcRenderer nw Neutralino'),
  ...of(
    'cefQuery CefSharp qt.webChannelTransport pywebview webui tizen webapis webOS webOSSystem PalmSystem blackberry',
  ),
  ...of('jsb vuplex Unity SteamClient'),
  // Extensions of browsers.
  ...of(
    'chrome.runtime chrome.storage chrome.tabs chrome.scripting chrome.permissions chrome.identity chrome.downloads',
  ),
  ...of(
    'chrome.cookies chrome.history chrome.bookmarks chrome.debugger chrome.sockets chrome.socket chrome.usb chrome.hid',
  ),
  ...of(
    'chrome.extension chrome.management chrome.devtools chrome.serial chrome.bluetooth chrome.fileSystem chrome.send browser.runtime browser.storage browser.tabs',
  ),
  ...of('safari.extension safari.self safari.pushNotification'),
  // Node and similar runtimes.
  ...of('require module.require process.binding process.dlopen process.mainModule process.getBuiltinModule Deno Bun'),
]);

/** The first segments of the bridge paths. */
export const BRIDGE_NAMES: ReadonlySet<string> = new Set([...BRIDGES].map((path) => path.split('.')[0]));

/** Bridges of Node and similar runtimes. Code behind a test for them does not run in a browser. */
export const isOfNode = (path: string): boolean => /^(?:require|module|process|Deno|Bun)\b/.test(path);
