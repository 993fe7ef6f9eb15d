/**
 * Features of the web platform that apps must not use, by path from the global object, and their
 * replacements in Host.
 */
import type { RuleCode } from '../rules.ts';

interface Barred {
  readonly code: RuleCode;
  /** The replacement. Undefined: none; the fix of the rule applies. */
  readonly instead?: string;
}

const all = (code: RuleCode, instead: string | undefined, paths: string): [string, Barred][] =>
  paths.split(/\s+/).map((path) => [path, { code, instead }]);

const NETWORK = 'Host.network.fetch(url, opts), with the permission network';
const STORAGE = 'Host.storage.get(key) and Host.storage.set(key, value), with the permission storage';
const CAMERA = 'Host.camera.takePhoto(), with the permission camera';
const VIBRATE = 'Host.ui.vibrate(ms), with the permission vibrate';
const DEVICE = 'Host.device.info(), with the permission device.info';

export const BARRED: ReadonlyMap<string, Barred> = new Map([
  ...all('eval', undefined, 'eval execScript ShadowRealm'),
  ...all('import_scripts', undefined, 'importScripts'),
  ...all('webassembly', undefined, 'WebAssembly'),
  ...all('service_worker', undefined, 'navigator.serviceWorker ServiceWorkerContainer'),
  ...all(
    'direct_network',
    NETWORK,
    'fetch fetchLater XMLHttpRequest XDomainRequest WebSocket WebSocketStream EventSource WebTransport navigator.sendBeacon ' +
      'RTCPeerConnection webkitRTCPeerConnection mozRTCPeerConnection RTCDataChannel BackgroundFetchManager ' +
      'TCPSocket TCPServerSocket UDPSocket document.browsingTopics navigator.joinAdInterestGroup navigator.runAdAuction ' +
      'navigator.deprecatedURNToURL navigator.createAuctionNonce navigator.leaveAdInterestGroup ' +
      'navigator.updateAdInterestGroups navigator.getInterestGroupAdAuctionData navigator.deprecatedReplaceInURN ' +
      'navigator.canLoadAdAuctionFencedFrame document.hasPrivateToken document.hasRedemptionRecord ' +
      'fence.reportEvent fence.setReportEventDataForAutomaticBeacons',
  ),
  // Pages of one origin share messages and locks.
  ...all('direct_network', STORAGE, 'BroadcastChannel navigator.locks'),
  ...all(
    'direct_storage',
    STORAGE,
    'localStorage sessionStorage indexedDB webkitIndexedDB mozIndexedDB msIndexedDB openDatabase caches CacheStorage cookieStore document.cookie ' +
      'navigator.storage navigator.webkitPersistentStorage navigator.webkitTemporaryStorage requestFileSystem webkitRequestFileSystem ' +
      'showOpenFilePicker showSaveFilePicker showDirectoryPicker chooseFileSystemEntries launchQueue sharedStorage SharedStorage ' +
      'navigator.storageBuckets StorageBucketManager CookieStore CookieStoreManager webkitStorageInfo webkitResolveLocalFileSystemURL ' +
      'document.requestStorageAccess document.requestStorageAccessFor FileSystemObserver',
  ),
  ...all(
    'direct_device',
    CAMERA,
    'navigator.getUserMedia navigator.webkitGetUserMedia navigator.mozGetUserMedia navigator.msGetUserMedia navigator.mediaDevices MediaDevices ImageCapture MediaRecorder',
  ),
  ...all('direct_device', VIBRATE, 'navigator.vibrate navigator.webkitVibrate navigator.mozVibrate'),
  ...all('direct_device', DEVICE, 'navigator.getBattery navigator.battery navigator.userAgentData'),
  ...all(
    'direct_device',
    undefined,
    'navigator.geolocation navigator.clipboard navigator.bluetooth navigator.usb navigator.serial navigator.hid navigator.nfc navigator.xr ' +
      'navigator.requestMIDIAccess navigator.contacts navigator.credentials navigator.share navigator.wakeLock navigator.getGamepads ' +
      'navigator.gpu NDEFReader Accelerometer LinearAccelerationSensor GravitySensor Gyroscope Magnetometer AmbientLightSensor ' +
      'AbsoluteOrientationSensor RelativeOrientationSensor DeviceMotionEvent DeviceOrientationEvent ondevicemotion ondeviceorientation ondeviceorientationabsolute ' +
      'SpeechRecognition webkitSpeechRecognition Notification PushManager PaymentRequest IdleDetector EyeDropper BarcodeDetector ' +
      'FaceDetector TextDetector NDEFWriter ProximitySensor GeolocationSensor ondevicelight ondeviceproximity onuserproximity ' +
      'speechSynthesis PressureObserver PublicKeyCredential PresentationRequest queryLocalFonts getScreenDetails ' +
      'getDigitalGoodsService navigator.presentation navigator.keyboard navigator.virtualKeyboard navigator.devicePosture ' +
      'navigator.ml navigator.getVRDisplays navigator.requestMediaKeySystemAccess navigator.setAppBadge ' +
      'navigator.registerProtocolHandler navigator.getInstalledRelatedApps navigator.smartCard ' +
      'SpeechSynthesisUtterance navigator.login navigator.managed navigator.subApps navigator.modelContext ' +
      'navigator.getDisplayMedia navigator.clearAppBadge navigator.unregisterProtocolHandler documentPictureInPicture ' +
      'IdentityCredential DigitalCredential FederatedCredential PasswordCredential OTPCredential ' +
      'LanguageModel LanguageDetector',
  ),
  ...all(
    'native_bridge',
    undefined,
    'webkit.messageHandlers ReactNativeWebView flutter_inappwebview chrome.webview external.notify cordova Capacitor AndroidBridge',
  ),
  ...all('script_element', undefined, 'HTMLScriptElement SVGScriptElement'),
  ...all('parent_message', undefined, 'parent.postMessage top.postMessage opener.postMessage'),
]);

