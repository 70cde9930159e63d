import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

/** Enough to see what it is, and little enough to be drawn at once. */
const SHOWN_CHARACTERS = 4_000;

export interface LongTextProps {
  readonly text: string;
  /** What it is, for those who do not see where it stands. */
  readonly label: string;
  readonly class?: string | undefined;
}

/** Text as it is, the beginning first. It can be scrolled by keyboard. */
export function LongText({ text, label, class: className = '' }: LongTextProps): VNode {
  const [isAllShown, setAllShown] = useState(false);
  const isCut = !isAllShown && text.length > SHOWN_CHARACTERS;
  return (
    <div class={`long-text ${className}`}>
      <pre tabIndex={0} role="region" aria-label={label}>
        {isCut ? text.slice(0, SHOWN_CHARACTERS) : text}
      </pre>
      {isCut && (
        <button type="button" class="small" onClick={() => setAllShown(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  );
}
