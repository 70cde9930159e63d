export { CallGate } from './call-gate.ts';
export { defineTool, type DefineToolOptions, type ToolInputSchema, type ToolOutput } from './define-tool.ts';
export { skillPrompt } from './skill-prompt.ts';
export { SKILL_VIEWER_NAME, skillViewer } from './skill-viewer.ts';
export { Toolkit, type ToolkitOptions, type ToolkitProblem } from './toolkit.ts';
