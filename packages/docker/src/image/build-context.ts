import type { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import type { ImageFile } from './image-recipe.ts';
import { CONTEXT_DIRECTORY } from './layout.ts';

/** The same for every build, so that layers are found again. */
const MODIFIED = new Date(0);

/** What the engine builds from, as a tar archive. */
export function buildContext(dockerfile: string, files: readonly ImageFile[]): Readable {
  const archive = pack();
  archive.entry({ name: 'Dockerfile', mtime: MODIFIED }, dockerfile);
  for (const { name, content, mode = 0o644 } of files) {
    archive.entry({ name: `${CONTEXT_DIRECTORY}/${name}`, mode, mtime: MODIFIED }, Buffer.from(content));
  }
  archive.finalize();
  return archive as unknown as Readable;
}
