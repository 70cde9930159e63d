import type { GatewayContext } from './gateway-context.ts';

/** A route of the protocol as the router has it. */
export function routerPath(route: string): string {
  return route.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** A part of the path that the route names. */
export function pathPart(context: GatewayContext, name: string): string {
  return context.req.param(name) ?? '';
}
