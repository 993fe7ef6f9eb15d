/** A sample program that verifies messages, with the secret of a new webhook. */

/** Code for Node, as in the manual. */
export const verificationCode = (secret: string): string => `import { createHmac, timingSafeEqual } from 'node:crypto';

const secret = '${secret}';

export function verify(headers, body) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const timestamp = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false;
  const text = \`\${headers['webhook-id']}.\${timestamp}.\${body}\`;
  const hmac = createHmac('sha256', key).update(text).digest('base64');
  const expected = Buffer.from(\`v1,\${hmac}\`);
  return headers['webhook-signature'].split(' ').some((each) => {
    const received = Buffer.from(each);
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
}`;
