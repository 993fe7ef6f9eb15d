/** Rules about markup in pages, SVG and strings. */
import type { RuleTable } from '../finding.ts';

export const MARKUP_RULES = {
  base_element: {
    type: 'error',
    title: 'A base element',
    about: 'base changes all relative URLs of a page, also those of its scripts.',
    fix: 'Leave it out, and write paths from the page.',
  },
  import_map: {
    type: 'error',
    title: 'An import map',
    about: 'An import map replaces the modules that are named, and may lead anywhere.',
    fix: 'Import modules by their paths: ./name.js.',
  },
  inline_handler: {
    type: 'warning',
    title: 'A handler in an attribute',
    about:
      'Code in attributes like onclick runs with the document and the element in its scope. It is audited like other code.',
    fix: 'Put the code into a script: element.addEventListener("click", …).',
  },
  meta_refresh: {
    type: 'error',
    title: 'A page that navigates automatically',
    about: 'meta http-equiv="refresh" with a URL opens another page without an action of the user.',
    fix: 'Leave it out; to show another page of the package set location in a script.',
  },
  csp_loosened: {
    type: 'error',
    title: 'A content security policy that allows remote code, or code from text',
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
    about: 'foreignObject puts HTML into an image. It is audited as HTML, but is unexpected in an image file.',
    fix: 'Leave it out of images; place HTML over the SVG instead.',
  },
  animated_url: {
    type: 'error',
    title: 'An animation that changes a URL or a handler',
    about:
      'animate, set and similar elements with attributeName href, xlink:href, src or on… change a link or a handler after its check.',
    fix: 'Animate other attributes.',
  },
  xml_entities: {
    type: 'error',
    title: 'Entities declared in an XML file',
    about: 'Declared entities are replaced by text when a document is parsed, which can hide code.',
    fix: 'Leave the declarations out, and write the text in place.',
  },
  xml_stylesheet: {
    type: 'warning',
    review: true,
    title: 'A style sheet or transformation by processing instruction',
    about: '<?xml-stylesheet?> loads style sheets and XSLT, which can make markup with code.',
    fix: 'Use a <link rel="stylesheet"> or a <style> element.',
  },
  markup_ambiguous: {
    type: 'warning',
    review: true,
    title: 'Markup that browsers read in more than one way',
    about:
      'Within select, HTML dropped all but option, optgroup, hr, script and template until 2025; newer web views keep other elements.',
    fix: 'Leave nothing but options in a <select>.',
  },
  script_unstarted: {
    type: 'warning',
    review: true,
    title: 'A script element that can get code later',
    about:
      'A script element without code, or in a template, runs the code that a script gives it, or a copy of it, later. Markup for document.write and createContextualFragment counts.',
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
      'XHTML, SVG and other XML files (by their names, or a first line <?xml …?>) are read by an XML parser, which stops at the first error. The rest is not shown, and cannot be audited.',
    fix: 'Close all elements, declare the prefixes of namespaces, and write & and < as &amp; and &lt;.',
  },
  xml_hidden_markup: {
    type: 'error',
    title: 'Elements in an XML file that are text in HTML',
    about:
      'In an XML file the content of script, style, title, textarea and the like is markup: elements, comments and references change the text that was audited.',
    fix: 'Put scripts and style sheets into files or CDATA sections, and leave markup out of the others.',
  },
  charset_not_utf8: {
    type: 'warning',
    review: true,
    title: 'A file that declares another encoding',
    about:
      'Packages are UTF-8. With another declared encoding, a page, script or document may be read differently from what was audited.',
    fix: 'Write <meta charset="utf-8"> first in the head.',
  },
  remote_style: {
    type: 'warning',
    title: 'A style sheet or font is loaded from another host',
    about:
      'Style sheets and fonts of another host are missing without the network, reveal users of the app to it, and may change after the audit.',
    fix: 'Put them into the package.',
  },
  remote_resource: {
    type: 'warning',
    title: 'An image or other file is loaded from another host',
    about: 'Files that are loaded around Host are missing without the network, and reveal users of the app.',
    fix: 'Put it into the package, or fetch it with Host.network.fetch.',
  },
  remote_link: {
    type: 'warning',
    title: 'A link of the page prepares a connection to another host',
    about:
      'preload, prefetch, preconnect, dns-prefetch and manifest links that lead to another host, and speculation rules, reach around Host.',
    fix: 'Leave the link out.',
  },
  style_missing: {
    type: 'error',
    title: 'A style sheet that is loaded is not in the package',
    about: 'A link or an @import names a file that the package does not have.',
    fix: 'Add the file, or correct the path.',
  },
  resource_missing: {
    type: 'warning',
    title: 'A file that is referred to is not in the package',
    about:
      'The package does not have an image, font, page or other file that is named. Names are case-sensitive, also where your system is not.',
    fix: 'Add the file, or correct the path.',
  },
  sdk_not_loaded: {
    type: 'warning',
    title: 'Host is used before host-sdk.js is loaded',
    about:
      'host-sdk.js defines Host. A page with scripts loads it before them, by <script src="host-sdk.js"> without async, defer or type="module".',
    fix: 'Write <script src="host-sdk.js"></script> before the other scripts.',
  },
} as const satisfies RuleTable;
