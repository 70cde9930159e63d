import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatBytes } from '../parts/format.ts';
import { LongText } from '../parts/long-text.tsx';
import { type Preview, SHOWN_TEXT_BYTES } from './read-preview.ts';

export function PreviewView({ preview, name }: { readonly preview: Preview; readonly name: string }): VNode {
  switch (preview.kind) {
    case 'text':
      return (
        <>
          {preview.text === '' ? (
            <p class="empty">It is empty.</p>
          ) : (
            <LongText text={preview.text} label={`Content of ${name}`} />
          )}
          {preview.isCut && (
            <p class="quiet">
              The first {formatBytes(SHOWN_TEXT_BYTES)} of {formatBytes(preview.sizeBytes)}: download it to see the
              rest.
            </p>
          )}
        </>
      );
    case 'image':
      return <BlobImage blob={preview.blob} alt={name} />;
    case 'none':
      return <p class="empty">It is neither text nor an image that can be shown here: download it to look at it.</p>;
  }
}

/** An image by a URL that lives as long as it is shown. */
export function BlobImage({ blob, alt }: { readonly blob: Blob; readonly alt: string }): VNode | null {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url === undefined ? null : <img class="preview-image" src={url} alt={alt} />;
}
