import type { Backend } from '../backend/backend.ts';
import type { BackgroundProcess } from '../backend/background.ts';
import type { WorkspaceEventListener } from '../events/workspace-event.ts';
import type { KeyedMutex } from '../state/keyed-mutex.ts';
import type { Layout } from '../state/layout.ts';
import type { Scope } from '../scope.ts';
import { bashTool } from './bash.ts';
import type { BuiltinContext } from './builtin-context.ts';
import { editTool } from './edit.ts';
import { FileVersions } from './file-versions.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { ToolPaths } from './paths.ts';
import { readTool } from './read.ts';
import type { Tool } from './tool.ts';
import { writeTool } from './write.ts';

/** What the providers of large models take as input. */
export const DEFAULT_MEDIA_TYPES: readonly string[] = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
];

/** Below what providers take for one image. 5 MiB. */
export const DEFAULT_MAX_MEDIA_BYTES: number = 5 * 1024 * 1024;

export interface BuiltinToolsOptions {
  readonly backend: Backend;
  readonly layout: Layout;
  readonly scope: Scope;
  /** Shared by all sessions of a workspace; keys are real paths. */
  readonly fileLocks: KeyedMutex;
  readonly emit?: WorkspaceEventListener | undefined;
  /** Keeps the workspace in use; every call holds until it has ended. */
  readonly hold?: (() => Disposable) | undefined;
  /** Where the records of this session's background commands go. Default: the backend's. */
  readonly recordDirectory?: string | undefined;
  /** Told of every background command that Bash starts, to keep the workspace in use while it runs. */
  readonly onBackground?: ((process: BackgroundProcess) => void) | undefined;
  /** What Read hands to the model as data; `image/*` means all images. Default {@link DEFAULT_MEDIA_TYPES}. */
  readonly mediaTypes?: readonly string[] | undefined;
  /** Larger media are not handed over. Default {@link DEFAULT_MAX_MEDIA_BYTES}. */
  readonly maxMediaBytes?: number | undefined;
}

/** Bash, Read, Write, Edit, Glob and Grep for one session of a workspace. */
export function createBuiltinTools(options: BuiltinToolsOptions): readonly Tool[] {
  const { backend, layout } = options;
  const context: BuiltinContext = {
    backend,
    scope: options.scope,
    emit: options.emit ?? (() => undefined),
    hold: options.hold ?? (() => ({ [Symbol.dispose]: () => undefined })),
    paths: new ToolPaths(backend, layout),
    versions: new FileVersions(),
    fileLocks: options.fileLocks,
    recordDirectory: options.recordDirectory,
    onBackground: options.onBackground ?? (() => undefined),
    mediaTypes: options.mediaTypes ?? DEFAULT_MEDIA_TYPES,
    maxMediaBytes: options.maxMediaBytes ?? DEFAULT_MAX_MEDIA_BYTES,
  };
  const makers = [bashTool, readTool, writeTool, editTool, globTool, grepTool];
  return makers.map((make) => make(context));
}
