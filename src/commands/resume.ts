import { PaydropError } from "../errors.ts";
import type { Call } from "./command.ts";
import { letGo, type Prepare } from "./let-go.ts";
import { resumeInbox } from "./resume-inbox.ts";
import { asGoing, makeReady, safeRows } from "./retry.ts";
import { staysText } from "./stays.ts";
import { personOrLogin, textSaid } from "./who.ts";

/** A paused batch goes on: nothing else starts it again. Exit code as `run`. */
export async function run(call: Call): Promise<number> {
  if (call.flags["inbox"] !== undefined) return resumeInbox(call);
  return letGo(call, prepareResume);
}

const prepareResume: Prepare = async ({ call, config, journal, batch }) => {
  const { by, remark } = personOrLogin(config);
  if (batch.phase === "cancelled") {
    throw new PaydropError(
      "usage",
      `batch ${batch.id} is cancelled: it does not go on`,
      "what was not sent stays unsent; put the rows that must go after all into a new file",
    );
  }
  const rows = await safeRows(journal, batch, ["ready", "not_sent", "rejected"]);
  const stays = await staysText(journal, batch, rows);
  const base = { act: "resume", by, code: 0 } as const;
  if (batch.phase === "open") {
    return {
      ...base,
      rows: [],
      stays: [`Batch ${batch.id} is not paused; paydrop retry ${batch.id} sends what was not sent`],
    };
  }
  const note = [textSaid(call.flags["reason"]), remark].filter(Boolean).join("; ");
  return {
    ...base,
    rows: rows.map(asGoing),
    stays: [...(rows.length === 0 ? ["The batch is open again; nothing of it waits to be sent."] : []), ...stays],
    apply: async () => {
      await journal.setPhase(batch.id, "open", { by, kind: "resume", note });
      await makeReady(journal, batch, rows, { by, kind: "resume", note: `${rows.length} rows` });
    },
  };
};
