/** Rules about scripts, in files of their own and in pages. */
import type { RuleTable } from '../finding.ts';

export const SCRIPT_RULES = {
  eval: {
    type: 'error',
    title: 'Code is made of text with eval',
    about:
      'eval runs text as code, which no audit can have seen. Any use of it counts, by another name and through window, self or globalThis too; only typeof eval is let through.',
    fix: 'Write the code as code. For data use JSON.parse(text); for a choice among functions an object with the functions in it. Of libraries take the builds and settings of the platform page.',
  },
  function_constructor: {
    type: 'error',
    title: 'Code is made of text with a function constructor',
    about:
      'Function, GeneratorFunction and AsyncFunction run text as code, as eval does. They are looked for by name, by an alias, as the constructor of any function, and in Reflect.construct and Reflect.apply. Constant text that does nothing, compares its parameters, or gives the global object where it is called is a notice.',
    fix: 'Write the function as code. Of libraries that make code of text use the builds that do not, such as vue.runtime and @alpinejs/csp; the platform page lists them, and settings of others.',
  },
  function_constructor_escapes: {
    type: 'warning',
    review: true,
    title: 'The function constructor is handed on',
    about: 'Where Function goes as an argument or a result, whether it is called with text there cannot be followed.',
    fix: 'Do not hand Function on. To ask whether something is a function write typeof value === "function".',
  },
  constructor_called: {
    type: 'warning',
    review: true,
    title: 'The constructor of something unknown is called with a text',
    about:
      'The constructor of a function is Function, which runs text as code. Here it cannot be said whose constructor it is.',
    fix: 'Call the class by its name.',
  },
  string_timer: {
    type: 'error',
    title: 'A timer is given text to run',
    about: 'setTimeout, setInterval and setImmediate run a text as code, as eval does.',
    fix: 'Give it a function: setTimeout(() => { … }, ms).',
  },
  timer_undeterminable: {
    type: 'warning',
    review: true,
    title: 'What a timer runs cannot be determined',
    about:
      'What setTimeout, setInterval or setImmediate is given is the result of a call, or a member or global of which no script of the package makes a function: it may be text, which is run as code.',
    fix: 'Give it a function: setTimeout(() => { … }, ms).',
  },
  dynamic_import: {
    type: 'error',
    title: 'A module is imported while the app runs',
    about:
      'import() loads code from any address. All code of an app has to be known before it is published. The path of a file of the package, written out, is allowed.',
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
    about: 'A service worker can put itself between the app and its files and answer with other ones.',
    fix: 'Leave it out: the files of the package are at hand without the network. For work in the background declare background in manifest.json.',
  },
  worker_from_code: {
    type: 'error',
    title: 'A worker is started from something else than a file of the package',
    about: 'A worker made from a blob:, data: or remote URL runs code that the audit has not seen.',
    fix: 'Put the worker into a file of the package: new Worker("worker.js").',
  },
  worker_undeterminable: {
    type: 'warning',
    review: true,
    title: 'Which script a worker runs cannot be determined',
    about: 'The URL that Worker or SharedWorker is given is put together while the app runs.',
    fix: 'Write the path of the file where the worker is made: new Worker("worker.js").',
  },
  remote_source: {
    type: 'warning',
    review: true,
    title: 'An element of which nothing is known is given a source of another host',
    about: 'It may be a script that stands in the page, or a copy of one, which then loads code from there.',
    fix: 'Put the file into the package; or make the element where it gets its source: document.createElement("img").',
  },
  remote_script: {
    type: 'error',
    title: 'A script is loaded from somewhere else',
    about:
      'All code of an app is in its package. Scripts, modules and import maps that lead to another host, to data: or to blob: URLs count, in markup and where a script makes the element.',
    fix: 'Put the script into the package and load it from there.',
  },
  script_element: {
    type: 'warning',
    review: true,
    title: 'A script makes a script element',
    about:
      'A script element made while the app runs may load or contain code that the audit does not see; a function of another script that makes it counts, too. What it is seen to load from elsewhere is an error of its own.',
    fix: 'Write the <script> into the page, or import the file at the top of a module.',
  },
  frame_element: {
    type: 'error',
    title: 'Another document is embedded',
    about:
      'iframe, frame, object, embed, applet, portal, fencedframe and webview show another document, with globals of its own that reach around Host. Both markup and elements made by scripts count.',
    fix: 'Show the content in the page itself; fetch data with Host.network.fetch.',
  },
  element_undeterminable: {
    type: 'warning',
    review: true,
    title: 'Which element is made cannot be determined',
    about:
      'document.createElement is given a name that is put together of several texts, or one that is not known while the element gets a source, a text or an attribute that is not known either: it may be a script or a frame.',
    fix: 'Write the name of the element out where it is made, or where the function that makes it is called.',
  },
  markup_with_code: {
    type: 'error',
    title: 'Markup with code in it is put into the page',
    about:
      'A text that goes to innerHTML, outerHTML, insertAdjacentHTML, document.write, srcdoc, DOMParser, createContextualFragment, setHTMLUnsafe, appendHTMLUnsafe or their kin has a script, a handler, a javascript: URL or a frame in it.',
    fix: 'Make elements without code, and add handlers with element.addEventListener.',
  },
  markup_undeterminable: {
    type: 'warning',
    review: true,
    title: 'Markup that is put together while the app runs goes into the page',
    about: 'Where a part of the markup comes from data, that data can bring code with it.',
    fix: 'Use textContent for text, and createElement with append for elements.',
  },
  attribute_undeterminable: {
    type: 'warning',
    review: true,
    title: 'Which attribute is set cannot be determined',
    about:
      'setAttribute or createAttribute is given a name that is not known before, with a value that is not known either, or the node of an attribute gets a value or an element: one whose name begins with "on" makes code of it.',
    fix: 'Write the names of attributes out; put the values into properties of the element, or use dataset.',
  },
  fetched_code: {
    type: 'error',
    title: 'What was fetched is used as code or markup',
    about: 'Host.network.fetch is for data. What it brings must not reach eval, a timer, markup, a script or a worker.',
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
    title: 'A script makes a handler of text that is not known before',
    about:
      'setAttribute("onclick", text) makes code of the text. A constant one is audited as an attribute in markup is.',
    fix: 'Write element.addEventListener("click", …).',
  },
  with_statement: {
    type: 'warning',
    review: true,
    title: 'A with statement',
    about: 'Within a with statement it cannot be said what a name means.',
    fix: 'Name the object before its members.',
  },
  computed_global: {
    type: 'warning',
    review: true,
    title: 'A global is reached by a name that cannot be determined',
    about:
      'window[name] with a name that is put together while the app runs may reach anything that is prohibited by name.',
    fix: 'Write the name of the global out; keep own values in an object of their own.',
  },
  global_of_unknown: {
    type: 'warning',
    review: true,
    title: 'A name of the platform is taken from something unknown',
    about:
      'Members like .localStorage or .XMLHttpRequest hardly belong to anything but the global object, though it cannot be said that this is one.',
    fix: 'Use the operation of Host in its stead; give a member of your own another name.',
  },
  direct_network: {
    type: 'error',
    title: 'The network is reached around Host',
    about:
      'fetch, XMLHttpRequest, WebSocket, EventSource, WebTransport, RTCPeerConnection, sendBeacon and their kin are not for apps; neither are BroadcastChannel and navigator.locks, by which pages reach each other.',
    fix: 'Use Host.network.fetch(url, opts), with the permission network. Of libraries take the builds and settings of the platform page.',
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
      'webkit.messageHandlers, ReactNativeWebView, chrome.webview, Android, wx, __TAURI__, chrome.runtime, require and other bridges into a system are not for apps. To ask whether there is one is let through, and so is what runs only where modules of Node are.',
    fix: 'Use the operations of Host.',
  },
  undefined_global: {
    type: 'warning',
    review: true,
    title: 'A global is used that neither a browser nor the package has',
    about:
      'A name is called, or a member of it is taken, that no script of the package defines and no browser has. Where it is there all the same it is a bridge into the system; where it is not the app fails. Names that the script tests first (typeof, if, try) do not count.',
    fix: 'Define it in a script of the package, mend the name, or leave the use out.',
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
    about: 'window.open leaves the app, or shows what is not part of its package.',
    fix: 'Show it in the app.',
  },
  remote_navigation: {
    type: 'warning',
    title: 'The app goes to another site',
    about:
      'Where location, a form, a link that a script clicks, or a meta refresh leads to another host, or any link to a file of the device or another app (file:, intent:), what is shown there is not part of the package.',
    fix: 'Stay on pages of the package; fetch data with Host.network.fetch.',
  },
  navigation_undeterminable: {
    type: 'warning',
    review: true,
    title: 'Where the app goes cannot be determined',
    about:
      'location, window.open, or a link or form that the script itself clicks or submits is given a URL whose beginning is not known, a text of the document among them: it may be javascript:, which is code, or another host.',
    fix: 'Begin the URL with what it is: location.href = "page.html?id=" + id, or location.hash = name.',
  },
  script_syntax: {
    type: 'error',
    title: 'A script does not parse',
    about: 'What does not parse cannot be audited, and does not run.',
    fix: 'Mend the syntax.',
  },
  script_too_intricate: {
    type: 'warning',
    review: true,
    title: 'A script is too intricate to be audited whole',
    about:
      'Expressions or blocks are nested thousands of levels deep; a value goes through 2,000 names, calls and expressions; or constants are put together to 32 M characters of text. What is beyond is not known to the audit, so a person looks at the package.',
    fix: 'Split the expression, shorten the chain of names and calls, put long texts into files; in a bundle leave out the part that does this, or bundle it apart. Nothing, if a person may look.',
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
      'Host is what the system gives. An assignment to Host or its members, a global declaration of that name, delete, Object.assign and Object.defineProperty on it count.',
    fix: 'Leave Host as it is, and give your own object another name.',
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
      'No script of the package calls an operation that needs this permission. Not told where a call of Host could not be determined.',
    fix: 'Take it out of permissions in manifest.json.',
  },
  host_operation_unknown: {
    type: 'error',
    title: 'Host has no such operation',
    about:
      'The operations of Host are storage.get, storage.set, ui.toast, ui.vibrate, camera.takePhoto, device.info, network.fetch and background.schedule.',
    fix: 'Use one of the operations that there are.',
  },
  host_arguments: {
    type: 'warning',
    title: 'An operation of Host is called with arguments that do not fit',
    about:
      'The number of arguments, and the type of those that are constant, are compared with what the operation takes. Keys and values of the storage are strings.',
    fix: 'Give the arguments that the operation takes. For a number write String(value), for an object JSON.stringify(value).',
  },
  sandbox_covered: {
    type: 'notice',
    title: 'What else the sandbox covers in a file',
    about:
      'In a file with findings of many rules about what the sandbox stops, those that ask for nothing are one finding, each with its number of places and the first of them.',
    fix: 'Nothing: the sandbox policy holds on each device. See the platform page for builds of libraries that do without.',
  },
  sandbox_undecided: {
    type: 'warning',
    review: true,
    title: 'What else in a file is for a person to look at',
    about:
      'In a file with findings of many rules, those that ask for a review are one finding, each with its number of places and the first of them.',
    fix: 'Look at the places that are named; leave out what the app does not need.',
  },
  host_fetch_method: {
    type: 'warning',
    title: 'Host.network.fetch is given a method other than GET or HEAD',
    about: 'Host.network.fetch is for retrieval. A method that is written out and is not GET or HEAD counts.',
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
    title: 'Which operation of Host is called cannot be determined',
    about: 'Host[name] with a name that is put together while the app runs may need any permission.',
    fix: 'Write the operation out: Host.storage.get(key).',
  },
  window_escapes: {
    type: 'warning',
    review: true,
    title: 'The global object is handed on',
    about: 'Where window goes as an argument, a result or a member, what is taken of it there cannot be followed.',
    fix: 'Name what is needed of it: addEventListener, innerWidth.',
  },
  host_escapes: {
    type: 'warning',
    review: true,
    title: 'Host is handed on',
    about:
      'Where Host goes as an argument, a result or a member, which of its operations are called there cannot be followed.',
    fix: 'Call Host where it is needed: Host.storage.get(key); or hand on functions that call it.',
  },
  module_remote: {
    type: 'error',
    title: 'A module is imported from somewhere else',
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
    fix: 'Add the file, or mend the path.',
  },
  script_unreferenced: {
    type: 'notice',
    title: 'A script that nothing loads',
    about: 'No page, module or worker of the package loads this file. It is audited all the same.',
    fix: 'Leave it out of the package if it is not needed.',
  },
  text_not_utf8: {
    type: 'error',
    title: 'A file is not UTF-8',
    about:
      'Scripts, markup and style sheets are read as UTF-8; in another encoding they may say something else than what was audited.',
    fix: 'Save the file as UTF-8.',
  },
} as const satisfies RuleTable;
