import { expect, test } from "vitest";
import type { ApprovalRequest } from "../../../src/protocol.ts";
import { Approvals, type Withdrawal } from "../../../src/run/approvals.ts";

class Token implements Withdrawal {
  isCancellationRequested = false;
  #listener: () => void = () => {};
  onCancellationRequested(listener: () => void): void {
    this.#listener = listener;
  }
  cancel(): void {
    this.isCancellationRequested = true;
    this.#listener();
  }
}

function request(approvalId: string, more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    approvalId,
    runId: "run",
    callId: `call-${approvalId}`,
    tool: "add",
    arguments: { a: 1 },
    argsDigest: `digest-${approvalId}`,
    options: [
      { optionId: "yes", kind: "allow_once", label: "Allow once" },
      { optionId: "no", kind: "reject_once", label: "Deny" },
    ],
    ...more,
  };
}

const quiet = () => {};
const yes = (id: string) => ({ approvalId: id, argsDigest: `digest-${id}`, optionId: "yes" });
const no = (id: string, feedback: string) => ({ ...yes(id), optionId: "no", feedback });

test("three approvals answered out of order each get their own answer", async () => {
  const approvals = new Approvals(quiet);
  const asked = ["a", "b", "c"].map((id) => approvals.ask(request(id), new Token()));
  approvals.answer(no("c", "  not now "));
  approvals.answer(yes("a"));
  expect(approvals.waiting.map(({ request }) => request.approvalId)).toEqual(["b"]);
  approvals.answer(yes("b"));
  expect(await Promise.all(asked)).toEqual([
    { approvalId: "a", argsDigest: "digest-a", outcome: "selected", optionId: "yes" },
    { approvalId: "b", argsDigest: "digest-b", outcome: "selected", optionId: "yes" },
    { approvalId: "c", argsDigest: "digest-c", outcome: "selected", optionId: "no", feedback: "not now" },
  ]);
});

test("an approval that the server takes back ends as cancelled and is not shown any more", async () => {
  const approvals = new Approvals(quiet);
  const token = new Token();
  const asked = approvals.ask(request("a"), token);
  token.cancel();
  expect(await asked).toMatchObject({ outcome: "cancelled" });
  expect(approvals.waiting).toEqual([]);
});

test("a question that was taken back before it was shown is never shown", async () => {
  const approvals = new Approvals(quiet);
  const token = new Token();
  token.cancel();
  expect(await approvals.ask(request("a"), token)).toMatchObject({ outcome: "cancelled" });
  expect(approvals.waiting).toEqual([]);
});

test("a second answer to one approval is refused", async () => {
  const approvals = new Approvals(quiet);
  const asked = approvals.ask(request("a"), new Token());
  approvals.answer(yes("a"));
  await asked;
  expect(() => approvals.answer(yes("a"))).toThrow("answered or withdrawn");
});

test("an answer to other arguments than the ones that wait is refused, and the approval goes on waiting", () => {
  const approvals = new Approvals(quiet);
  void approvals.ask(request("a"), new Token());
  expect(() => approvals.answer({ ...yes("a"), argsDigest: "old" })).toThrow("no longer the one that was shown");
  expect(() => approvals.answer({ ...yes("a"), optionId: "always" })).toThrow("does not offer");
  expect(approvals.waiting).toHaveLength(1);
});

test("a call whose arguments are not there yet can be denied, but not allowed", async () => {
  const approvals = new Approvals(quiet);
  const { arguments: _, ...large } = request("a");
  const asked = approvals.ask(large, new Token());
  expect(() => approvals.answer(yes("a"))).toThrow("not been shown in full");
  approvals.supply("a", { problem: "too slow" });
  expect(() => approvals.answer(yes("a"))).toThrow("not been shown in full");
  approvals.supply("a", { arguments: { text: "x".repeat(9) } });
  expect(approvals.waiting[0]?.arguments).toEqual({ text: "xxxxxxxxx" });
  approvals.answer(yes("a"));
  expect(await asked).toMatchObject({ optionId: "yes" });
});

test("a reason goes with a denial only", async () => {
  const approvals = new Approvals(quiet);
  const asked = approvals.ask(request("a"), new Token());
  approvals.answer({ ...yes("a"), feedback: "typed, then thought better of it" });
  expect(await asked).not.toHaveProperty("feedback");
});

test("an id that is asked again takes the place of the first question", async () => {
  const approvals = new Approvals(quiet);
  const first = approvals.ask(request("a"), new Token());
  const second = approvals.ask(request("a"), new Token());
  expect(await first).toMatchObject({ outcome: "cancelled" });
  approvals.answer(yes("a"));
  expect(await second).toMatchObject({ outcome: "selected" });
});

test("edited arguments go along with an answer that allows, under the digest of what was shown; a denial has none", async () => {
  const approvals = new Approvals(quiet);
  const allowed = approvals.ask(request("a"), new Token());
  const denied = approvals.ask(request("b"), new Token());
  approvals.answer({ ...yes("a"), updatedInput: { a: 2 } });
  approvals.answer({ ...no("b", "no"), updatedInput: { a: 2 } });
  expect(await allowed).toEqual({
    approvalId: "a",
    argsDigest: "digest-a",
    outcome: "selected",
    optionId: "yes",
    updatedInput: { a: 2 },
  });
  expect(await denied).not.toHaveProperty("updatedInput");
});
