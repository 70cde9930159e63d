import { posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Backend } from '../backend/backend.ts';
import { NOISE_NAMES, type TreeEntry } from '../backend/trees.ts';
import { FileNotFoundError } from '../errors/file-not-found-error.ts';
import { NotADirectoryError } from '../errors/not-a-directory-error.ts';
import { PermissionDeniedError } from '../errors/permission-denied-error.ts';
import { StateFileInvalidError } from '../errors/state-file-invalid-error.ts';
import { WorkspaceError } from '../errors/workspace-error.ts';
import type { Diagnostic } from '../events/diagnostics.ts';
import { hashSkillFile, parseSkillDocument, type SkillDocument, SkillDocumentError } from './skill-document.ts';
import { SkillIndex } from './skill-index.ts';
import { MAX_SKILL_FILE_BYTES, MAX_SKILLS, SKILL_FILE } from './skill-limits.ts';
import type { SkillLocation } from './skill-location.ts';

/** A folder with a SKILL.md that can be used. */
export interface ScannedSkill {
  readonly folder: string;
  readonly document: SkillDocument;
}

/** What is in a directory of skills. */
export interface SkillScan {
  readonly location: SkillLocation;
  /** Sorted by folder. */
  readonly skills: readonly ScannedSkill[];
  /** Every folder with a SKILL.md, usable or not. */
  readonly skillFolders: ReadonlySet<string>;
  /** Folders without one, and hidden ones. */
  readonly otherFolders: ReadonlySet<string>;
  /** Of everything in the directory. */
  readonly entryNames: readonly string[];
  /** The directory has a SKILL.md itself. */
  readonly isSkill: boolean;
  /** Empty where there is none, or one that cannot be used. */
  readonly index: SkillIndex;
  readonly isIndexBroken: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

interface ParsedSkillFile {
  readonly hash: string;
  readonly document: SkillDocument | SkillDocumentError;
}

/** How long parsing may keep others from running. */
const MAX_BLOCKED_MS = 10;

/** Reads directories of skills, each in one go, and parses again only the SKILL.md that changed. */
export class SkillScanner {
  readonly #backend: Backend;
  readonly #parsed = new Map<string, ReadonlyMap<string, ParsedSkillFile>>();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** `undefined` if there is no such directory. */
  async scan(location: SkillLocation): Promise<SkillScan | undefined> {
    const diagnostics: Diagnostic[] = [];
    const [entries, skillFiles, index] = await Promise.all([
      ifThere(this.#backend.readDirectory(location.directory)),
      ifThere(this.#readSkillFiles(location.directory)),
      readIndex(this.#backend, location, diagnostics),
    ]);
    if (entries === undefined || skillFiles === undefined) return undefined;
    for (const { name, kind } of entries) {
      if (kind !== 'link' || name.startsWith('.') || name === SKILL_FILE) continue;
      diagnostics.push(
        skillWarning(posix.join(location.directory, name), 'it is a link; a skill is a folder of its own'),
      );
    }
    const skills = await this.#load(location, skillFiles, diagnostics);
    return {
      location,
      skills,
      skillFolders: new Set(skillFiles.keys()),
      otherFolders: new Set(
        entries.filter(({ name, kind }) => kind === 'directory' && !skillFiles.has(name)).map(({ name }) => name),
      ),
      isSkill: entries.some(({ name }) => name === SKILL_FILE),
      entryNames: entries.map(({ name }) => name),
      index: index ?? SkillIndex.empty(),
      isIndexBroken: index === undefined,
      diagnostics,
    };
  }

  /** By folder; hidden folders are somebody's own business. */
  async #readSkillFiles(directory: string): Promise<ReadonlyMap<string, TreeEntry>> {
    const entries = await this.#backend.readTree(directory, {
      names: [SKILL_FILE],
      maxDepth: 2,
      maxFileBytes: MAX_SKILL_FILE_BYTES,
      ignoreNames: NOISE_NAMES,
    });
    const files = entries.filter(({ path }) => path !== SKILL_FILE && !path.startsWith('.'));
    return new Map(files.map((entry) => [posix.dirname(entry.path), entry]));
  }

