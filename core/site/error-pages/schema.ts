/** Schema of the error pages of a domain. */
import { type ObjectOptions, Type } from '@sinclair/typebox';
import { list, orNull, text } from '../../base/schema.ts';
import { MAX_PAGE_BYTES, PAGE_STATUS } from './template.ts';

export const MAX_PAGES = 16;

const html = (of: string) =>
  text(`the HTML of ${of}: ${MAX_PAGE_BYTES / 1024} KiB of UTF-8 at most, with placeholders such as {{status}}`, {
    minLength: 1,
    maxLength: MAX_PAGE_BYTES,
    examples: ['<!doctype html><title>{{title}}</title><h1>We are back soon</h1>'],
  });

const pagesSchema = (options: ObjectOptions) =>
  list(
    Type.Object(
      {
        status: Type.String({
          pattern: PAGE_STATUS,
          examples: ['5xx'],
          description: 'a status from 400 to 599, "4xx" or "5xx"; the page of a status goes before that of its class',
        }),
        html: html('the page'),
      },
      options,
    ),
    `at most ${MAX_PAGES} pages, each for another status`,
    { maxItems: MAX_PAGES },
  );
const maintenanceSchema = orNull(
  html('the maintenance page'),
  'the page of rules of type "maintenance"; null: the default',
);

export const errorPagesBody = { pages: pagesSchema({}), maintenance: Type.Optional(maintenanceSchema) };
export const errorPagesView = { pages: pagesSchema({ title: 'ErrorPage' }), maintenance: maintenanceSchema };
