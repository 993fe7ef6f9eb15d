/** Schemas of the overview of an account. */
import { type Static, Type } from '@sinclair/typebox';
import { count, flag, id, list, oneOf, text } from '../../../core/base/schema.ts';
import { DELEGATION_STATES, type DelegationState } from '../../../core/upkeep/delegation/state.ts';

const problem = Type.Object(
  {
    domain_id: id('the domain'),
    domain: text('its name', { examples: ['example.com'] }),
    kind: oneOf(
      ['delegation', 'dnssec', 'certificate', 'origin', 'transfer'],
      'what needs attention; "transfer": of a secondary zone',
    ),
    message: text('what is wrong, and the next step', {
      examples: ['The certificate could not be issued. Look at its error.'],
    }),
  },
  { title: 'DomainProblem' },
);

export type Problem = Static<typeof problem>;

export const MAX_PROBLEMS = 20;

const states = Object.fromEntries(
  DELEGATION_STATES.map((state) => [state, count(`domains whose delegation is "${state}"`)]),
) as Record<DelegationState, ReturnType<typeof count>>;

export const overviewResponse = Type.Object({
  overview: Type.Object(
    {
      domains: count('the domains of the account'),
      checked: count('of these, the domains that the other numbers are about'),
      is_complete: flag('whether all domains were checked; if not, ask again'),
      delegation: Type.Object(states),
      signed: count('domains with DNSSEC'),
      proxied: count('domains whose proxy is on'),
      certificates: count('of these, domains with a valid certificate'),
      problems: list(problem, `the first ${MAX_PROBLEMS} problems`),
      problem_count: count('all problems of the checked domains'),
    },
    { title: 'Overview' },
  ),
});

export type Overview = Static<typeof overviewResponse>['overview'];
