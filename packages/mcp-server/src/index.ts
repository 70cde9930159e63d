export { servedToolName } from './catalogue/served-name.ts';
export type { WorkspacePlace } from './content/instructions.ts';
export { type HttpMcpServer, serveHttp, type ServeHttpOptions } from './http/serve-http.ts';
export { WorkspaceMcpHandler, type WorkspaceMcpHandlerOptions } from './http/workspace-mcp-handler.ts';
export type { OpenContext, WorkspaceMcpOptions } from './mcp-server-options.ts';
export { serveStdio } from './stdio/serve-stdio.ts';
export { StdioTransport } from './stdio/stdio-transport.ts';
export { WorkspaceMcpServer } from './workspace-mcp-server.ts';
