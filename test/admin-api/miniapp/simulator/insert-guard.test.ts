/** The guard is in front of all scripts of a page, however the page begins. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { insertGuard } from '../../../../admin-api/miniapp/simulator/insert-guard.ts';

const GUARD = '<script src="/g"></script>';

/** `|` marks where the guard is put. */
const PAGES: readonly string[] = [
  '|',
  '|text',
  '|<script src="app.js"></script>',
  '<!doctype html>|<script src="app.js"></script>',
  '<!DOCTYPE html>\n<html lang="en">\n<head>|\n<meta charset="utf-8">',
  '\n\t<!-- licence: MIT -->\n<!doctype html><html><head>|',
  '<!doctype html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd"><html>|<body>',
  `<!doctype html><html class='a b' data-x=1 hidden>|<title>`,
  '<!doctype html><html><!-- one --><!-- two --><head prefix="og: x">|',
  // A comment that other parsers end sooner, or later.
  '|<!--><script src="app.js"></script>--><!doctype html>',
  '|<!---><script src="app.js"></script>-->',
  '|<!-- --!><script src="app.js"></script>-->',
  '|<!-- a -- b --><script src="app.js"></script>',
  '|<!-- a --->',
  // A document type that ends within its quotes.
  '<!doctype html "a>|<script src=app.js></script>">',
  // Attributes that are not what they look like.
  '<!doctype html>|<html a="<script>">',
  '<!doctype html>|<html a=">"><script>',
  '<!doctype html>|<html a=b"><script src="app.js"></script>">',
  '<!doctype html>|<html/><script src=app.js></script>',
  '<!doctype html>|<htmlx><head>',
  '<!doctype html><html>|<header>',
  '<!doctype html>|<?php ?><html>',
  '<!doctype html>|<!doctype html><html>',
  '<!doctype html>|</head><head>',
  '<!doctype html>|\u000b<html>',
  '|\u00a0<!doctype html>',
];

for (const page of PAGES)
  test(page, () => {
    const inserted = insertGuard(Buffer.from(page.replace('|', '')), '/g');
    assert.is(inserted?.toString(), page.replace('|', GUARD));
  });

test('a byte order mark stays first', () => {
  const inserted = insertGuard(Buffer.from('\ufeff<!doctype html>x'), '/g');
  assert.is(inserted?.toString(), `\ufeff<!doctype html>${GUARD}x`);
});

test('UTF-16 is refused', () => {
  assert.is(insertGuard(Buffer.from('\ufeffx', 'utf16le'), '/g'), undefined);
  assert.is(insertGuard(Buffer.from('\ufeffx', 'utf16le').swap16(), '/g'), undefined);
});

test('a long page without an end tag takes linear time', () => {
  for (const unit of ['<!-- ', '<!---->', ' ', '<html a', '<!doctype ', '<!-- --> <!--', '\n<!--'])
    assert.ok(insertGuard(Buffer.from(unit.repeat(1e6 / unit.length)), '/g'));
});

test.run();
