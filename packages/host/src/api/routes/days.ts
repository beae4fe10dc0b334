import * as z from 'zod/mini';
import { requestDay } from '../../day/request.ts';
import { type Route, route } from '../route.ts';
import { count, maybe, who } from '../schemas.ts';

export const dayRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/days',
    summary: 'Asks for a day of the plan, or for the next one. One that is shipped or under way is not begun again.',
    status: 202,
    body: z.strictObject({ day: z.union([z.int().check(z.minimum(1)), z.literal('next')]), by: who }),
    answer: z.object({
      /** `none` if all days are shipped. */
      state: z.enum(['begun', 'under-way', 'shipped', 'none']),
      day: z.nullable(count),
      run_id: maybe,
    }),
    handle: async ({ body }, { project, service: { ledger, runs } }) => {
      const answer = await requestDay({ project, ledger, runs }, body);
      if (answer.kind === 'none') return { state: 'none' as const, day: null, run_id: null };
      return { state: answer.kind, day: answer.day, run_id: answer.run_id };
    },
  }),
];
