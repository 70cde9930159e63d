import { z } from 'zod';
import { ApiError } from '../control/api-error.ts';
import type { Route } from '../control/route.ts';
import { faultSchema } from './fault.ts';
import type { Faults } from './faults.ts';

export const FAULTS_PATH = '/_emulator/faults';

/** Lets whoever has only a URL inject faults. */
export function createFaultRoutes(faults: Faults): readonly Route[] {
  return [
    { name: 'faults', method: 'GET', path: FAULTS_PATH, handle: () => ({ status: 200, body: faults.all }) },
    {
      name: 'faults',
      method: 'POST',
      path: FAULTS_PATH,
      handle: async (request) => {
        const { id } = faults.add(await request.body(faultSchema));
        return { status: 201, body: { id } };
      },
    },
    {
      name: 'faults',
      method: 'DELETE',
      path: FAULTS_PATH,
      handle: () => {
        faults.clear();
        return { status: 204 };
      },
    },
    {
      name: 'faults',
      method: 'DELETE',
      path: `${FAULTS_PATH}/:id`,
      handle: ({ params }) => {
        const id = z.coerce.number().safeParse(params['id']);
        if (!id.success || !faults.remove(id.data)) throw new ApiError(404, `There is no fault ${params['id'] ?? ''}`);
        return { status: 204 };
      },
    },
  ];
}
