import { createHash } from 'node:crypto';
import { ownPrefix } from '../sandbox/launch/folder.ts';
import { isOwned } from '../sandbox/launch/sweep.ts';

/** How the names of all containers of a project begin, whichever host started them. */
export function projectPrefix(project: string): string {
  return `patchbay-${createHash('sha256').update(project).digest('hex').slice(0, 12)}-`;
}

/** Gives the containers of this process their names, in which its own stands: a later host knows by it whether it lives. */
export class ContainerNames {
  /** Of the project. */
  readonly prefix: string;
  /** Of this process. */
  readonly own: string;
  #count = 0;

  constructor(project: string) {
    this.prefix = projectPrefix(project);
    this.own = ownPrefix(this.prefix);
  }

  /** One that nobody has. */
  next(): string {
    this.#count += 1;
    return `${this.own}${this.#count}`;
  }

  /** Whether it is of this project, and of a host that is dead. */
  isOrphan(name: string): boolean {
    return name.startsWith(this.prefix) && !isOwned(name.slice(this.prefix.length));
  }
}
