export { type McpConfig, readMcpConfigs, type ReadMcpConfigOptions } from './config/read-mcp-config.ts';
export { type CliSurroundings, runCli } from './run-cli.ts';
export { UsageError } from './usage-error.ts';
