import { type Backend, createBuiltinTools, KeyedMutex, Layout, type Tool } from '@agent-workspace/core';

/** Only asked for when a tool is called, which these are not. */
const NO_BACKEND = {} as Backend;

/** The six tools as they are described before there is a workspace. They cannot be called. */
export function describedBuiltins(): readonly Tool[] {
  return createBuiltinTools({
    backend: NO_BACKEND,
    layout: new Layout('/'),
    scope: {},
    fileLocks: new KeyedMutex(),
  });
}
