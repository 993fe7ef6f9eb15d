/** A block of text to copy: a secret or commands. */
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly label: string;
  readonly text: string;
  readonly hint?: string;
}

export function CodeBlock({ label, text, hint }: CodeBlockProps) {
  return (
    <div class="field">
      <div class="head-row">
        <span class="code-label">{label}</span>
        <CopyButton text={text} description={`${label}: copy`} />
      </div>
      <pre class="code-block">{text}</pre>
      {hint !== undefined && <p class="hint">{hint}</p>}
    </div>
  );
}
