export { DirectMCPClient, type DirectMCPClientOptions } from './direct-mcp-client.ts';