/**
 * Names that rarely have another meaning, on any object: `w.localStorage`, whatever `w` is.
 */
export const DISTINCTIVE: ReadonlySet<string> = new Set([
  'eval',
  'execScript',
  'importScripts',
  'WebAssembly',
  'XMLHttpRequest',
  'WebSocket',
  'EventSource',
  'WebTransport',
  'RTCPeerConnection',
  'sendBeacon',
  'localStorage',
  'sessionStorage',
  'indexedDB',
  'openDatabase',
  'serviceWorker',
  'mediaDevices',
  'getUserMedia',
  'geolocation',
  'messageHandlers',
  'sharedStorage',
  'storageBuckets',
  'BroadcastChannel',
  'speechSynthesis',
  'queryLocalFonts',
  'getScreenDetails',
  'showOpenFilePicker',
  'showSaveFilePicker',
  'showDirectoryPicker',
  'cookieStore',
]);

/**
 * First path segments of all tables and checks. Other names are not checked.
 */
export const WATCHED_NAMES: ReadonlySet<string> = new Set([
  ...[...BARRED.keys()].map((path) => path.split('.')[0]),
  ...[
    'window',
    'self',
    'globalThis',
    'frames',
    'parent',
    'top',
    'opener',
    'document',
    'cookie',
    'Function',
    'Host',
    'setTimeout',
    'setInterval',
    'Worker',
    'SharedWorker',
    'arguments',
  ],
]);

/** Names checked on objects that may be the global object: apps rarely use them for own members. */
export const RECEIVED: ReadonlySet<string> = new Set([
  ...DISTINCTIVE,
  'fetch',
  'Function',
  'Host',
  'Worker',
  'cookieStore',
]);

/** Platform names that a `var` without an initializer in a classic script does not hide. */
export const PLATFORM_NAMES: ReadonlySet<string> = new Set([
  ...WATCHED_NAMES,
  ...['setImmediate', 'open', 'location', 'Reflect', 'Object', 'atob', 'String', 'URL'],
]);

/** Sensor events of the device (Device Orientation and Motion, 5). */
export const SENSOR_EVENTS: ReadonlySet<unknown> = new Set([
  'devicemotion',
  'deviceorientation',
  'deviceorientationabsolute',
  'devicelight',
  'deviceproximity',
  'userproximity',
  'compassneedscalibration',
]);
/** Commands of a document that access the clipboard, in lower case. */
export const CLIPBOARD_COMMANDS: ReadonlySet<string | undefined> = new Set(['copy', 'cut', 'paste']);
