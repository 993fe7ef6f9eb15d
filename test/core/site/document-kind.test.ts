/** Kinds of documents: their content, and secrets that belong to one kind and domain. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../core/base/secrets.ts';
import { ERROR_PAGES } from '../../../core/site/error-pages/error-pages.ts';
import { LOGS } from '../../../core/site/logs/document.ts';
import { ORIGINS } from '../../../core/site/pools/document.ts';
import { PROTECTION } from '../../../core/site/protection/document.ts';
import { RULES } from '../../../core/site/rules/document.ts';
import { hasSecrets, type SiteDocument, type SiteDocumentKind } from '../../../core/store/rows.ts';
import { temporaryFolder } from '../../support/temp.ts';

const test = suite('kinds of site documents');

const secrets = openSecrets(join(temporaryFolder('document-kind'), 'secret.key'));
const rules: SiteDocument = { domainId: 7, kind: 'rules', revision: 3, updatedAt: 0, content: { rules: [{}] } };
const reader = {
  siteDocument: (domainId: number, kind: SiteDocumentKind) =>
    domainId === rules.domainId && kind === rules.kind ? rules : undefined,
};

test('the content of a domain without the document is the empty one', () => {
  assert.is(RULES.content(reader, 7), rules.content);
  assert.is(RULES.row(reader, 7)?.revision, 3);
  assert.is(RULES.row(reader, 8), undefined);
  assert.equal(RULES.content(reader, 8), { rules: [] });
  assert.equal(ORIGINS.content(reader, 7), { origins: [] });
  assert.is(LOGS.content(reader, 7).isEnabled, false);
  assert.is(RULES.find([rules]), rules);
  assert.is(ORIGINS.find([rules]), undefined);
});

test('a secret is sealed for its kind and its domain', () => {
  const sealed = ORIGINS.seal(secrets, 7, 'a key');
  assert.is(ORIGINS.unseal(secrets, 7, sealed).toString(), 'a key');
  assert.throws(() => ORIGINS.unseal(secrets, 8, sealed));
  assert.throws(() => LOGS.unseal(secrets, 7, sealed));
});

test('a kind without secrets seals nothing, since a rotation of the key skips it', () => {
  for (const document of [ORIGINS, RULES, PROTECTION, ERROR_PAGES, LOGS]) {
    const seal = () => document.seal(secrets, 7, 'a key');
    if (hasSecrets(document.kind)) assert.type(seal(), 'string');
    else assert.throws(seal, /without secrets/);
  }
});

test.run();
