import type { TestProject } from "vitest/node";
import { INSTALLED, serversFolder } from "../test/support/postgres-server.ts";
import type {} from "../test/support/postgres.ts";

/** The folder of the servers that tests start; no server runs before a test asks for one. */
export default function setUp(project: TestProject): (() => Promise<void>) | undefined {
  if (!INSTALLED) return undefined;
  const { folder, end } = serversFolder();
  project.provide("postgresFolder", folder);
  return end;
}
