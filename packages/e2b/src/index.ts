export {
  listManagedSandboxes,
  type ManagedSandbox,
  type ManagedSandboxesOptions,
  pauseManagedSandbox,
} from './control/managed-sandboxes.ts';
export type { E2BConnectionOptions, E2BSandboxOptions } from './e2b-options.ts';
export { E2BWorkspace, type E2BWorkspaceOptions } from './e2b-workspace.ts';
export {
  listWorkspaceSandboxes,
  type ListWorkspaceSandboxesOptions,
  type WorkspaceSandbox,
} from './control/list-workspace-sandboxes.ts';
export { buildTemplate, type BuildTemplateOptions, type BuiltTemplate } from './template/build-template.ts';
export type { WorkspaceTemplateOptions } from './template/workspace-template.ts';
