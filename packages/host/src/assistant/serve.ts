import { join } from 'node:path';
import { type Hooks, messageOf } from 'patchbay-sdk';
import type { Project } from '../config/project.ts';
import { stateDir } from '../config/state.ts';
import type { Kernel } from '../kernel/index.ts';
import type { Service } from '../service.ts';
import { type Assistant, startAssistant } from './index.ts';
import { Schedules } from './schedules.ts';

/** What the assistant side of a serving host is made of. */
export interface ServeAssistantParts {
  readonly kernel: Kernel<Hooks>;
  readonly project: Project;
  readonly service: Service;
  readonly warn: (message: string) => void;
}

/** The assistant side of a host, with its schedules. */
export interface ServedAssistant {
  readonly assistant: Assistant;
  /** Takes and gives nothing more; the next host goes on. */
  close(): Promise<void>;
}

/** Begins to talk with people, and to give workspaces their prompts. Throws RUNTIME_UNAVAILABLE where a runtime is named. */
export async function serveAssistant({
  kernel,
  project,
  service,
  warn,
}: ServeAssistantParts): Promise<ServedAssistant> {
  const { ledger, emitter, runs, surroundings } = service;
  const { workspaces, turns, services, containers } = surroundings;
  const { container, ...settings } = project.assistant;
  if (workspaces.length > 0) {
    await containers.start().catch((error) => {
      // Whoever named one should hear of it before anything is asked of it.
      if (container.runtime !== null) throw error;
      warn(messageOf(error));
    });
  }
  const assistant = await startAssistant({
    kernel,
    ledger,
    emitter,
    runs,
    project: project.dir,
    settings,
    workspaces: () => workspaces,
    turns,
    approvals: services,
    warn,
  });
  const schedules = new Schedules({
    workspaces,
    ledger,
    oldFile: join(stateDir(project.dir), 'schedules.json'),
    fire: ({ folder, schedule }, due) =>
      assistant.prompt(folder, {
        id: idOf(due),
        text: schedule?.prompt ?? '',
        context: schedule?.contextMode ?? 'isolated',
      }),
    wasFired: ({ folder }, due) => assistant.wasPrompted(folder, idOf(due)),
    isBusy: ({ folder }) => assistant.isPrompted(folder),
    failed: ({ folder }, error) => warn(`workspace "${folder}" was not given its prompt: ${messageOf(error)}`),
  });
  try {
    await schedules.start();
  } catch (error) {
    await assistant.close();
    throw error;
  }
  return {
    assistant,
    close: async () => {
      await schedules.close();
      await assistant.close();
    },
  };
}

function idOf(due: Date): string {
  return `schedule-${due.toISOString()}`;
}
