/** The endpoint that serves the sandbox policy, and the reference to it in published packages. */
import { createHash } from 'node:crypto';
import { publicRoute } from '../../http/route.ts';
import { policyJson, SANDBOX_POLICY } from '../audit/policy/policy.ts';
import { POLICY } from './paths.ts';
import { policyResponse } from './schema.ts';

/** Seconds for which caches may reuse the policy. */
const MAX_AGE = 3600;

const SHA256 = createHash('sha256').update(policyJson()).digest('hex');

/** The policy that hosts apply to a published package. */
export const POLICY_REFERENCE = {
  version: SANDBOX_POLICY.version,
  sha256: SHA256,
  url: POLICY,
  content_security_policy: SANDBOX_POLICY.content_security_policy,
};

export function policyRoute() {
  return publicRoute({
    operationId: 'getSandboxPolicy',
    method: 'GET',
    path: POLICY,
    tag: 'packages',
    summary: 'Get the sandbox policy',
    description: 'Every host applies the policy to apps.',
    response: policyResponse,
    faults: { 304: [] },
    run({ headers }) {
      headers.ETag = `"${SHA256.slice(0, 20)}"`;
      headers['Cache-Control'] = `public, max-age=${MAX_AGE}`;
      return { policy: { ...SANDBOX_POLICY, sha256: SHA256 } };
    },
  });
}
