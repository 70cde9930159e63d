import { describe, expect, it } from 'vitest';
import type { GatewayRoute } from './gateway-routes.ts';
import { jsonReply } from './reply.ts';
import { RouteTable } from './route-table.ts';

const route = (method: GatewayRoute['method'], path: string): GatewayRoute => ({
  method,
  route: path,
  handle: () => jsonReply(path),
});
const table = new RouteTable([
  route('POST', '/exec'),
  route('GET', '/mcps/{name}'),
  route('POST', '/mcps/{name}/tools/{tool}'),
]);

describe('RouteTable', () => {
  it('finds a route by method and path, with the parts of the path', () => {
    expect(table.find('POST', '/exec')?.parts).toEqual({});
    expect(table.find('GET', '/mcps/a%2Fb')?.parts).toEqual({ name: 'a/b' });
    expect(table.find('POST', '/mcps/x/tools/y')?.parts).toEqual({ name: 'x', tool: 'y' });
  });

  it.each([
    ['GET', '/exec'],
    ['POST', '/exec/'],
    ['POST', '/mcps/x'],
    ['GET', '/mcps/'],
    ['GET', '/mcps/x/tools'],
    ['GET', '/__proto__'],
  ])('finds none for %s %s', (method, path) => {
    expect(table.find(method, path)).toBeUndefined();
  });

  it('takes a part that is not well encoded as it is', () => {
    expect(table.find('GET', '/mcps/%zz')?.parts).toEqual({ name: '%zz' });
  });
});
