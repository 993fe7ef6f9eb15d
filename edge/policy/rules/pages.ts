/** Pages with which rules answer. They have the form of the error pages of edge/proxy. */
import type { CompiledRule } from '../../../core/site/rules/index.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';

export interface RulePage {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly visitor: string;
  readonly owner: string;
  readonly headers?: FieldList;
}

const describe = ({ number }: CompiledRule): string => `Rule ${number + 1} of this domain`;

export const deniedPage = (rule: CompiledRule, status: number): RulePage => ({
  status,
  code: 'rule_denied',
  title: 'This request is not allowed',
  visitor: 'The owner of this site does not allow this request.',
  owner: `${describe(rule)} denies it.`,
});

export const limitedPage = (rule: CompiledRule, seconds: number): RulePage => ({
  status: 429,
  code: 'rule_limited',
  title: 'Too many requests',
  visitor: `Too many requests were sent in a short time. Please try again in ${seconds} s.`,
  owner: `${describe(rule)} limits the rate.`,
  headers: ['retry-after', String(seconds)],
});

/** RFC 9110 section 11.6.1, RFC 7617 section 2.1. */
export const unauthorizedPage = (rule: CompiledRule, realm: string): RulePage => ({
  status: 401,
  code: 'rule_unauthorized',
  title: 'A password is needed',
  visitor: 'This site asks for a user name and a password.',
  owner: `${describe(rule)} asks for them.`,
  headers: ['www-authenticate', `Basic realm="${realm}", charset="UTF-8"`],
});

export const BUSY: RulePage = {
  status: 503,
  code: 'rule_busy',
  title: 'This server is busy',
  visitor: 'Too many visitors sign in at the moment. Please try again in a few seconds.',
  owner: 'Passwords are verified slowly on purpose, and too many verifications are waiting.',
  headers: ['retry-after', '5'],
};

export const maintenancePage = (rule: CompiledRule, message: string | undefined, retryAfter: number): RulePage => ({
  status: 503,
  code: 'maintenance',
  title: 'This site is being maintained',
  visitor: message ?? 'The site will be back soon.',
  owner: `${describe(rule)} switches to maintenance.`,
  headers: ['retry-after', String(retryAfter)],
});

export const errorPage = (rule: CompiledRule, status: number, message: string | undefined): RulePage => ({
  status,
  code: 'rule_error_page',
  title: status >= 500 ? 'This page is not available' : 'This page cannot be shown',
  visitor: message ?? 'The owner of this site has decided to show no page here.',
  owner: `${describe(rule)} answers with this page.`,
});
