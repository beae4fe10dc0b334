import { DBOSClient } from '@dbos-inc/dbos-sdk';

export const application = 'bench';
export const queue = 'steps';
export const workflow = 'steps';
/** How often a worker of DBOS looks whether there is work: every second as it comes, which would leave it without work in between. */
export const pollingMs = 50;

/** Puts so many workflows of so many steps into the queue of DBOS. */
export async function enqueueWorkflows(url: string, workflows: number, steps: number): Promise<void> {
  const client = await DBOSClient.create({ systemDatabaseUrl: url });
  try {
    const options = { workflowName: workflow, queueName: queue };
    await Promise.all(Array.from({ length: workflows }, () => client.enqueue(options, steps)));
  } finally {
    await client.destroy();
  }
}
