export { fixtureServer, type FixtureServerName, fixtureServerSource } from './mcp-servers/fixture-server.ts';
export { toolsBashContract } from './workspace-contract/tools-bash.ts';
export { toolsReadContract } from './workspace-contract/tools-read.ts';
export { toolsSearchContract } from './workspace-contract/tools-search.ts';
export type { ToolsContractOptions, ToolsSubject } from './workspace-contract/tools-subject.ts';
export { toolsWriteEditContract } from './workspace-contract/tools-write-edit.ts';
