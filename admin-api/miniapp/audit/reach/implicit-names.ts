/** Names of members that the platform calls, without code that names them. */

/** Called by the language, by browsers or by proxies. */
const IMPLICIT = new Set(
  (
    'constructor toString valueOf toJSON toLocaleString then next return throw handleEvent acceptNode ' +
    'construct deleteProperty defineProperty getPrototypeOf setPrototypeOf ownKeys ' +
    'getOwnPropertyDescriptor isExtensible preventExtensions exec lastIndex raw ' +
    'connectedCallback disconnectedCallback adoptedCallback attributeChangedCallback connectedMoveCallback ' +
    'formAssociatedCallback formDisabledCallback formResetCallback formStateRestoreCallback observedAttributes ' +
    'process createHTML createScript createScriptURL ' +
    'onBackgroundEvent lookupNamespaceURI'
  ).split(' '),
);

/** Members of the object that creates a stream, a proxy or a property descriptor. */
const OF_DESCRIPTIONS = new Set('start pull cancel write close abort transform flush get set has apply'.split(' '));
for (const name of OF_DESCRIPTIONS) IMPLICIT.add(name);

export const isOfDescription = (name: string): boolean => OF_DESCRIPTIONS.has(name);

/** `isOfClass`: an `on…` method of a class is not an event handler of an element. */
export const isImplicit = (name: string, isOfClass = false): boolean =>
  IMPLICIT.has(name) || (!isOfClass && /^on[A-Za-z]/.test(name));

/** Calls of these names mostly call the platform, not functions of the package. */
const OF_PLATFORM = new Set(
  (
    'text json blob arrayBuffer formData clone bytes open close send abort load play pause stop start click focus blur ' +
    'submit reset append prepend remove before after replaceWith matches closest contains item add toggle observe ' +
    'disconnect fill stroke rect arc draw clear update render create init destroy show hide find filter request ' +
    'setAttribute getAttribute querySelector addEventListener removeEventListener dispatchEvent animate scroll ' +
    'connect resume suspend read write post lock unlock query status type name value data error parse stringify'
  ).split(' '),
);
for (const { prototype } of [Array, Map, Set, Promise, String, RegExp, Function, Date, Number, WeakMap, Uint8Array])
  for (const name of Object.getOwnPropertyNames(prototype)) OF_PLATFORM.add(name);
for (const name of Object.getOwnPropertyNames(Object)) OF_PLATFORM.add(name);

export const isOfPlatform = (name: string): boolean => OF_PLATFORM.has(name);
