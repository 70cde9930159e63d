export { CallGate } from './call-gate.ts';
export {
  defineTool,
  type DefineToolOptions,
  type ToolContext,
  type ToolInputSchema,
  type ToolkitCallOptions,
} from './define-tool.ts';
export type { PermissionCall, PermissionRule, Permissions, Verdict } from './permissions.ts';
export type { RenameTool, ToolOrigin } from './rename-tool.ts';
export { RESET_TOOLS_NAME } from './reset-tools.ts';
export type { SkillLoader, SkillOrLoader } from './skill-loader.ts';
export { skillPrompt } from './skill-prompt.ts';
export { SKILL_VIEWER_NAME, skillViewer } from './skill-viewer.ts';
export type { ToolkitProblem } from './tool-catalog.ts';
export { BASIC_GROUP, type ToolGroup } from './tool-group.ts';
export type { CallChange, ToolHooks } from './tool-hooks.ts';
export type { ToolOutput } from './tool-output.ts';
export { type ListOptions, type RunOptions, Toolkit, type ToolkitOptions } from './toolkit.ts';
