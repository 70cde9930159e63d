import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface FileButtonProps {
  readonly label: string;
  /** Endings that are offered, as the attribute has them. Default: all. */
  readonly accept?: string | undefined;
  /** Takes a folder, with all that is in it. */
  readonly isFolder?: boolean | undefined;
  readonly isMultiple?: boolean | undefined;
  readonly isDisabled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

/** A button that asks for files. The browser's own cannot be styled, and reads `No file chosen`. */
export function FileButton({ label, accept, isFolder, isMultiple, isDisabled, onFiles }: FileButtonProps): VNode {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current !== null) input.current.webkitdirectory = isFolder === true;
  }, [isFolder]);
  return (
    <>
      <button type="button" disabled={isDisabled} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        multiple={isMultiple === true}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          // The same file may be chosen again, when it has changed.
          currentTarget.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
    </>
  );
}
