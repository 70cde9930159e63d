import type { ComponentChildren, VNode } from 'preact';
import type { Tone } from '../events/describe-event.ts';

export interface BadgeProps {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}

/** A state, in a word. Its colour says nothing that the word does not. */
export function Badge({ tone, children }: BadgeProps): VNode {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}
