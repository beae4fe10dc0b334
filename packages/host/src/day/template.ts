import { PatchbayError, suggestion } from 'patchbay-sdk';
import type { PaceSettings } from '../config/pace.ts';
import type { Project } from '../config/project.ts';
import { findTemplate } from '../runs/template/find.ts';
import type { Warn } from '../runs/template/read.ts';
import type { Gate, Template } from '../runs/template/template.ts';

/** The template of days. */
export const dayTemplate = 'pace';

/**
 * How a day of this project is carried out: as the template says, with the attempts, the cap and the gates of its PACE
 * settings, and at the most what is left of the total. Throws what `findTemplate` does, and PROJECT_INVALID for a gate that
 * the template does not have.
 */
export function templateOfDay({ dir, pace }: Project, leftUsd: number | null, warn?: Warn): Template {
  const template = findTemplate(dayTemplate, dir, warn);
  const { attempts, usd } = template.limits;
  const caps = [pace?.cost.dayUsd ?? usd, leftUsd].filter((cap) => cap !== null);
  const limits = {
    ...template.limits,
    attempts: pace?.attempts ?? attempts,
    usd: caps.length === 0 ? null : Math.min(...caps),
  };
  return { ...template, limits, gates: { ...template.gates, ...(pace === null ? {} : gatesOf(template, pace)) } };
}

function gatesOf({ gates, name }: Template, { gates: wanted, file }: PaceSettings): Record<string, Gate> {
  return Object.fromEntries(
    Object.entries(wanted).map(([gate, kind]) => {
      const known = gates[gate];
      if (known === undefined) {
        const message = `${file}: "gates.${gate}": template "${name}" has no such gate; ${suggestion(gate, Object.keys(gates))}`;
        throw new PatchbayError('PROJECT_INVALID', message, { file, field: `gates.${gate}` });
      }
      return [gate, { ...known, approval: approvalOf(known, kind) }];
    }),
  );
}

function approvalOf({ approval }: Gate, kind: 'human' | 'automatic'): Gate['approval'] {
  if (approval.kind === kind) return approval;
  const { policy: _, ...rest } = approval;
  return { ...rest, kind, quorum: kind === 'automatic' ? 0 : Math.max(1, approval.quorum) };
}
