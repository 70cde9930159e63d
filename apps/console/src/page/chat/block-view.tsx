import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Block } from '../api/types.ts';
import { BlobImage } from '../files/preview-view.tsx';
import { LongText } from '../parts/long-text.tsx';

/** Images that a browser draws, and runs nothing of. */
const SHOWN_IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** A block of a result or a message, in AgentScope's form. */
export function BlockView({ block, label }: { readonly block: Block; readonly label: string }): VNode {
  const image = useMemo(() => imageOf(block), [block]);
  if (image !== undefined) return <BlobImage blob={image} alt={label} />;
  return <LongText text={textOf(block)} label={label} />;
}

function imageOf({ type, source }: Block): Blob | undefined {
  if (type !== 'data' || typeof source !== 'object' || source === null) return undefined;
  const { data, media_type: mediaType } = source as { readonly data?: unknown; readonly media_type?: unknown };
  if (typeof data !== 'string' || typeof mediaType !== 'string' || !SHOWN_IMAGES.has(mediaType)) return undefined;
  try {
    return new Blob([Uint8Array.from(atob(data), (character) => character.charCodeAt(0))], { type: mediaType });
  } catch {
    // No base64: it is shown as what it is.
    return undefined;
  }
}

function textOf(block: Block): string {
  const text = block['text'] ?? block['thinking'] ?? block['hint'];
  return typeof text === 'string' ? text : JSON.stringify(block, undefined, 2);
}
