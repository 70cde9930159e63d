import { describe, expect, it } from 'vitest';
import { matchRoute, type Route } from './route.ts';

const route = (name: string, method: string, path: string): Route => ({
  name,
  method,
  path,
  handle: () => ({ status: 200 }),
});

const ROUTES = [
  route('list', 'GET', '/sandboxes'),
  route('get', 'GET', '/sandboxes/:sandboxID'),
  route('pause', 'POST', '/sandboxes/:sandboxID/pause'),
  route('volumes', '*', '/volumes/*'),
];

describe('matchRoute', () => {
  it.each([
    ['GET', '/sandboxes', 'list', {}],
    ['GET', '/sandboxes/i%201', 'get', { sandboxID: 'i 1' }],
    ['POST', '/sandboxes/i1/pause', 'pause', { sandboxID: 'i1' }],
    ['DELETE', '/volumes/a/b', 'volumes', {}],
    ['GET', '/volumes', 'volumes', {}],
  ])('finds %s %s', (method, path, name, params) => {
    const match = matchRoute(ROUTES, method, path);
    expect([match?.route.name, match?.params]).toEqual([name, params]);
  });

  it.each([
    ['POST', '/sandboxes'],
    ['GET', '/sandboxes/'],
    ['GET', '/sandboxes/i1/pause'],
    ['GET', '/volumesx'],
  ])('finds nothing for %s %s', (method, path) => {
    expect(matchRoute(ROUTES, method, path)).toBeUndefined();
  });
});
