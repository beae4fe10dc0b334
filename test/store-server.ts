import type { TestProject } from 'vitest/node';
import { PostgresServer } from './postgres.ts';

/** The server of a suite that runs on PostgreSQL. It does not crash, and so need not wait for the disk. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await PostgresServer.start({ fsync: 'off', full_page_writes: 'off', max_connections: '200' });
  project.provide('postgres', server.url());
  return () => server.remove();
}
