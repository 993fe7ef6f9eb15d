/** Rules about markup: pages, SVG, and markup in strings. */
import type { RuleTable } from '../finding.ts';

export const MARKUP_RULES = {
  base_element: {
    type: 'error',
    title: 'A base element',
    about: 'base moves all relative URLs of a page, those of its scripts too, to another place.',
    fix: 'Leave it out, and write paths from the page.',
  },
  import_map: {
    type: 'error',
    title: 'An import map',
    about: 'An import map says what modules are loaded in the stead of those that are named, and may lead anywhere.',
    fix: 'Import modules by their paths: ./name.js.',
  },
  inline_handler: {
    type: 'warning',
    title: 'A handler in an attribute',
    about:
      'Code in attributes like onclick runs with the document and the element in its scope. It is audited as other code is.',
    fix: 'Put the code into a script: element.addEventListener("click", …).',
  },
  meta_refresh: {
    type: 'error',
    title: 'A page that goes elsewhere by itself',
    about: 'meta http-equiv="refresh" with a URL leads to another page without anybody having asked for it.',
    fix: 'Leave it out; to show another page of the package set location in a script.',
  },
  csp_loosened: {
    type: 'error',
    title: 'A content security policy that allows code from elsewhere, or made of text',
    about:
      "A policy in meta with 'unsafe-eval', 'wasm-unsafe-eval', 'unsafe-hashes', a remote host, a scheme or * where scripts, workers, frames or objects come from.",
    fix: "Name 'self' alone: script-src 'self'.",
  },
  csp_unsafe_inline: {
    type: 'warning',
    title: "A content security policy with 'unsafe-inline'",
    about: "'unsafe-inline' for scripts lets markup that gets into a page bring code with it.",
    fix: "Put scripts into files, and name 'self' alone.",
  },
  foreign_object: {
    type: 'warning',
    title: 'HTML within SVG',
    about: 'foreignObject brings HTML into an image, which is audited as HTML is; in an image file nobody expects it.',
    fix: 'Leave it out of images; place HTML over the SVG instead.',
  },
  animated_url: {
    type: 'error',
    title: 'An animation that changes a URL or a handler',
    about:
      'animate, set and their kin with attributeName href, xlink:href, src or on… give a link or a handler another value once it was looked at.',
    fix: 'Animate other attributes.',
  },
  xml_entities: {
    type: 'error',
    title: 'Entities declared in an XML file',
    about:
      'Entities that a document declares stand for text that is put in when it is parsed: code can be hidden in it.',
    fix: 'Leave the declarations out, and write the text where it belongs.',
  },
  xml_stylesheet: {
    type: 'warning',
    review: true,
    title: 'A style sheet or transformation by processing instruction',
    about: '<?xml-stylesheet?> loads style sheets and XSLT, which makes markup with code of a document.',
    fix: 'Use a <link rel="stylesheet"> or a <style> element.',
  },
  markup_ambiguous: {
    type: 'warning',
    review: true,
    title: 'Markup that browsers read in more than one way',
    about:
      'Within select, HTML dropped all but option, optgroup, hr, script and template until 2025; newer web views keep what stands there.',
    fix: 'Leave nothing but options in a <select>.',
  },
  script_unstarted: {
    type: 'warning',
    review: true,
    title: 'A script element that can be given code later',
    about:
      'A script element without code, or in a template, has not been started: it, or a copy of it, runs what a script of the app gives it. Markup that document.write and createContextualFragment are given counts.',
    fix: 'Leave the element out.',
  },
  markup_too_deep: {
    type: 'warning',
    review: true,
    title: 'Markup that is nested too deeply to be audited',
    about: 'Elements are nested more than 512 levels deep, which browsers flatten.',
    fix: 'Close elements that are open.',
  },
  xml_malformed: {
    type: 'error',
    title: 'An XML file that is not well-formed',
    about:
      'XHTML, SVG and other XML files (by their names: .xhtml, .svg, .xml and the like, or a first line <?xml …?>) are read by a parser of XML, which stops at the first error. What comes after it is not shown, and cannot be audited.',
    fix: 'Close all elements, declare the prefixes of namespaces, and write & and < as &amp; and &lt;.',
  },
  xml_hidden_markup: {
    type: 'error',
    title: 'Elements where HTML sees text',
    about:
      'In an XML file the content of script, style, title, textarea and the like is markup: elements, comments and references in it make something else of it than the text that was audited.',
    fix: 'Put scripts and style sheets into files or CDATA sections, and leave markup out of the others.',
  },
  charset_not_utf8: {
    type: 'warning',
    review: true,
    title: 'A file that is said to be in another encoding',
    about:
      'Packages are UTF-8. A page, script or document for which another encoding is named may be read as something else than what was audited.',
    fix: 'Write <meta charset="utf-8"> first in the head.',
  },
  remote_style: {
    type: 'warning',
    title: 'A style sheet or font is loaded from somewhere else',
    about:
      'Style sheets and fonts of another host are not there without the network, tell that host who uses the app, and may change after the audit.',
    fix: 'Put them into the package.',
  },
  remote_resource: {
    type: 'warning',
    title: 'An image or other file is loaded from somewhere else',
    about: 'What is loaded around Host is not there without the network, and tells its host who uses the app.',
    fix: 'Put it into the package, or fetch it with Host.network.fetch.',
  },
  remote_link: {
    type: 'warning',
    title: 'A link of the page prepares a connection to somewhere else',
    about:
      'preload, prefetch, preconnect, dns-prefetch and manifest links that lead to another host, and speculation rules, reach around Host.',
    fix: 'Leave the link out.',
  },
  style_missing: {
    type: 'error',
    title: 'A style sheet that is loaded is not in the package',
    about: 'A link or an @import names a file that the package does not have.',
    fix: 'Add the file, or mend the path.',
  },
  resource_missing: {
    type: 'warning',
    title: 'A file that is referred to is not in the package',
    about:
      'An image, a font, a page or another file is named that the package does not have. Case counts, though on some systems it does not show.',
    fix: 'Add the file, or mend the path.',
  },
  sdk_not_loaded: {
    type: 'warning',
    title: 'Host is used before host-sdk.js is loaded',
    about:
      'host-sdk.js defines Host. A page with scripts loads it before them, by <script src="host-sdk.js"> without async, defer or type="module".',
    fix: 'Write <script src="host-sdk.js"></script> before the other scripts.',
  },
} as const satisfies RuleTable;
