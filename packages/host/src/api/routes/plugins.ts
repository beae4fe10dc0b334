import * as z from 'zod/mini';
import { describePlugin } from '../../install/describe.ts';
import { type Listed, listPlugins } from '../../install/listing.ts';
import { enablePlugin } from '../../install/manage.ts';
import { type Route, route } from '../route.ts';
import { json, pluginName, text } from '../schemas.ts';

const params = z.strictObject({ name: pluginName });
const listed = z.object({
  name: text,
  version: text,
  hooks: z.array(text),
  enabled: z.boolean(),
  status: text,
  source: text,
});
const described = z.extend(listed, { manifest: json, grants: z.array(text) });

function shown({ hooks, ...rest }: Listed): z.output<typeof listed> {
  return { ...rest, hooks: [...hooks] };
}

function switching(enabled: boolean): Route {
  const verb = enabled ? 'on' : 'off';
  return route({
    method: 'post',
    path: `/plugins/{name}/${enabled ? 'enable' : 'disable'}`,
    summary: `Switches a plugin ${verb} in the project file. The host heeds it when it is started again.`,
    params,
    answer: listed,
    handle: async ({ params: { name } }, { project }) => shown(await enablePlugin(project.dir, name, enabled)),
  });
}

export const pluginRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/plugins',
    summary: 'The plugins of the project.',
    answer: z.object({ items: z.array(listed) }),
    handle: async (_, { project }) => ({ items: (await listPlugins(project.dir)).map(shown) }),
  }),
  route({
    method: 'get',
    path: '/plugins/{name}',
    summary: 'What a plugin is, may do and where it came from.',
    params,
    answer: described,
    handle: async ({ params: { name } }, { project }) => {
      const { manifest, grants, ...rest } = await describePlugin(project.dir, name);
      return { ...shown(rest), manifest: { ...manifest }, grants: [...grants] };
    },
  }),
  switching(true),
  switching(false),
];
