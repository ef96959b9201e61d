import { expect, test } from "vitest";
import { Gate } from "../../src/drop-folder/gate.ts";
import { stopOfSignal } from "../../src/submission/stop-rules.ts";

function asked(): { readonly end: () => void; readonly signal: ConstructorParameters<typeof Gate>[0] } {
  const soft = new AbortController();
  return { end: () => soft.abort(), signal: { soft: soft.signal, hard: new AbortController().signal } };
}

test("a gate that a STOP closed opens again; one that was closed for good does not", () => {
  const { end, signal } = asked();
  const gate = new Gate(signal);
  gate.close();
  expect([gate.soft.aborted, gate.isOver]).toEqual([true, false]);
  gate.open();
  expect(gate.soft.aborted).toBe(false);
  end();
  expect([gate.soft.aborted, gate.isOver]).toEqual([true, true]);
  gate.open();
  expect(gate.soft.aborted).toBe(true);
});

test("what was asked to stop before it began never opens", () => {
  const { end, signal } = asked();
  end();
  expect(new Gate(signal).soft.aborted).toBe(true);
});

test("what goes is not cut off by opening a gate that is open", () => {
  const gate = new Gate(asked().signal);
  const { soft } = gate;
  gate.open();
  gate.close();
  expect(soft.aborted).toBe(true);
});

test("whoever asks at the gate hears whether somebody asked to stop, and how, or something else failed", () => {
  const { end, signal } = asked();
  const gate = new Gate(signal);
  gate.closeForFailure();
  expect(stopOfSignal(gate.soft).code).toBe("work_failed");
  gate.open();
  gate.close();
  expect(stopOfSignal(gate.soft).code).toBe("stop_file");
  gate.open();
  end();
  expect(stopOfSignal(gate.soft).code).toBe("signal");
});
