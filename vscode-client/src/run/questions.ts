import type { Approvals } from "./approvals.ts";
import type { Link } from "./controller.ts";

/** Lets the server's questions come to `approvals`, and go when they are settled elsewhere. */
export function hearQuestions(link: Link, approvals: Approvals): readonly { dispose(): void }[] {
  return [
    link.onNotification("adal/approval/resolved", (resolved) => approvals.withdraw(resolved.approvalId)),
    link.onRequest("adal/approval/request", (request, withdrawal) => {
      const answer = approvals.ask(request, withdrawal);
      if (!request.arguments) {
        void fetchArguments(link, approvals, request.approvalId);
      }
      return answer;
    }),
  ];
}

/** Fetches the arguments of an approval that is too large to carry them. */
export async function fetchArguments(link: Link, approvals: Approvals, approvalId: string): Promise<void> {
  try {
    approvals.supply(approvalId, await link.request("adal/approval/arguments", { approvalId }));
  } catch (error) {
    approvals.supply(approvalId, { problem: error instanceof Error ? error.message : String(error) });
  }
}
