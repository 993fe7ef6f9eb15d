/** Rules for scripts, in files and in pages. */
import type { RuleTable } from '../finding.ts';

export const SCRIPT_RULES = {
  eval: {
    type: 'error',
    title: 'Code from text: eval',
    about:
      'eval runs text as code, which cannot be audited. Any use of it counts, also by another name and through window, self or globalThis; only typeof eval is allowed.',
    fix: 'Write the code as code. For data use JSON.parse(text), for a choice among functions an object with the functions. For libraries use the builds and settings of the platform page.',
  },
  function_constructor: {
    type: 'error',
    title: 'Code from text: a function constructor',
    about:
      'Function, GeneratorFunction and AsyncFunction run text as code, like eval. They are found by name, by an alias, as the constructor of any function, and in Reflect.construct and Reflect.apply. Constant text that does nothing, compares its parameters, or returns the global object is a notice.',
    fix: 'Write the function as code. Use builds of libraries that do not make code of text, such as vue.runtime and @alpinejs/csp; the platform page lists them, and settings of others.',
  },
  function_constructor_escapes: {
    type: 'warning',
    review: true,
    title: 'The function constructor is passed on',
    about: 'If Function is an argument or a result, the audit cannot see whether it is called with text.',
    fix: 'Do not pass Function on. To test for a function write typeof value === "function".',
  },
  constructor_called: {
    type: 'warning',
    review: true,
    title: 'An unknown constructor is called with a text',
    about:
      'The constructor of a function is Function, which runs text as code. Here the owner of the constructor is unknown.',
    fix: 'Call the class by its name.',
  },
  string_timer: {
    type: 'error',
    title: 'A timer is given text to run',
    about: 'setTimeout, setInterval and setImmediate run a text as code, like eval.',
    fix: 'Give it a function: setTimeout(() => { … }, ms).',
  },
  timer_undeterminable: {
    type: 'warning',
    review: true,
    title: 'The code of a timer cannot be determined',
    about:
      'The argument of setTimeout, setInterval or setImmediate is the result of a call, or a member or global that no script of the package sets to a function: it may be text, which is run as code.',
    fix: 'Give it a function: setTimeout(() => { … }, ms).',
  },
  dynamic_import: {
    type: 'error',
    title: 'A module is imported at run time',
    about:
      'import() loads code from any address. All code of an app must be known before it is published. The literal path of a file of the package is allowed.',
    fix: 'Write the path of a file of the package out, or import it at the top: import { name } from "./file.js".',
  },
  import_scripts: {
    type: 'error',
    title: 'importScripts loads code',
    about: 'importScripts loads code from any address.',
    fix: 'Make the worker a module with static imports of files of the package: new Worker("worker.js", { type: "module" }).',
  },
  webassembly: {
    type: 'error',
    title: 'WebAssembly',
    about: 'Compiled code cannot be audited. Both the use of WebAssembly and .wasm files count.',
    fix: 'Ship the code as JavaScript.',
  },
  service_worker: {
    type: 'error',
    title: 'A service worker is used',
    about: 'A service worker can replace the files of the app.',
    fix: 'Leave it out: the files of the package are available without the network. For work in the background declare background in manifest.json.',
  },
  worker_from_code: {
    type: 'error',
    title: 'A worker is not started from a file of the package',
    about: 'A worker made from a blob:, data: or remote URL runs code that the audit has not seen.',
    fix: 'Put the worker into a file of the package: new Worker("worker.js").',
  },
  worker_undeterminable: {
    type: 'warning',
    review: true,
    title: 'The script of a worker cannot be determined',
    about: 'The URL for Worker or SharedWorker is computed at run time.',
    fix: 'Write the path of the file where the worker is made: new Worker("worker.js").',
  },
  remote_source: {
    type: 'warning',
    review: true,
    title: 'An unknown element gets a source of another host',
    about: 'It may be a script of the page, or a copy of one, which then loads code from there.',
    fix: 'Put the file into the package; or make the element where it gets its source: document.createElement("img").',
  },
  remote_script: {
    type: 'error',
    title: 'A script is loaded from another host',
    about:
      'All code of an app must be in its package. Scripts, modules and import maps that lead to another host, to data: or to blob: URLs count, in markup and in elements made by scripts.',
    fix: 'Put the script into the package and load it from there.',
  },
  script_element: {
    type: 'warning',
    review: true,
    title: 'A script makes a script element',
    about:
      'A script element made at run time may load or contain code that the audit does not see; a function of another script that makes it counts, too. A known remote source is a separate error.',
    fix: 'Write the <script> into the page, or import the file at the top of a module.',
  },
  frame_element: {
    type: 'error',
    title: 'Another document is embedded',
    about:
      'iframe, frame, object, embed, applet, portal, fencedframe and webview show another document, whose globals reach around Host. Both markup and elements made by scripts count.',
    fix: 'Show the content in the page itself; fetch data with Host.network.fetch.',
  },
  element_undeterminable: {
    type: 'warning',
    review: true,
    title: 'The kind of an element cannot be determined',
    about:
      'The name for document.createElement is composed of several texts, or it is unknown and the element gets an unknown source, text or attribute: it may be a script or a frame.',
    fix: 'Write the name of the element literally where it is made, or where the function that makes it is called.',
  },
  markup_with_code: {
    type: 'error',
    title: 'Markup with code in it is put into the page',
    about:
      'A text for innerHTML, outerHTML, insertAdjacentHTML, document.write, srcdoc, DOMParser, createContextualFragment, setHTMLUnsafe, appendHTMLUnsafe or the like has a script, a handler, a javascript: URL or a frame.',
    fix: 'Make elements without code, and add handlers with element.addEventListener.',
  },
  markup_undeterminable: {
    type: 'warning',
    review: true,
    title: 'Markup that is composed at run time is put into the page',
    about: 'If a part of the markup comes from data, the data can contain code.',
    fix: 'Use textContent for text, and createElement with append for elements.',
  },
  attribute_undeterminable: {
    type: 'warning',
    review: true,
    title: 'The name of an attribute cannot be determined',
    about:
      'setAttribute or createAttribute has an unknown name and value, or an attribute node gets a value or an element: a name that begins with "on" makes code of the value.',
    fix: 'Write the names of attributes literally; put the values into properties of the element, or use dataset.',
  },
  fetched_code: {
    type: 'error',
    title: 'Fetched data is used as code or markup',
    about: 'Host.network.fetch is for data, which must not reach eval, a timer, markup, a script or a worker.',
    fix: 'Fetch JSON, and put its values into the page with textContent.',
  },
  javascript_url: {
    type: 'error',
    title: 'A javascript: URL',
    about:
      'A javascript: URL is code. It is read as browsers do: without case, with entities decoded, control characters and spaces dropped.',
    fix: 'Use a <button> with a listener: button.addEventListener("click", …).',
  },
  handler_attribute_set: {
    type: 'error',
    title: 'A script makes a handler from an unknown text',
    about:
      'setAttribute("onclick", text) makes code of the text. A constant text is audited like an attribute in markup.',
    fix: 'Write element.addEventListener("click", …).',
  },
  with_statement: {
    type: 'warning',
    review: true,
    title: 'A with statement',
    about: 'Within a with statement the meaning of a name is unknown.',
    fix: 'Name the object before its members.',
  },
  computed_global: {
    type: 'warning',
    review: true,
    title: 'A global is reached by a name that cannot be determined',
    about: 'window[name] with a name that is computed at run time may reach anything that is prohibited by name.',
    fix: 'Write the name of the global literally; store your own values in your own object.',
  },
  global_of_unknown: {
    type: 'warning',
    review: true,
    title: 'A name of the platform is read from an unknown object',
    about:
      'Members like .localStorage or .XMLHttpRequest usually belong to the global object, and this object may be it.',
    fix: 'Use the operation of Host instead; give a member of your own another name.',
  },
  direct_network: {
    type: 'error',
    title: 'The network is reached around Host',
    about:
      'fetch, XMLHttpRequest, WebSocket, EventSource, WebTransport, RTCPeerConnection, sendBeacon and the like are not for apps; neither are BroadcastChannel and navigator.locks, by which pages reach each other.',
    fix: 'Use Host.network.fetch(url, opts), with the permission network. For libraries use the builds and settings of the platform page.',
  },
  direct_storage: {
    type: 'error',
    title: 'Storage is reached around Host',
    about:
      'localStorage, sessionStorage, indexedDB, caches, cookies, shared storage, storage buckets, files, and a text that is put into window.name are not for apps.',
    fix: 'Use Host.storage.get(key) and Host.storage.set(key, value), with the permission storage.',
  },
  direct_device: {
    type: 'error',
    title: 'The device is reached around Host',
    about:
      'Camera, microphone, position, clipboard, sensors, speech, fonts, screens, keyboard, Bluetooth, USB and the like are reached only where Host has an operation for it. <input capture> and the commands copy, cut and paste of a document count.',
    fix: 'Leave it out: Host has no operation for it.',
  },
  native_bridge: {
    type: 'error',
    title: 'A bridge of the system is reached around Host',
    about:
      'webkit.messageHandlers, ReactNativeWebView, chrome.webview, Android, wx, __TAURI__, chrome.runtime, require and other bridges into a system are not for apps. A test for one is allowed, and so is code that runs only with modules of Node.',
    fix: 'Use the operations of Host.',
  },
  undefined_global: {
    type: 'warning',
    review: true,
    title: 'A global is used that neither browsers nor the package define',
    about:
      'No script of the package and no browser defines a name that is called, or whose member is read. If it exists on a device, it is a bridge into the system; if not, the app fails. Names that the script tests first (typeof, if, try) do not count.',
    fix: 'Define it in a script of the package, correct the name, or leave it out.',
  },
  parent_message: {
    type: 'error',
    title: 'A message is sent to the window around the app',
    about: 'parent.postMessage, top.postMessage and opener.postMessage reach around Host.',
    fix: 'Use the operations of Host.',
  },
  window_opened: {
    type: 'warning',
    title: 'A window is opened',
    about: 'window.open leaves the app, or shows pages outside of its package.',
    fix: 'Show it in the app.',
  },
  remote_navigation: {
    type: 'warning',
    title: 'The app navigates to another site',
    about:
      'location, a form, a link that a script clicks, or a meta refresh leads to another host, or a link leads to a file of the device or another app (file:, intent:): such pages are not part of the package.',
    fix: 'Stay on pages of the package; fetch data with Host.network.fetch.',
  },
  navigation_undeterminable: {
    type: 'warning',
    review: true,
    title: 'The target of a navigation cannot be determined',
    about:
      'location, window.open, or a link or form that the script clicks or submits gets a URL with an unknown beginning: it may be javascript:, which is code, or another host.',
    fix: 'Begin the URL with a literal: location.href = "page.html?id=" + id, or location.hash = name.',
  },
  script_syntax: {
    type: 'error',
    title: 'A script does not parse',
    about: 'A script that does not parse cannot be audited, and does not run.',
    fix: 'Correct the syntax.',
  },
  script_too_intricate: {
    type: 'warning',
    review: true,
    title: 'A script is too intricate to be audited whole',
    about:
      'Expressions or blocks are nested thousands of levels deep, a value goes through 2,000 names, calls and expressions, or constants are composed to 32 M characters of text. The audit stops there, so a person reviews the package.',
    fix: 'Split the expression, shorten the chain of names and calls, or put long texts into files; in a bundle leave out this part, or bundle it separately. Nothing, if a review is acceptable.',
  },
  html_like_comment: {
    type: 'warning',
    title: 'An HTML-like comment in a script',
    about:
      '<!-- and --> begin comments in classic scripts (ECMA-262, B.1.1), but not in modules, where they are operators.',
    fix: 'Write // instead.',
  },
  host_overwritten: {
    type: 'error',
    title: 'Host is replaced or changed',
    about:
      'Host belongs to the system. Assignments to Host or its members, a global declaration of that name, delete, Object.assign and Object.defineProperty on it count.',
    fix: 'Do not change Host; give your own object another name.',
  },
  host_permission_undeclared: {
    type: 'error',
    title: 'An operation of Host is called without its permission',
    about: 'An operation may be called only where manifest.json lists its permission.',
    fix: 'Add the permission to permissions in manifest.json, or leave the call out.',
  },
  host_permission_unused: {
    type: 'warning',
    title: 'A permission is declared and not used',
    about:
      'No script of the package calls an operation that needs this permission. Not reported if a call of Host could not be determined.',
    fix: 'Remove it from permissions in manifest.json.',
  },
  host_operation_unknown: {
    type: 'error',
    title: 'Host has no such operation',
    about:
      'The operations of Host are storage.get, storage.set, ui.toast, ui.vibrate, camera.takePhoto, device.info, network.fetch and background.schedule.',
    fix: 'Use one of these operations.',
  },
  host_arguments: {
    type: 'warning',
    title: 'An operation of Host is called with wrong arguments',
    about:
      'The number of arguments, and the types of constant ones, are compared with those of the operation. Keys and values of the storage are strings.',
    fix: 'Pass the arguments of the operation. For a number write String(value), for an object JSON.stringify(value).',
  },
  sandbox_covered: {
    type: 'notice',
    title: 'Other findings in a file that the sandbox covers',
    about:
      'In a file with findings of many rules that the sandbox enforces, those without a review are one finding, with the number of positions of each and the first of them.',
    fix: 'Nothing: the sandbox policy holds on each device. The platform page lists builds of libraries without them.',
  },
  sandbox_undecided: {
    type: 'warning',
    review: true,
    title: 'Other findings in a file that need a review',
    about:
      'In a file with findings of many rules, those that need a review are one finding, with the number of positions of each and the first of them.',
    fix: 'Check these positions; leave out what the app does not need.',
  },
  host_fetch_method: {
    type: 'warning',
    title: 'Host.network.fetch is given a method other than GET or HEAD',
    about: 'Host.network.fetch is for retrieval. A literal method other than GET or HEAD counts.',
    fix: 'Leave the method out, or write "GET" or "HEAD".',
  },
  host_schedule_unheard: {
    type: 'warning',
    title: 'A task is scheduled and no background file receives it',
    about:
      'Tasks of Host.background.schedule are delivered as events of the type "schedule", which background.events in manifest.json has to list.',
    fix: 'Write "background": { "enabled": true, "entry": "…", "events": ["schedule"] } into manifest.json.',
  },
  host_computed: {
    type: 'warning',
    review: true,
    title: 'The called operation of Host cannot be determined',
    about: 'Host[name] with a name that is computed at run time may need any permission.',
    fix: 'Write the operation literally: Host.storage.get(key).',
  },
  window_escapes: {
    type: 'warning',
    review: true,
    title: 'The global object is passed on',
    about: 'If window is an argument, a result or a member, its uses there cannot be followed.',
    fix: 'Use its members by name: addEventListener, innerWidth.',
  },
  host_escapes: {
    type: 'warning',
    review: true,
    title: 'Host is passed on',
    about: 'If Host is an argument, a result or a member, its operations there cannot be followed.',
    fix: 'Call Host where it is needed: Host.storage.get(key); or pass on functions that call it.',
  },
  module_remote: {
    type: 'error',
    title: 'A module is imported from another host',
    about: 'import and export … from lead to another host, to data: or to blob:.',
    fix: 'Put the module into the package and import it by its path.',
  },
  module_bare: {
    type: 'error',
    title: 'A module is imported by a bare name',
    about: 'Browsers resolve only specifiers that begin with /, ./ or ../ ; import maps are not allowed.',
    fix: 'Bundle the module into the package and import it by its path: ./name.js.',
  },
  script_missing: {
    type: 'error',
    title: 'A script that is loaded is not in the package',
    about: 'A script element, an import or a worker names a file that the package does not have.',
    fix: 'Add the file, or correct the path.',
  },
  script_unreferenced: {
    type: 'notice',
    title: 'An unused script',
    about: 'No page, module or worker of the package loads this file. It is still audited.',
    fix: 'Leave it out of the package if it is not needed.',
  },
  text_not_utf8: {
    type: 'error',
    title: 'A file is not UTF-8',
    about:
      'Scripts, markup and style sheets are read as UTF-8; in another encoding they may differ from what was audited.',
    fix: 'Save the file as UTF-8.',
  },
} as const satisfies RuleTable;
