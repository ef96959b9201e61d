import type { TestProject } from "vitest/node";
import { builtLauncher } from "../test/support/built.ts";
import { INSTALLED, serversFolder } from "../test/support/postgres-server.ts";
import type {} from "../test/support/postgres.ts";

/** The program, and the folder of the servers that tests start; no server runs before a test asks for one. */
export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  process.env["PAYDROP_TEST_LAUNCHER"] = await builtLauncher();
  if (!INSTALLED) return undefined;
  const { folder, end } = serversFolder();
  project.provide("postgresFolder", folder);
  return end;
}
