/** Opens a preview of the edited page in a new tab, with sample values. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { TEXTS } from '../texts.ts';

interface PreviewLinkProps {
  readonly domainId: number;
  readonly status: string;
  readonly html: Signal<string>;
}

/** Maximum characters of the page in a URL. The limit of a request header is 16 KiB. */
const MAX_ENCODED = 12_000;

export function PreviewLink({ domainId, status, html }: PreviewLinkProps) {
  const texts = TEXTS.errorPages;
  const encoded = useSignal('');
  const text = html.value;
  useEffect(() => {
    let isCurrent = true;
    void encodePage(text).then((result) => {
      if (isCurrent) encoded.value = result;
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  if (encoded.value.length > MAX_ENCODED) return <span class="hint">{texts.previewTooLarge}</span>;
  const query = new URLSearchParams({ status, page: encoded.value });
  return (
    <a
      class="button"
      target="_blank"
      rel="noopener"
      aria-label={texts.previewOf(status)}
      href={`/api/v1/domains/${domainId}/proxy/error-pages/preview?${query}`}
    >
      {texts.preview}
    </a>
  );
}

/** Encodes the page for the endpoint: raw DEFLATE in base64url. */
async function encodePage(html: string): Promise<string> {
  const stream = new Blob([html]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
