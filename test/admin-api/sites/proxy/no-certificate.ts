/** The certificate of a proxy that has none, as the API shows it. */
export const NO_CERTIFICATE = {
  source: 'none' as const,
  names: [],
  issuer: null,
  issued_at: null,
  expires_at: null,
  is_ordering: false,
  challenges: [],
  requested_at: null,
  attempted_at: null,
  failures: 0,
  next_attempt_at: null,
  renews_at: null,
};
