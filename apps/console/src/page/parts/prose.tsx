import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

/** More than most answers have; the rest of a longer one is asked for. */
const SHOWN_CHARACTERS = 20_000;

/** What an agent or a person wrote: plain text, with its lines. */
export function Prose({ text }: { readonly text: string }): VNode {
  const [isAllShown, setAllShown] = useState(false);
  const isCut = !isAllShown && text.length > SHOWN_CHARACTERS;
  return (
    <>
      <p class="prose" dir="auto">
        {isCut ? text.slice(0, SHOWN_CHARACTERS) : text}
      </p>
      {isCut && (
        <button type="button" class="small" onClick={() => setAllShown(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </>
  );
}
