import { posix } from 'node:path';
import type { Backend } from '../backend/backend.ts';
import type { PathOptions } from '../backend/files.ts';
import { PathInvalidError } from '../errors/path-invalid-error.ts';
import { PathOutsideRootError } from '../errors/path-outside-root-error.ts';
import { PathProtectedError } from '../errors/path-protected-error.ts';
import type { Layout } from '../state/layout.ts';

const WORKSPACE_URL = 'workspace://';
const SKILL_INDEXES = ['.skills', '.index'];

/** A path that a tool may use. */
export interface ToolPath {
  /** Absolute and normalised, as the agent sees it. */
  readonly path: string;
  /** With every link followed. */
  readonly realPath: string;
}

/**
 * Which paths the file tools use: inside the backend's roots, and, for writing, not what the
 * workspace keeps for itself. Both are decided on real paths.
 */
export class ToolPaths {
  readonly #backend: Backend;
  readonly #layout: Layout;

  constructor(backend: Backend, layout: Layout) {
    this.#backend = backend;
    this.#layout = layout;
  }

  /** @throws `path-invalid`, `path-outside-root` */
  async readable(given: string, options: PathOptions): Promise<ToolPath> {
    const path = this.#resolve(given);
    const realPath = await this.#backend.realPath(path, options);
    const { roots } = this.#backend;
    if (roots === null) return { path, realPath };
    const realRoots = await Promise.all(roots.map((root) => this.#backend.realPath(root, options)));
    if (!realRoots.some((root) => isInside(root, realPath))) {
      throw new PathOutsideRootError({ path: given, realPath, roots });
    }
    return { path, realPath };
  }

  /** @throws `path-invalid`, `path-outside-root`, `path-protected` */
  async writable(given: string, options: PathOptions): Promise<ToolPath> {
    const resolved = await this.readable(given, options);
    const { mcpFile, stateDirectory, skillsDirectory } = this.#layout;
    // On a file system that ignores case, `.MCP` is the same file.
    const folded = async (path: string): Promise<string> => (await this.#backend.realPath(path, options)).toLowerCase();
    const [mcp, state, skills] = await Promise.all([folded(mcpFile), folded(stateDirectory), folded(skillsDirectory)]);
    const real = resolved.realPath.toLowerCase();
    const isProtected = isInside(mcp, real) || isInside(state, real) || isSkillIndex(skills, real);
    if (isProtected) throw new PathProtectedError({ path: given });
    return resolved;
  }

  #resolve(given: string): string {
    if (given.includes('\0')) throw new PathInvalidError({ path: given, reason: 'it has a NUL character' });
    if (!given.isWellFormed()) throw new PathInvalidError({ path: given, reason: 'it has half a surrogate pair' });
    if (!given.startsWith(WORKSPACE_URL)) return posix.resolve(this.#layout.workdir, given);
    return posix.join(this.#layout.workdir, decodePath(given));
  }
}

function decodePath(url: string): string {
  try {
    return decodeURIComponent(url.slice(WORKSPACE_URL.length));
  } catch (cause) {
    throw new PathInvalidError({ path: url, reason: 'its percent-encoding is broken' }, { cause });
  }
}

function isInside(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);
}

/** An index in the skills directory itself or in one of its partitions. */
function isSkillIndex(skills: string, path: string): boolean {
  if (!isInside(skills, path)) return false;
  const names = path.slice(skills.length + 1).split('/');
  return names.slice(0, 2).some((name) => SKILL_INDEXES.includes(name));
}
