import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Hooks, messageOf } from 'patchbay-sdk';
import type { AssistantWorkspace } from '../config/assistant-settings.ts';
import type { Kernel } from '../kernel/index.ts';
import { workspacesFolder } from '../runs/chat-run.ts';
import { listSkills, placeSkills } from '../skills/index.ts';

/** What workspaces are outfitted with. */
export interface OutfitParts {
  readonly kernel: Kernel<Hooks>;
  readonly project: string;
  /** Hears what is wrong with skills. */
  readonly problem: (message: string) => void;
  /** How long what was found is good for. @default 2 seconds */
  readonly freshMs?: number;
}

/** Where agents look for skills, in the folder they work in. */
const place = ['.claude', 'skills'];

/**
 * Puts the skills of workspaces into their folders before a turn: those that are selected, as they are now. What was put there
 * before and is not selected any more is taken out. Looked at again when a while has passed: most messages find all as it was.
 */
export class Outfit {
  readonly #parts: OutfitParts;
  /** When each workspace was last looked at. */
  readonly #looked = new Map<string, number>();
  readonly #told = new Set<string>();

  constructor(parts: OutfitParts) {
    this.#parts = parts;
  }

  /** Makes the folder of a workspace ready. Never rejects: a turn without its skills is better than none. */
  async ready({ folder, skills, repoAccess }: AssistantWorkspace): Promise<void> {
    const now = performance.now();
    const looked = this.#looked.get(folder);
    // What is put into a worktree would be committed with the work.
    if (repoAccess || (looked !== undefined && now - looked < (this.#parts.freshMs ?? 2000))) return;
    this.#looked.set(folder, now);
    try {
      const listed = await listSkills(this.#parts.kernel, skills ?? undefined);
      const selected = listed.skills.filter((skill) => skill.selected);
      for (const { plugin, message } of listed.problems) this.#tell(`plugin "${plugin}": ${message}`);
      const into = this.#folderOf(folder, selected.length > 0);
      if (into === undefined) return;
      for (const { plugin, message } of await placeSkills(into, selected)) this.#tell(`plugin "${plugin}": ${message}`);
    } catch (error) {
      this.#tell(`the skills of workspace "${folder}" could not be put in place: ${messageOf(error)}`);
    }
  }

  /** The folder for skills; undefined if there is none and none is needed. Throws if a link is on the way: it leads elsewhere. */
  #folderOf(folder: string, isNeeded: boolean): string | undefined {
    let dir = join(this.#parts.project, workspacesFolder);
    for (const name of [folder, ...place]) {
      dir = join(dir, name);
      const found = lstatSync(dir, { throwIfNoEntry: false });
      if (found === undefined && !isNeeded) return undefined;
      if (found === undefined) mkdirSync(dir, { recursive: true });
      else if (!found.isDirectory()) throw new Error(`${dir} is not a folder`);
    }
    return dir;
  }

  #tell(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#parts.problem(message);
  }
}
