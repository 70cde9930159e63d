import type { VNode } from 'preact';
import { visibleText } from './visible-text.ts';

/** A name of someone else's: its direction of writing, and what is not seen in it, stay its own. */
export function Name({ text }: { readonly text: string }): VNode {
  return <bdi class="name">{visibleText(text)}</bdi>;
}
