import { describe, expect, it } from 'vitest';
import { checkConditions, isRangeCurrent, parseRange } from './conditions.ts';

describe('parseRange', () => {
  it.each([
    ['bytes=0-4', 10, { start: 0, end: 4 }],
    ['bytes=7-', 10, { start: 7, end: 9 }],
    ['bytes=-3', 10, { start: 7, end: 9 }],
    ['bytes=-30', 10, { start: 0, end: 9 }],
    ['bytes=4-400', 10, { start: 4, end: 9 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=5-2', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=-', 10, 'unsatisfiable'],
    ['bytes=x-2', 10, 'unsatisfiable'],
    ['items=0-2', 10, 'unsatisfiable'],
    ['bytes=0-1,4-5', 10, undefined],
    ['bytes=0-', 0, undefined],
  ] as const)('reads %s of %d bytes', (header, size, expected) => {
    expect(parseRange(header, size)).toEqual(expected);
  });
});

describe('conditions', () => {
  const modifiedMs = Date.UTC(2026, 0, 2, 3, 4, 5, 600);
  const [before, same, after] = [-1, 0, 1].map((seconds) => new Date(modifiedMs + seconds * 1000).toUTCString());

  it.each([
    [{}, undefined],
    [{ 'if-modified-since': same }, 304],
    [{ 'if-modified-since': after }, 304],
    [{ 'if-modified-since': before }, undefined],
    [{ 'if-modified-since': 'yesterday' }, undefined],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"tag"', 'if-modified-since': after }, undefined],
    [{ 'if-unmodified-since': before }, 412],
    [{ 'if-unmodified-since': same }, undefined],
    [{ 'if-match': '"tag"' }, 412],
    [{ 'if-match': '*' }, undefined],
  ])('%j gives %s', (headers, expected) => {
    expect(checkConditions(headers, modifiedMs)).toBe(expected);
  });

  it('takes a range for current by the exact date only', () => {
    expect(isRangeCurrent({}, modifiedMs)).toBe(true);
    expect(isRangeCurrent({ 'if-range': same }, modifiedMs)).toBe(true);
    expect(isRangeCurrent({ 'if-range': after }, modifiedMs)).toBe(false);
    expect(isRangeCurrent({ 'if-range': '"tag"' }, modifiedMs)).toBe(false);
  });
});