  async #load(
    { directory, indexPath }: SkillLocation,
    skillFiles: ReadonlyMap<string, TreeEntry>,
    diagnostics: Diagnostic[],
  ): Promise<readonly ScannedSkill[]> {
    const before = this.#parsed.get(directory);
    const parsed = new Map<string, ParsedSkillFile>();
    const skills: ScannedSkill[] = [];
    const folders = [...skillFiles.keys()].toSorted(byCodeUnit);
    let pausedAt = performance.now();
    for (const folder of folders.slice(0, MAX_SKILLS)) {
      if (performance.now() - pausedAt > MAX_BLOCKED_MS) {
        await setImmediate();
        pausedAt = performance.now();
      }
      const path = posix.join(directory, folder, SKILL_FILE);
      try {
        const bytes = await this.#bytes(directory, skillFiles.get(folder));
        const hash = hashSkillFile(bytes);
        const cached = before?.get(folder);
        const file = cached?.hash === hash ? cached : await parse(bytes, hash, folder);
        parsed.set(folder, file);
        if (file.document instanceof SkillDocumentError) throw file.document;
        skills.push({ folder, document: file.document });
        for (const reason of file.document.warnings) diagnostics.push(skillWarning(path, reason));
      } catch (error) {
        if (!(error instanceof SkillDocumentError)) throw error;
        diagnostics.push({ kind: 'skill', path, reason: error.message, severity: 'error' });
      }
    }
    if (folders.length > MAX_SKILLS) {
      const reason = `it holds ${folders.length} skills, and only the first ${MAX_SKILLS} are listed`;
      diagnostics.push({ kind: 'skill', path: indexPath, reason, severity: 'error' });
    }
    this.#parsed.set(directory, parsed);
    return skills;
  }

  async #bytes(directory: string, entry: TreeEntry | undefined): Promise<Uint8Array> {
    if (entry?.kind === 'link') return this.#linkedBytes(directory, entry.path);
    if (entry?.kind !== 'file') throw new SkillDocumentError('its SKILL.md is no regular file');
    if (entry.stat !== undefined && entry.stat.sizeBytes > MAX_SKILL_FILE_BYTES) {
      throw new SkillDocumentError(`its SKILL.md is larger than ${MAX_SKILL_FILE_BYTES} bytes`);
    }
    if (entry.bytes.byteLength === 0 && entry.stat !== undefined && entry.stat.sizeBytes > 0) {
      throw new SkillDocumentError('its SKILL.md may not be read; check its owner and mode');
    }
    return entry.bytes;
  }

  /** A SKILL.md that is a link counts where it leads to a file of its own folder. */
  async #linkedBytes(directory: string, path: string): Promise<Uint8Array> {
    const link = posix.join(directory, path);
    try {
      const [folder, target] = await Promise.all([
        this.#backend.realPath(posix.dirname(link)),
        this.#backend.realPath(link),
      ]);
      if (target.startsWith(`${folder}/`)) {
        const { bytes } = await this.#backend.readFile(target, { noFollow: true, maxBytes: MAX_SKILL_FILE_BYTES });
        return bytes;
      }
    } catch (error) {
      if (!WorkspaceError.isInstance(error)) throw error;
      throw new SkillDocumentError(`its SKILL.md is a link that cannot be followed: ${error.message}`, {
        cause: error,
      });
    }
    throw new SkillDocumentError('its SKILL.md is a link that leads out of its folder');
  }
}

/** `undefined` where the directory is not there, or is none. */
async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (FileNotFoundError.isInstance(error) || NotADirectoryError.isInstance(error)) return undefined;
    throw error;
  }
}

async function readIndex(
  backend: Backend,
  { indexPath }: SkillLocation,
  diagnostics: Diagnostic[],
): Promise<SkillIndex | undefined> {
  try {
    return await SkillIndex.read(backend, indexPath);
  } catch (error) {
    const isInvalid = StateFileInvalidError.isInstance(error);
    if (!isInvalid && !PermissionDeniedError.isInstance(error)) throw error;
    const reason = isInvalid ? error.details.reason : 'it may not be read';
    diagnostics.push(skillWarning(indexPath, `${reason}; skills have the names in their SKILL.md until it is mended`));
    return undefined;
  }
}

/** A failure is kept, too, so that what takes long to refuse takes long once. */
async function parse(bytes: Uint8Array, hash: string, folder: string): Promise<ParsedSkillFile> {
  try {
    return { hash, document: await parseSkillDocument(bytes, folder) };
  } catch (error) {
    if (!(error instanceof SkillDocumentError)) throw error;
    return { hash, document: error };
  }
}

/** Something that is wrong with a skill. */
export function skillWarning(path: string, reason: string): Diagnostic {
  return { kind: 'skill', path, reason, severity: 'warning' };
}

function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
