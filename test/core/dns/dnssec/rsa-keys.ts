/** RSA keys as BIND makes them, with a signature that BIND made. */
import type { KeyObject } from 'node:crypto';

/** `rrsig`: over `mail.example.com. 300 MX 10 mail.example.com.` */
export const EXAMPLE_KEYS: readonly { readonly file: string; readonly dnskey: string; readonly rrsig: string }[] = [
  {
    file: `Private-key-format: v1.3
Algorithm: 8 (RSASHA256)
Modulus: tokmzWz6tBANLI8Jm485nb0bKKJTBJInN2XcinwTlpSWyEZby4CpY4DXNhNAh4Im10BHlrYhlANsdMdyZMLw+e3PjgN1M1WZWLkf6xIpAmyk/FKtRrgB50NcDIi4+gX2alWv+LL6hbTXTbcd5m/bc9WhvSA5+/meuE0nLPCpqKs=
PublicExponent: AQAB
PrivateExponent: ggO+t6NgDtFAEPTxCvRBPbFsnszABQl1FWhgZeNqsF6154D18UV7YXxrzgB4fgyeTcNjOl4QHLUzkxpcyJhxut2bX7COG7UpAeCSBaObhcZFnyGna3s4XKhKOgx2HWIEo11F+tb+FGKBHhEqb0GdK/5HBgjRAaaEzUgA2SLVHAE=
Prime1: 8Bj59LkF1uh5tPsEEVgTE/HJFeBd1zYdINyYHE0OUsQUJOi4DReTR6lef0JFzVAgUhwEJ5iux4kh5Xnnigad6w==
Prime2: wqAsigfhIzu8LBda+RaN2bZfjaqpEnB9fBfQQd0ad9M75mfqXbXIb8gaBqEkaGNTttZhtVV5pEtxZL9ibL6wQQ==
Exponent1: ISAxDFSiu53jfNbNHt958lx/k+cay2CJ8Ei/K9hty3mGFfmNuzCvf0mc4g3wt30AmJOI9zWXl6wR4ylIisCS9Q==
Exponent2: wM1iMf8qRfgYKmmcoqN4NJPZRwMoaG7tsK/6jDTX0pp8fXy2DM1XWX0WYzjhU1QKi1cHBlc9oMdn9tEtVOL2wQ==
Coefficient: ScgkpjO+OYRZ+lHTqx5SQj1Aa0mu+nvUpjTk3UIy0mdD1oRhoXKtLPwJWfOWOh7zic8aNxeb+xK7HG2YhsyFNA==
`,
    dnskey:
      '257 3 8 AwEAAbaJJs1s+rQQDSyPCZuPOZ29GyiiUwSSJzdl3Ip8E5aUlshGW8uAqWOA1zYTQIeCJtdAR5a2IZQDbHTH' +
      'cmTC8Pntz44DdTNVmVi5H+sSKQJspPxSrUa4AedDXAyIuPoF9mpVr/iy+oW01023HeZv23PVob0gOfv5nrhNJyzwqair',
    rrsig:
      'MX 8 3 300 20270201000000 20270101000000 11267 example.com. dFOm313+qafSe1LvTlgf/t4N6tDBvod8' +
      'btPraBs1YNdW1uAYM5IlXaDBdlLgXNwnuRuSDyeEMjKk32fcMVuy1AywPxLa+36uU25C1WnUGBu20CzBYLv/Tb9Ie0vl' +
      't0YrDrBofuSbuacygzxg1gRjow0hbmez7+n/IAnca9JrPUg=',
  },
  {
    file: `Private-key-format: v1.3
Algorithm: 10 (RSASHA512)
Modulus: zXJims43yOJbkyTQyDZT4ys1Gr0WriNchkmnug1c33mUkZ90ms1HojSwPKkHrC4iopGrezqL+1IpVSzfXuCD5V1brO33dJaozSZZoy08k7JpUBCeJAg0EJfvx2sESexBAEXhfYY3IUwMjoxk+iFrMSGNzXcTbgx+/L4qLZn2v0E=
PublicExponent: AQAB
PrivateExponent: iIfosZo0BmMvmlTQDw3Tp9dR/kgFJ4rGdVPDjGhO/RCORExksG+VmF1NdbKbL7ilOcZ24HjjCAzs/PbKJwIrg/QRxj6apxk0Kk0gIyVz7HkrtoTI9dU84CxdyUFr3RlqNfaEszEWj/BgYcipqGTZDEylIRKMnkZR82CtkEet18E=
Prime1: 7OqLi9Ls9YL5I0R1/danoIc3ait8lC6LtlEAzvDia1oNX8aooNXPNf9pG83flcunAg+z8Nbbfbp9Vl05U+qUuQ==
Prime2: 3f7oxun4VsdxnsecNZHLkgauoK3IOKgR4n8LFH7cZsdpZJfeMLHxE+RsWbj+zHux/Rw4/xsIxLastWajTd7KyQ==
Exponent1: vkLR1HWMtNH88DSvqS30qndMqmfIAVyr+LtuscJDo0DLksoAbEGoyc2XBKw9zZeiRIaF1HlIBd15gJ0XR+wQiQ==
Exponent2: wCnaIeWCPMwkREeRpqVvzBXQr/H+cVy7Lo6+bp1p9+YCCzuS8B/4CTofuIL0vNkON4VoqRsjufRPCC+yiMOkUQ==
Coefficient: ogcHPnemgAhDUpIu9XV65wA+gS/HPiSvll59uwQnTz0bVu/uKslXZ1lrBIfHDAaUeuVAhOldKFIvqRgj/Atytg==
`,
    dnskey:
      '257 3 10 AwEAAc1yYprON8jiW5Mk0Mg2U+MrNRq9Fq4jXIZJp7oNXN95lJGfdJrNR6I0sDypB6wuIqKRq3s6i/tSKVU' +
      's317gg+VdW6zt93SWqM0mWaMtPJOyaVAQniQINBCX78drBEnsQQBF4X2GNyFMDI6MZPohazEhjc13E24Mfvy+Ki2Z9r9' +
      'B',
    rrsig:
      'MX 10 3 300 20270201000000 20270101000000 14523 example.com. Tf2pWZn3VILaF4tje7MflgtjDoNj97z' +
      '4PxKTQjzF5SR+/F8Rj6akwTMLmzqiz6Yxg9ILcL9N6XTHX325QrAI/bnpey+UXpVuq2QHybyBM147V3jJgsv3FYN1hio' +
      'OUiq9yOiLY9mr+4sNTUekyyZdaTneqFXoYC7AcBWFs/fex/g=',
  },
];

const FIELDS = [
  ['Modulus', 'n'],
  ['PublicExponent', 'e'],
  ['PrivateExponent', 'd'],
  ['Prime1', 'p'],
  ['Prime2', 'q'],
  ['Exponent1', 'dp'],
  ['Exponent2', 'dq'],
  ['Coefficient', 'qi'],
] as const;

/** An RSA key in the format of BIND. */
export function rsaFile(algorithm: number, key: KeyObject): string {
  const jwk = key.export({ format: 'jwk' });
  const lines = FIELDS.map(([field, name]) => `${field}: ${Buffer.from(jwk[name]!, 'base64url').toString('base64')}`);
  return ['Private-key-format: v1.3', `Algorithm: ${algorithm} (RSA)`, ...lines, ''].join('\n');
}
