import { findTemplate } from '../runs/template/find.ts';
import type { Template } from '../runs/template/template.ts';
import { Assistant, type AssistantParts } from './chats.ts';

export { Assistant, type AssistantParts, type ChatOverview } from './chats.ts';
export type { Approvals, PendingCall } from './commands.ts';
export type { HeardMessage } from './heard.ts';
export type { Prompt } from './intake.ts';
export { terminalChat } from './terminal.ts';
export { ChatTurns } from './turns.ts';

/** The template by which messages are answered. */
const templateName = 'chat';
/** How long a template that was read is good for: messages come often, changes of it do not. */
const freshMs = 2000;

/** Starts the assistant side of a host. */
export async function startAssistant(parts: Omit<AssistantParts, 'template'>): Promise<Assistant> {
  const assistant = new Assistant({ ...parts, template: templateOf(parts.project) });
  await assistant.start();
  return assistant;
}

/** Reads the template of a project, now and then. Throws as `findTemplate` does. */
function templateOf(project: string): () => Template {
  let kept: { readonly template: Template; readonly until: number } | undefined;
  return () => {
    if (kept === undefined || kept.until < performance.now()) {
      kept = { template: findTemplate(templateName, project), until: performance.now() + freshMs };
    }
    return kept.template;
  };
}
